import io
from pathlib import Path

import pytest

from app.api.dependencies import CatalogSide
from eval.datasets import load_conversations
from eval.progress import track
from eval.recall_eval import ARMS, RecallEval
from eval.tuning import render_log, write_log
from tests.doubles import CannedResponder
from tests.unit.eval.doubles import a_case, says


def test_each_arm_ranks_and_a_missing_one_is_unscored(catalog_side: CatalogSide) -> None:
    case = load_conversations(("dev",))[0]
    rows = {row.arm: row for row in RecallEval(catalog_side).rows(case)}
    assert tuple(rows) == ARMS
    assert rows["dense"].value("recall@10") is None
    assert rows["bm25"].ids == rows["fused"].ids
    assert (rows["fused+assembly"].value("recall@10") or 0) > 0


def test_the_need_is_the_whole_conversation_and_a_sparse_last_message_loses_it(
    catalog_side: CatalogSide,
) -> None:
    proxy = RecallEval(catalog_side)
    opening = "Mid-level Java developer with Spring and SQL, for selection."
    whole = proxy.need(a_case(opening, "Perfect, thanks."))
    last = proxy.need(a_case("Perfect, thanks."))
    assert {"spring-new"} <= {hit.id for hit in whole.candidates.fused[:10]}
    assert not {"spring-new"} <= {hit.id for hit in last.candidates.fused[:10]}


def test_the_proxy_needs_stages(catalog_side: CatalogSide) -> None:
    side = CatalogSide(catalog_side.catalog, catalog_side.knowledge, CannedResponder(), catalog_side.searcher)
    with pytest.raises(TypeError, match="stages"):
        RecallEval(side)


def test_a_case_without_required_ids_is_unscored(catalog_side: CatalogSide) -> None:
    rows = RecallEval(catalog_side).rows(a_case(says("Java developer"), final=type(a_case("x").final)()))
    assert all(row.value("recall@10") is None for row in rows)


ROW = {"group": "arm", "variant": "dense only", "measure": "recall@10", "n": 3, "mean": 0.5, "low": 0.4, "high": 0.6,
       "command": "c", "when": "t", "state": "s"}  # fmt: skip


def test_the_log_shows_the_newest_row_and_what_was_before() -> None:
    text = render_log([{**ROW, "mean": 0.25}, ROW])
    assert "| dense only | recall@10 | 3 | 0.500 | 0.400 to 0.600 | 0.250 | `c` |" in text
    assert text.count("dense only") == 1


def test_a_log_without_runs_and_an_interval_that_is_not_there(tmp_path: Path) -> None:
    write_log(tmp_path / "none.jsonl", tmp_path / "LOG.md")
    assert (tmp_path / "LOG.md").read_text().startswith("# Tuning log")
    assert "| – | none |" in render_log([{**ROW, "mean": None, "low": None, "high": None}])


def test_progress_is_plain_lines_outside_a_terminal() -> None:
    stream = io.StringIO()
    assert list(track([1, 2, 3], "work", stream)) == [1, 2, 3]
    assert stream.getvalue().startswith("work: 3 done in")
    assert "\x1b" not in stream.getvalue()


def test_progress_is_a_bar_with_the_remaining_time_in_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    assert list(track(range(3), "work", stream)) == [0, 1, 2]
    assert "3/3" in stream.getvalue()
