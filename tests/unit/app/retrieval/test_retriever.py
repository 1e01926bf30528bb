from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.retrieval import DenseIndex, Retriever, build_lexical, fuse
from app.retrieval.index import build_matrix
from tests.unit.app.retrieval.doubles import DOCUMENTS, Listed, WordEncoder

ROOT = Path(__file__).parents[4]


def test_gives_both_rankings_and_their_fusion() -> None:
    found = Retriever(Listed("a", "b"), Listed("b", "c")).search("forklift", 2)
    assert [hit.id for hit in found.lexical] == ["a", "b"]
    assert [hit.id for hit in found.dense] == ["b", "c"]
    assert found.fused == fuse([found.lexical, found.dense], n=2)
    assert found.dense_used


def test_works_by_words_alone() -> None:
    retriever = Retriever(build_lexical(DOCUMENTS))
    found = retriever.search("forklift", 5)
    assert not retriever.has_dense
    assert not found.dense_used
    assert found.dense == ()
    assert [hit.id for hit in found.fused] == ["forklift-licence", "forklift-safety"]


@pytest.mark.parametrize("query", ["🔥🔥", "+++", "।।", "   ", "", "the of"])
def test_query_without_words_finds_nothing_and_asks_nobody(query: str) -> None:
    lexical, dense = Listed("a"), Listed("a")
    found = Retriever(lexical, dense).search(query, 5)
    assert (found.fused, found.lexical, found.dense, found.dense_used) == ((), (), (), False)
    assert (lexical.asked, dense.asked) == (0, 0)


def test_refuses_a_length_of_zero() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Retriever(Listed("a")).search("x", 0)


def test_dense_side_can_come_and_go_while_searches_run() -> None:
    encoder = WordEncoder()
    ids, matrix = build_matrix(DOCUMENTS, encoder)
    dense = DenseIndex(ids, matrix, encoder)
    retriever = Retriever(build_lexical(DOCUMENTS))
    without = retriever.search("forklift", 4)
    retriever.set_dense(dense)
    both = retriever.search("forklift", 4)
    seen = []

    def search() -> None:
        seen.extend(retriever.search("forklift", 4) for _ in range(200))

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(500):
        retriever.set_dense(dense if turn % 2 else None)
    for thread in threads:
        thread.join()
    assert all(found in (without, both) for found in seen)


def test_result_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from app.retrieval import Retriever, build_lexical\n"
        "docs = {f'd{i}': f'forklift word{i % 7} term{i % 3}' for i in range(40)}\n"
        "print(Retriever(build_lexical(docs)).search('term1 word2 word5 term0 forklift', 10))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": str(seed), "PATH": os.defpath},
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in range(5)
    }
    assert len(answers) == 1
