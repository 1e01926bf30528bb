"""The default encoder: all-MiniLM-L6-v2 through onnxruntime, weights read in place, no torch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from app.errors import EncoderUnavailableError
from app.retrieval.encoders.base import EncoderFiles, EncoderSpec
from app.retrieval.encoders.tensor_file import RowReader, read_places
from app.retrieval.encoders.weights import (
    DIMENSION,
    MAX_PIECES,
    MODEL_FILE,
    SHA256,
    TOKENIZER_FILE,
    WORD_TABLE,
    find_weights,
)

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

NAME = "minilm-onnx"


class MiniLMOnnx:
    """One session, one tokenizer and one table; all are safe to share between threads."""

    name = NAME
    dimension = DIMENSION
    weights_sha256 = SHA256[MODEL_FILE]

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer, words: RowReader) -> None:
        """Wrap what `build` loaded."""
        self._session = session
        self._tokenizer = tokenizer
        self._words = words

    def encode(self, text: str) -> NDArray[np.float32]:
        """Vector of `text`: float32, shape (384,), unit length; see Encoder."""
        valid = text.encode("utf-8", "replace").decode("utf-8")  # the tokenizer refuses lone surrogates
        pieces: list[int] = self._tokenizer.encode(valid).ids
        feeds = {
            "word_vectors": self._words.read(pieces)[np.newaxis],
            "attention_mask": np.ones((1, len(pieces)), np.int64),
            "token_type_ids": np.zeros((1, len(pieces)), np.int64),
        }
        return cast(NDArray[np.float32], self._session.run(None, feeds)[0][0])


def build(files: EncoderFiles) -> MiniLMOnnx:
    """Load the encoder: 0.2 s, up to 0.5 s where hashing is slow.

    Raises:
        EncoderUnavailableError: a library, the graph or the weights are missing or unfit.
    """
    weights = find_weights(files.weights)
    try:
        graph = files.graph.read_bytes()
    except OSError as exc:
        raise EncoderUnavailableError(
            f"{files.graph} cannot be read ({exc.strerror}): run scripts/build_encoder_graph.py"
        ) from exc
    words = RowReader(weights / MODEL_FILE, read_places(weights / MODEL_FILE)[WORD_TABLE])
    try:
        return MiniLMOnnx(_load_session(graph, weights), _load_tokenizer(weights / TOKENIZER_FILE), words)
    except ImportError as exc:
        raise EncoderUnavailableError(f"{exc.name} is missing: pip install -r requirements/run.txt") from exc


def _load_session(graph: bytes, weights: Path) -> InferenceSession:
    """A session on one thread.

    Requests are the parallelism, and a pool that spins beside them on a busy machine makes an encode four to
    ten times slower.

    Measured with 200 texts of 1 to 200 words; the process alone (Python, numpy, runtime, tokenizer) takes 64:

        MB resident             now / peak   256 pieces
        arena, no pattern       133 / 133    66 ms        chosen
        arena, pattern          140 / 140    65 ms
        no arena, no pattern    133 / 156    90 ms
        no arena, pattern       158 / 161    64 ms

    Nine pieces take 4 ms in all of them. Without prepacked weights it is 8 MB less, but 7 ms.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = True
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    # The graph is passed as bytes: from a file it would have to stand in the weights' own folder.
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(weights))
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # onnxruntime's errors share no narrower base
        raise EncoderUnavailableError(
            f"the encoder graph does not load ({exc}): run scripts/build_encoder_graph.py"
        ) from exc


def _load_tokenizer(path: Path) -> Tokenizer:
    """The model's tokenizer; its file asks for 128 pieces and padding to 128, the model was made for 256."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(MAX_PIECES)
    tokenizer.no_padding()
    return tokenizer


ENCODER = EncoderSpec(name=NAME, build=build)
