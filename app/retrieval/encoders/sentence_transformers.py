"""The reference encoder: the same weights through sentence-transformers and torch (optional, heavy)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from app.errors import EncoderUnavailableError
from app.retrieval.encoders.base import EncoderFiles, EncoderSpec
from app.retrieval.encoders.weights import DIMENSION, MAX_PIECES, MODEL_FILE, SHA256, find_weights

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

NAME = "sentence-transformers"


class SentenceTransformersEncoder:
    """A SentenceTransformer that encodes one text at a time."""

    name = NAME
    dimension = DIMENSION
    weights_sha256 = SHA256[MODEL_FILE]

    def __init__(self, model: SentenceTransformer) -> None:
        """Wrap what `build` loaded."""
        self._model = model

    def encode(self, text: str) -> NDArray[np.float32]:
        """Vector of `text`: float32, shape (384,), unit length; see Encoder."""
        valid = text.encode("utf-8", "replace").decode("utf-8")
        vector = self._model.encode(
            valid, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return cast(NDArray[np.float32], vector)


def build(files: EncoderFiles) -> SentenceTransformersEncoder:
    """Load the encoder: about 6 s, 500 MB.

    Raises:
        EncoderUnavailableError: the library or the weights are missing or unfit.
    """
    weights = find_weights(files.weights)
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as exc:
        raise EncoderUnavailableError(
            f"{exc.name} is missing: pip install -r requirements/parity.in, or choose another encoder"
        ) from exc
    model = SentenceTransformer(str(weights), device="cpu", local_files_only=True)
    model.max_seq_length = MAX_PIECES
    return SentenceTransformersEncoder(model)


ENCODER = EncoderSpec(name=NAME, build=build)
