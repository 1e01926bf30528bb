from __future__ import annotations

from pathlib import Path

import pytest

from app.retrieval.encoders.weights import MODEL_FILE, find_weights
from scripts.build_encoder_graph import build_graph, main

STORED = Path(__file__).parents[3] / "data" / "minilm.onnx"


def test_building_again_gives_the_bytes_that_are_stored() -> None:
    weights_file = find_weights(None) / MODEL_FILE
    assert build_graph(weights_file) == build_graph(weights_file) == STORED.read_bytes()


def test_check_tells_a_current_file_from_an_old_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = tmp_path / "minilm.onnx"
    assert main(["--output", str(graph), "--check"]) == 1
    assert not graph.exists()
    assert main(["--output", str(graph)]) == 0
    assert main(["--output", str(graph), "--check"]) == 0
    assert [line.rsplit(", ", 1)[1] for line in capsys.readouterr().out.splitlines()] == [
        "out of date",
        "written",
        "unchanged",
    ]


def test_missing_weights_are_one_line_and_exit_code_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--weights", str(tmp_path), "--output", str(tmp_path / "x")]) == 1
    assert "cannot be read" in capsys.readouterr().err
