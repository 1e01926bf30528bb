from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.errors import IndexMismatchError
from app.records import PARAGRAPH
from app.retrieval import index as index_module
from app.retrieval import label_texts, load_dense, save_dense, signature
from app.retrieval.index import IDS_FILE, LABELS_FOLDER, MANIFEST_FILE, MATRIX_FILE, read_index
from tests.unit.app.retrieval.doubles import DOCUMENTS, WordEncoder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_dense(tmp_path, DOCUMENTS, WordEncoder())
    return tmp_path


def test_what_was_saved_is_loaded_without_encoding_anything(folder: Path) -> None:
    encoder = WordEncoder()
    index = load_dense(folder, DOCUMENTS, encoder)
    assert encoder.asked == []
    assert index.rank("forklift", 2)[0].id.startswith("forklift")


def test_order_of_the_documents_is_irrelevant(folder: Path) -> None:
    turned = dict(reversed(DOCUMENTS.items()))
    assert signature(turned, "m", "w") == signature(DOCUMENTS, "m", "w")
    load_dense(folder, turned, WordEncoder())


def test_saving_again_gives_the_same_bytes_and_leaves_no_drafts(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    save_dense(folder, DOCUMENTS, WordEncoder())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert before.keys() == {MATRIX_FILE, IDS_FILE, MANIFEST_FILE}


def test_stored_labels_are_known_and_others_are_encoded(folder: Path) -> None:
    save_dense(folder / LABELS_FOLDER, label_texts(["the typing speed", "phone"]), WordEncoder())
    encoder = WordEncoder()
    index = load_dense(folder, DOCUMENTS, encoder)
    assert index.rank(PARAGRAPH.join(["the typing speed", "forklift"]), 4)
    assert encoder.asked == ["forklift"]


def test_labels_of_another_model_are_refused(folder: Path) -> None:
    save_dense(folder / LABELS_FOLDER, {"phone": "phone"}, WordEncoder())
    manifest = folder / LABELS_FOLDER / MANIFEST_FILE
    manifest.write_text(manifest.read_text().replace('"words"', '"other"'))
    with pytest.raises(IndexMismatchError, match=r"another model.*scripts/build_index.py"):
        load_dense(folder, DOCUMENTS, WordEncoder())


def test_manifest_says_what_it_was_made_from(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    assert manifest["signature"] == signature(DOCUMENTS, "words", "0" * 64)
    assert (manifest["model"], manifest["dimension"], manifest["count"]) == ("words", 64, 4)


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        (DOCUMENTS | {"forklift-safety": "forklift safety."}, "a text has changed"),
        (DOCUMENTS | {"new-one": "new"}, "1 ids missing, 0 too many, first 'new-one'"),
        ({"typing-speed": "typing speed"}, "0 ids missing, 3 too many, first 'forklift-licence'"),
    ],
)
def test_other_documents_are_refused(folder: Path, documents: dict[str, str], reason: str) -> None:
    with pytest.raises(IndexMismatchError, match=f"{reason}.*scripts/build_index.py"):
        load_dense(folder, documents, WordEncoder())


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [("name", "other", "encoder 'words', 'other' is in use"), ("weights_sha256", "f" * 64, "other weights")],
)
def test_other_models_are_refused(folder: Path, attribute: str, value: str, reason: str) -> None:
    encoder = WordEncoder()
    setattr(encoder, attribute, value)
    with pytest.raises(IndexMismatchError, match=reason):
        load_dense(folder, DOCUMENTS, encoder)


def test_another_text_version_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "TEXT_VERSION", 99)
    with pytest.raises(IndexMismatchError, match="text version 1, now 99"):
        load_dense(folder, DOCUMENTS, WordEncoder())


@pytest.mark.parametrize("name", [MATRIX_FILE, IDS_FILE, MANIFEST_FILE])
@pytest.mark.parametrize("content", [None, b"", b"{}", b"[1, 2", b"\x93NUMPY\x01\x00v\x00{'descr'"])
def test_missing_and_damaged_files_are_refused(folder: Path, name: str, content: bytes | None) -> None:
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(IndexMismatchError, match=r"run scripts/build_index\.py"):
        load_dense(folder, DOCUMENTS, WordEncoder())


def test_files_of_two_builds_are_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    save_dense(other, DOCUMENTS | {"typing-speed": "something else"}, WordEncoder())
    (folder / MATRIX_FILE).write_bytes((other / MATRIX_FILE).read_bytes())
    with pytest.raises(IndexMismatchError, match="not the file its manifest names"):
        read_index(folder)


def test_stored_vectors_have_unit_length(folder: Path) -> None:
    stored = read_index(folder)
    assert stored.matrix.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(stored.matrix, axis=1), 1, atol=1e-5)
