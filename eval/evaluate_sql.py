"""`python -m eval.evaluate_sql`: the SQL audit on its own; the same as `python -m eval sql`."""

from __future__ import annotations

from eval.sql.cli import app


def main() -> None:
    """Entry point."""
    app()


if __name__ == "__main__":
    main()
