"""What an encoder is, and how one is announced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Encoder(Protocol):
    """Turns a text into a direction. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """The name `find_encoder` knows it by."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def weights_sha256(self) -> str:
        """Hash of the weights file: vectors of other weights do not compare."""
        ...

    def encode(self, text: str) -> NDArray[np.float32]:
        """Vector of `text`: float32, shape (dimension,), unit length.

        Reads up to the model's own limit and ignores what follows; takes any string, blank ones too. The same
        text gives the same bits every time, whatever was encoded before.
        """
        ...


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """Where an encoder finds what it needs."""

    graph: Path
    """The ONNX graph written by scripts/build_encoder_graph.py; encoders with code of their own ignore it."""
    weights: Path | None = None
    """Folder that holds model.safetensors and tokenizer.json; None for the one of the installed package."""


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """An encoder that can be built. Modules of this package announce theirs under the name ENCODER."""

    name: str
    build: Callable[[EncoderFiles], Encoder]
    """Imports what it needs, checks the weights and loads them.

    Raises EncoderUnavailableError, saying what to install or to run.
    """
