"""Build the stored embeddings of the catalogue, and those of the labels that queries are made of.

    python -m scripts.build_index [--encoder NAME] [--weights FOLDER] [--output FOLDER] [--check]

Writes embeddings.npy, embeddings_ids.json and embeddings.json to data/ and to data/labels/. Prints what differs
from the last build (+ added, - removed, ~ changed) and one line of summary for each. Each file is replaced in
one step, and a reader refuses files of different builds.

Exit code 0: written, or up to date. Exit code 1: catalogue, knowledge or encoder cannot be used, or `--check`
found the stored embeddings out of date.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from app.catalog import load_catalog
from app.errors import IndexMismatchError, RecommenderError
from app.knowledge import load_knowledge
from app.retrieval import Encoder, EncoderFiles, document, find_encoder, label_texts, load_dense, save_dense
from app.retrieval.index import LABELS_FOLDER, StoredIndex, read_index
from app.understanding import labels

DATA = Path(__file__).resolve().parent.parent / "data"
NOISE = 1e-4
"""Vectors whose elements differ by less are the same vector computed on another processor."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="build_index", description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default="minilm-onnx", help="default: %(default)s")
    parser.add_argument("--weights", type=Path, help="folder with model.safetensors; default: the package's")
    parser.add_argument("--data", type=Path, default=DATA, help="catalogue, knowledge and graph: %(default)s")
    parser.add_argument("--output", type=Path, help="folder for the three files; default: the data folder")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    options = parser.parse_args(argv)
    try:
        files = EncoderFiles(graph=options.data / "minilm.onnx", weights=options.weights)
        encoder = find_encoder(options.encoder).build(files)
        documents, label_documents = load_texts(options.data)
        output = options.output or options.data
        step = check if options.check else build
        step(output, "documents", documents, encoder)
        step(output / LABELS_FOLDER, "labels", label_documents, encoder)
    except RecommenderError as exc:
        print(exc, file=sys.stderr)
        return 1
    return 0


def load_texts(data: Path) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The text of every assessment by id, and the labels, for the catalogue and knowledge in `data`."""
    catalog = load_catalog(data / "catalog.json")
    knowledge = load_knowledge(data / "knowledge", catalog)
    documents: dict[str, str] = {
        assessment.id: document(assessment, knowledge.entries[assessment.id]) for assessment in catalog
    }
    return documents, label_texts(labels(knowledge))


def check(folder: Path, what: str, texts: Mapping[str, str], encoder: Encoder) -> None:
    """Raise IndexMismatchError if what is stored in `folder` cannot be used as it is."""
    load_dense(folder, texts, encoder)
    print(f"embeddings: {len(texts)} {what}, up to date")


def build(folder: Path, what: str, texts: Mapping[str, str], encoder: Encoder) -> None:
    """Encode, write, and tell what is new."""
    try:
        before = read_index(folder)
    except IndexMismatchError:
        before = None
    after = save_dense(folder, texts, encoder)
    for line in differences(before, after):
        print(line)
    state = "unchanged" if before is not None and before.manifest == after.manifest else "written"
    print(f"embeddings: {after.manifest.count} {what} by {after.manifest.model}, {state}")


def differences(before: StoredIndex | None, after: StoredIndex) -> Iterator[str]:
    """One line per id that came, went or got another vector."""
    old = {} if before is None else dict(zip(before.ids, before.matrix, strict=True))
    new = dict(zip(after.ids, after.matrix, strict=True))
    for key in sorted(old.keys() | new.keys()):
        if key not in old:
            yield f"+ {key}"
        elif key not in new:
            yield f"- {key}"
        elif old[key].shape != new[key].shape or not np.allclose(old[key], new[key], rtol=0, atol=NOISE):
            yield f"~ {key}"


if __name__ == "__main__":
    sys.exit(main())
