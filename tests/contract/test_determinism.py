"""The same conversation gives the same bytes in every process, whatever its hash seed and threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SAY = """
import json, sys
from app.api.chat import explain_turn, respond_to
from app.composition import load_catalog_side, load_dense_side
from app.config import RetrievalSettings, Settings
from app.errors import RecommenderError
from app.records import History, Message

settings = Settings(_env_file=None, retrieval=RetrievalSettings())
side = load_catalog_side(settings, lambda *_: None)
if sys.argv[1] == "dense":
    load_dense_side(settings, side, lambda *_: None)
for talk in json.loads(sys.argv[2]):
    history = History(tuple(Message("assistant" if n % 2 else "user", words) for n, words in enumerate(talk)))
    response, trace = respond_to(history, side)
    print(response.model_dump_json())
    print(explain_turn(trace, side).model_dump_json())
"""
_TALKS = """[
    ["Senior data platform engineer: Spark, Kafka, Python, SQL, Docker, Kubernetes, Linux"],
    ["Somebody for the office"],
    ["Somebody for the office", "What should the tests show?", "Anything, you choose"],
    ["Store managers of a shoe chain, selection, personality and judgement"],
    ["Entry-level machine operators, safety first, many applicants"],
    ["What is the difference between MQM5 and OPQ32r?"],
    ["We develop our directors", "For whom?", "Directors", "What for?", "Feedback from colleagues"]
]"""
_SETTINGS = [("0", "1"), ("1", "4"), ("4242", "2"), ("random", "1")]


def _say(kind: str, seed: str, threads: str) -> bytes:
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads)
    result = subprocess.run(
        [sys.executable, "-c", _SAY, kind, _TALKS],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, **limits},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


@pytest.mark.parametrize("kind", ["words", "dense"])
def test_bytes_do_not_depend_on_hash_seed_or_threads(kind: str) -> None:
    said = {(seed, threads): _say(kind, seed, threads) for seed, threads in _SETTINGS}
    first = said[_SETTINGS[0]]
    assert first.count(b"\n") == 14
    assert {key for key, output in said.items() if output != first} == set()
