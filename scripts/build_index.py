"""Build the stored embeddings of the catalogue: data/embeddings.npy, embeddings_ids.json, embeddings.json.

    python -m scripts.build_index [--encoder NAME] [--weights FOLDER] [--output FOLDER] [--check]

Prints what differs from the last build (+ added, - removed, ~ changed) and one line of summary. Each file is
replaced in one step, and a reader refuses files of different builds.

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
from app.retrieval import Encoder, EncoderFiles, document, find_encoder, load_dense, save_dense
from app.retrieval.index import StoredIndex, read_index

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
        documents = load_documents(options.data)
        output = options.output or options.data
        return check(output, documents, encoder) if options.check else build(output, documents, encoder)
    except RecommenderError as exc:
        print(exc, file=sys.stderr)
        return 1


def load_documents(data: Path) -> dict[str, str]:
    """Text of every assessment of the catalogue in `data`, by id."""
    catalog = load_catalog(data / "catalog.json")
    knowledge = load_knowledge(data / "knowledge", catalog)
    return {assessment.id: document(assessment, knowledge.entries[assessment.id]) for assessment in catalog}


def check(folder: Path, documents: Mapping[str, str], encoder: Encoder) -> int:
    """Whether what is stored in `folder` can be used as it is; raises IndexMismatchError if not."""
    load_dense(folder, documents, encoder)
    print(f"embeddings: {len(documents)} documents, up to date")
    return 0


def build(folder: Path, documents: Mapping[str, str], encoder: Encoder) -> int:
    """Encode, write, and tell what is new."""
    try:
        before = read_index(folder)
    except IndexMismatchError:
        before = None
    after = save_dense(folder, documents, encoder)
    for line in differences(before, after):
        print(line)
    state = "unchanged" if before is not None and before.manifest == after.manifest else "written"
    print(f"embeddings: {after.manifest.count} documents by {after.manifest.model}, {state}")
    return 0


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
