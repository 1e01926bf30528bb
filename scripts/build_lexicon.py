"""Write data/lexicon/known_words.txt: English words that are never taken for a typo.

Source: the encoder's own word list (vocab.txt, Apache-2.0), whole alphabetic words only.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from app.retrieval.encoders.weights import weights_folder

TARGET = Path(__file__).resolve().parent.parent / "data" / "lexicon" / "known_words.txt"
SHORTEST = 4


def known_words(vocabulary: Path) -> list[str]:
    """Alphabetic ASCII words of at least four letters, sorted."""
    words = vocabulary.read_text(encoding="utf-8").split("\n")
    return sorted({word for word in words if len(word) >= SHORTEST and word.isascii() and word.isalpha()})


def main() -> None:
    """Write the list and say how long it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--vocabulary", type=Path, default=None, help="a vocab.txt; default: beside the weights"
    )
    args = parser.parse_args()
    vocabulary = args.vocabulary or weights_folder() / "vocab.txt"
    words = known_words(vocabulary)
    TARGET.write_text("\n".join(words) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {len(words)} words")


if __name__ == "__main__":
    main()
