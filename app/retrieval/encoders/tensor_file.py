"""Where the tensors stand in a safetensors file, and reading single rows of one."""

from __future__ import annotations

import json
import struct
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """One tensor of a safetensors file."""

    shape: tuple[int, ...]
    offset: int
    """Bytes from the beginning of the file."""
    length: int
    """Bytes."""


def read_places(path: Path) -> Mapping[str, TensorPlace]:
    """All tensors of a safetensors file by name; nothing but its header is read.

    Raises:
        OSError, ValueError: it cannot be read, or is no such file.
    """
    with path.open("rb") as file:
        (header_length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_length))
    data_start = 8 + header_length
    return {
        name: TensorPlace(tuple(entry["shape"]), data_start + start, end - start)
        for name, entry in header.items()
        if name != "__metadata__"
        for start, end in [entry["data_offsets"]]
    }


class RowReader:
    """Rows of a float32 table that stays on disk.

    The word table of the encoder is half of its weights, and a text needs a few dozen of its 30,522 rows.
    Mapped into memory, the table is resident after some sixty texts, because the kernel maps 43 rows around
    every row that is touched: 40 MB. Read row by row from the file cache it costs 2 microseconds a row.
    Safe to call from several threads.
    """

    def __init__(self, path: Path, place: TensorPlace) -> None:
        """Keep `path` open; a file put in its place later does no harm."""
        self._rows, self._width = place.shape
        self._offset = place.offset
        self._file = path.open("rb", buffering=0)
        self._lock = threading.Lock()
        weakref.finalize(self, self._file.close)

    def read(self, rows: Sequence[int]) -> NDArray[np.float32]:
        """The rows asked for, in that order; float32, shape (rows, width).

        Raises:
            IndexError: there is no such row.
        """
        table = np.empty((len(rows), self._width), "<f4")
        with self._lock:
            for place, row in zip(table, rows, strict=True):
                if not 0 <= row < self._rows:
                    raise IndexError(f"row {row} of a table of {self._rows}")
                self._file.seek(self._offset + row * place.nbytes)
                place[:] = np.frombuffer(self._file.read(place.nbytes), "<f4")
        return table.astype(np.float32, copy=False)
