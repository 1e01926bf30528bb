from __future__ import annotations

import gc
import json
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from app.retrieval.encoders.tensor_file import RowReader, TensorPlace, read_places

TABLE = np.arange(12, dtype="<f4").reshape(4, 3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    bias = np.ones(2, "<f4")
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "bias": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "table": {"dtype": "F32", "shape": [4, 3], "data_offsets": [8, 56]},
        }
    ).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(struct.pack("<Q", len(header)) + header + bias.tobytes() + TABLE.tobytes())
    return file


def test_places_count_from_the_beginning_of_the_file(path: Path) -> None:
    places = read_places(path)
    assert set(places) == {"bias", "table"}
    assert places["table"] == TensorPlace((4, 3), places["bias"].offset + 8, 48)
    assert path.read_bytes()[places["table"].offset :] == TABLE.tobytes()


@pytest.mark.parametrize("rows", [[], [0], [3, 0, 3], [0, 1, 2, 3]])
def test_rows_come_in_the_order_asked_for(path: Path, rows: list[int]) -> None:
    got = RowReader(path, read_places(path)["table"]).read(rows)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, TABLE[rows].reshape(len(rows), 3))


@pytest.mark.parametrize("row", [-1, 4])
def test_refuses_rows_that_are_not_there(path: Path, row: int) -> None:
    with pytest.raises(IndexError, match="of a table of 4"):
        RowReader(path, read_places(path)["table"]).read([0, row])


def test_keeps_reading_the_file_it_opened(path: Path) -> None:
    reader = RowReader(path, read_places(path)["table"])
    other = path.with_suffix(".new")
    other.write_bytes(b"other")
    other.replace(path)
    np.testing.assert_array_equal(reader.read([2]), TABLE[[2]])


def test_threads_do_not_mix_up_their_rows(path: Path) -> None:
    reader = RowReader(path, read_places(path)["table"])
    wanted = [[number % 4, (number + 1) % 4] for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        for rows, got in zip(wanted, pool.map(reader.read, wanted), strict=True):
            np.testing.assert_array_equal(got, TABLE[rows])


@pytest.mark.filterwarnings("error")
def test_closes_its_file_when_it_goes(path: Path) -> None:
    reader = RowReader(path, read_places(path)["table"])
    file = reader._file
    del reader
    gc.collect()
    assert file.closed
