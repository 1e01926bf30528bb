"""One contract for every encoder that is found and installed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from app.errors import EncoderUnavailableError
from app.retrieval import Encoder, EncoderFiles, known_encoders

DEFAULT = "minilm-onnx"
GRAPH = Path(__file__).parents[2] / "data" / "minilm.onnx"
TEXTS = [
    "senior Java developer",
    "word " * 2_000,
    "",
    "   ",
    "🔥",
    "招聘一名护士",
    "नर्स की भर्ती",
    "x" * 3_000,
    "a\x00b\tc\u200bd",
    "lone \ud800 surrogate",
]


@pytest.fixture(scope="module", params=list(known_encoders()))
def encoder(request: pytest.FixtureRequest) -> Encoder:
    try:
        return known_encoders()[request.param].build(EncoderFiles(GRAPH))
    except EncoderUnavailableError as exc:
        if request.param == DEFAULT:
            raise
        pytest.skip(str(exc))


def test_goes_by_its_name(encoder: Encoder) -> None:
    assert known_encoders()[encoder.name].name == encoder.name
    assert len(encoder.weights_sha256) == 64


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:12]))
def test_vector_is_float32_of_unit_length(encoder: Encoder, text: str) -> None:
    vector = encoder.encode(text)
    assert vector.dtype == np.float32
    assert vector.shape == (encoder.dimension,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_same_bits_whatever_was_encoded_before(encoder: Encoder) -> None:
    first = [encoder.encode(text).tobytes() for text in TEXTS]
    again = [encoder.encode(text).tobytes() for text in reversed(TEXTS)]
    assert first == again[::-1]


def test_same_bits_from_several_threads(encoder: Encoder) -> None:
    texts = TEXTS[:1] * 4 + TEXTS[5:7] * 4
    alone = [encoder.encode(text).tobytes() for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = [vector.tobytes() for vector in pool.map(encoder.encode, texts)]
    assert alone == together


def test_reads_256_pieces_and_no_more(encoder: Encoder) -> None:
    short, long = "word " * 200, "word " * 254
    assert not np.array_equal(encoder.encode(short), encoder.encode(long))
    np.testing.assert_array_equal(encoder.encode(long), encoder.encode(long + "and so on"))


def test_near_in_meaning_is_near_in_space(encoder: Encoder) -> None:
    nurse, medical, engine = map(
        encoder.encode, ("nurse", "caring for patients in a hospital", "diesel engine")
    )
    assert nurse @ medical > nurse @ engine + 0.1
