"""Write the golden sets that are built from other files (data/golden_dataset.json).

Run: python -m scripts.build_golden
"""

from __future__ import annotations

from eval.golden import golden_path, load_golden
from eval.targets.registry import known_targets


def main() -> None:
    """Build and write."""
    for spec in known_targets().values():
        if spec.build_golden is not None:
            path = golden_path(spec.golden)
            path.write_text(spec.build_golden(), encoding="utf-8")
            print(f"{path.name}: {len(load_golden(path))} cases")


if __name__ == "__main__":
    main()
