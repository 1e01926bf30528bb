"""Write data/golden_dataset.json from the labelled conversations and probes.

Run: python -m scripts.build_golden
"""

from __future__ import annotations

from app.catalog import load_catalog
from app.config import load_settings
from app.knowledge import load_knowledge
from eval.golden import golden_path
from eval.targets.recommender import TARGET
from eval.targets.recommender.golden import build_golden, render_golden


def main() -> None:
    """Build and write."""
    folder = load_settings().retrieval.data_dir
    catalog = load_catalog(folder / "catalog.json")
    rows = build_golden(catalog, load_knowledge(folder / "knowledge", catalog))
    path = golden_path(TARGET.golden)
    path.write_text(render_golden(rows), encoding="utf-8")
    print(f"{path.name}: {len(rows)} cases")


if __name__ == "__main__":
    main()
