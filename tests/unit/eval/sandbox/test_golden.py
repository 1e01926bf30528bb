"""Golden questions: both statements agree, a near miss does not, and the assistant gives the same rows."""

import pytest

from eval.errors import DatasetError
from eval.sandbox.golden import load_golden
from eval.sandbox.graph import load_graph

GOLDEN = load_golden()


def rows(found):
    """Rows as a bag: floats to four places, rows of nothing left out."""
    plain = [tuple(round(float(v), 4) if isinstance(v, (int, float)) else v for v in row) for row in found]
    return sorted((row for row in plain if any(v is not None for v in row)), key=repr)


def test_there_are_enough_of_all_sorts() -> None:
    assert len(GOLDEN) >= 120
    assert len({golden.question for golden in GOLDEN}) == len(GOLDEN)
    assert len({golden.family for golden in GOLDEN}) >= 60
    assert sum(golden.language == "hi" for golden in GOLDEN) >= 20
    assert sum(golden.expect == "empty" for golden in GOLDEN) >= 20
    assert all(golden.stale_when and golden.sql[0] != golden.sql[1] for golden in GOLDEN)
    assert all(set(golden.tables) <= set(load_graph().tables) for golden in GOLDEN)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)
def test_formulations_agree_and_the_contrast_does_not(data, golden) -> None:
    first, second, contrast = (rows(data(sql)) for sql in (*golden.sql, golden.contrast))
    if golden.expect == "empty":
        assert first == second == []
        assert contrast != []
    else:
        assert first == second != []
        assert contrast != first


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)
def test_the_assistant_is_right(data, engine, golden) -> None:
    wanted = rows(data(golden.sql[0]))
    reply = engine.answer(golden.question, golden.tenant_id)
    if golden.expect == "empty":
        assert any(words in reply.text for words in ("No records", "could not find", "nahi mil"))
    else:
        assert rows(row[: len(wanted[0])] for row in reply.steps[-1].rows) == wanted


def test_a_broken_line_is_named(tmp_path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text('{"id": "x"}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match=r"golden\.jsonl, line 1"):
        load_golden(path)
