"""The stored vectors: write them, and read them back only if they belong to what is asked for.

Three files in one folder: embeddings.npy (float32, shape (documents, dimension)), embeddings_ids.json (one id
per row, sorted) and embeddings.json, the manifest. The folder `labels` in it holds the same of the labels that
queries are made of, so that these are never encoded while somebody waits.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.errors import IndexMismatchError
from app.retrieval.dense import LRU_SIZE, DenseIndex
from app.retrieval.encoders.base import Encoder
from app.retrieval.passages import telling_passages
from app.retrieval.text import TEXT_VERSION

MATRIX_FILE = "embeddings.npy"
IDS_FILE = "embeddings_ids.json"
MANIFEST_FILE = "embeddings.json"
LABELS_FOLDER = "labels"
REMEDY = "run scripts/build_index.py"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the vectors were made from."""

    signature: str
    """See `signature`."""
    model: str
    """Name of the encoder."""
    weights_sha256: str
    text_version: int
    dimension: int
    count: int
    matrix_sha256: str
    """Of embeddings.npy, so that files of two builds are never taken for one."""


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """The three files, read and consistent with each other."""

    ids: tuple[str, ...]
    matrix: NDArray[np.float32]
    """float32, shape (ids, dimension), rows unit length."""
    manifest: Manifest


def signature(documents: Mapping[str, str], encoder_name: str, weights_sha256: str) -> str:
    """Hash (sha256, hex) of everything that decides the vectors: ids, texts, text version and model."""
    basis = [TEXT_VERSION, encoder_name, weights_sha256, sorted(documents.items())]
    return hashlib.sha256(json.dumps(basis).encode("ascii")).hexdigest()


def build_matrix(documents: Mapping[str, str], encoder: Encoder) -> tuple[list[str], NDArray[np.float32]]:
    """Ids in order and their vectors, one text at a time; float32, shape (documents, dimension).

    Of a document longer than the encoder reads, the beginning counts.
    """
    ids = sorted(documents)
    rows = [encoder.encode(documents[key]) for key in ids]
    return ids, np.array(rows, np.float32).reshape(len(ids), encoder.dimension)


def save_dense(folder: Path, documents: Mapping[str, str], encoder: Encoder) -> StoredIndex:
    """Encode `documents` and write the three files; a reader sees the old ones or the new ones."""
    ids, matrix = build_matrix(documents, encoder)
    buffer = io.BytesIO()
    np.save(buffer, matrix, allow_pickle=False)
    manifest = Manifest(
        signature=signature(documents, encoder.name, encoder.weights_sha256),
        model=encoder.name,
        weights_sha256=encoder.weights_sha256,
        text_version=TEXT_VERSION,
        dimension=encoder.dimension,
        count=len(ids),
        matrix_sha256=hashlib.sha256(buffer.getvalue()).hexdigest(),
    )
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / MATRIX_FILE, buffer.getvalue())
    _replace(folder / IDS_FILE, _json(ids))
    _replace(folder / MANIFEST_FILE, _json(asdict(manifest)))
    return StoredIndex(tuple(ids), matrix, manifest)


def read_index(folder: Path) -> StoredIndex:
    """What is stored in `folder`, for whichever documents.

    Raises:
        IndexMismatchError: a file is missing, damaged or of another build.
    """
    try:
        content = (folder / MATRIX_FILE).read_bytes()
        manifest = Manifest(**json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8")))
        ids = tuple(json.loads((folder / IDS_FILE).read_text(encoding="utf-8")))
        matrix = np.load(io.BytesIO(content), allow_pickle=False)
    except (OSError, ValueError, TypeError, EOFError) as exc:
        raise IndexMismatchError(f"the embeddings in {folder} cannot be read ({exc}): {REMEDY}") from exc
    if hashlib.sha256(content).hexdigest() != manifest.matrix_sha256:
        raise IndexMismatchError(f"{folder / MATRIX_FILE} is not the file its manifest names: {REMEDY}")
    if (
        matrix.shape != (len(ids), manifest.dimension)
        or len(ids) != manifest.count
        or matrix.dtype != np.float32
    ):
        raise IndexMismatchError(f"the embeddings in {folder} contradict their manifest: {REMEDY}")
    return StoredIndex(ids, matrix, manifest)


def load_dense(
    folder: Path, documents: Mapping[str, str], encoder: Encoder, *, lru_size: int = LRU_SIZE
) -> DenseIndex:
    """The stored vectors of `documents` as an index that knows the stored labels. Nothing is recomputed here.

    A label that is not stored costs its encoding and changes no ranking.

    Raises:
        IndexMismatchError: the files are missing or damaged, or were made from other documents, another text
            version or another model; names the difference and the script to run.
    """
    stored = read_index(folder)
    expected = signature(documents, encoder.name, encoder.weights_sha256)
    if stored.manifest.signature != expected or list(stored.ids) != sorted(documents):
        reason = _difference(stored, documents, encoder)
        raise IndexMismatchError(f"the embeddings in {folder} are stale ({reason}): {REMEDY}")
    return DenseIndex(stored.ids, stored.matrix, encoder, known=_known(folder, encoder), lru_size=lru_size)


def label_texts(labels: Iterable[str]) -> dict[str, str]:
    """What the encoder would read of each label, by itself."""
    return {passage: passage for label in labels for passage in telling_passages(label)}


def _known(folder: Path, encoder: Encoder) -> Mapping[str, NDArray[np.float32]]:
    """What `encoder` made of the labels; none if none are stored."""
    if not (folder / LABELS_FOLDER).is_dir():
        return {}
    stored = read_index(folder / LABELS_FOLDER)
    if (stored.manifest.model, stored.manifest.weights_sha256) != (encoder.name, encoder.weights_sha256):
        raise IndexMismatchError(f"the embeddings in {folder / LABELS_FOLDER} are of another model: {REMEDY}")
    return dict(zip(stored.ids, stored.matrix, strict=True))


def _difference(stored: StoredIndex, documents: Mapping[str, str], encoder: Encoder) -> str:
    """The first reason why the stored vectors do not fit."""
    manifest = stored.manifest
    if manifest.model != encoder.name:
        return f"made by encoder {manifest.model!r}, {encoder.name!r} is in use"
    if manifest.weights_sha256 != encoder.weights_sha256:
        return "made from other weights"
    if manifest.text_version != TEXT_VERSION:
        return f"text version {manifest.text_version}, now {TEXT_VERSION}"
    missing = sorted(documents.keys() - set(stored.ids))
    surplus = sorted(set(stored.ids) - documents.keys())
    if missing or surplus:
        return f"{len(missing)} ids missing, {len(surplus)} too many, first {(missing + surplus)[0]!r}"
    return "a text has changed"


def _json(content: Sequence[str] | Mapping[str, object]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode("ascii")


def _replace(path: Path, content: bytes) -> None:
    """Write `path` whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)
