"""The default encoder against the reference. Needs requirements/parity.in; run by `make parity` only."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.retrieval import DenseIndex, Encoder, EncoderFiles, find_encoder

ROOT = Path(__file__).parents[2]
GRAPH = ROOT / "data" / "minilm.onnx"
MIN_COSINE = 0.9999
TOP = 10


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def load_summaries() -> dict[str, str]:
    files = sorted((ROOT / "data" / "knowledge" / "assessments").glob("*.jsonl"))
    rows = [row for file in files for row in _rows(file)]
    return {str(row["id"]): f"{row['summary']} {row['topics']} {row['aliases']}" for row in rows}


def load_queries() -> list[str]:
    rows = _rows(ROOT / "tests" / "data" / "paraphrases.jsonl")
    return [str(query) for row in rows for query in row["queries"]][::3]  # type: ignore[attr-defined]


ODD = ["", "   ", "🔥", "招聘一名护士", "x" * 3_000, "word " * 2_000, "a\x00b\tc\u200bd", "SQL", "C++ / C#"]


@pytest.fixture(scope="module")
def ours() -> Encoder:
    return find_encoder("minilm-onnx").build(EncoderFiles(GRAPH))


@pytest.fixture(scope="module")
def reference() -> Encoder:
    return find_encoder("sentence-transformers").build(EncoderFiles(GRAPH))


def encode_all(encoder: Encoder, texts: list[str]) -> NDArray[np.float32]:
    return np.array([encoder.encode(text) for text in texts])


def test_vectors_are_the_same(ours: Encoder, reference: Encoder) -> None:
    texts = [*load_summaries().values(), *load_queries(), *ODD]
    assert len(texts) >= 200
    cosines = np.einsum("ij,ij->i", encode_all(ours, texts), encode_all(reference, texts))
    assert cosines.min() >= MIN_COSINE, f"{cosines.min()} for {texts[int(cosines.argmin())][:80]!r}"


def test_top_ten_is_the_same(ours: Encoder, reference: Encoder) -> None:
    documents = load_summaries()
    ids, texts = list(documents), list(documents.values())
    indexes = [DenseIndex(ids, encode_all(encoder, texts), encoder) for encoder in (ours, reference)]
    for query in load_queries():
        first, second = (index.rank(query, TOP) for index in indexes)
        # Scores within the last decimal of each other may stand in either order, also at the cut-off.
        assert [hit.score for hit in first] == pytest.approx([hit.score for hit in second], abs=2e-5)
        clear = {hit.id for hit in first if hit.score > first[-1].score + 2e-5}
        assert clear <= {hit.id for hit in second}, query
