from pathlib import Path

import pytest

from eval.datasets import Resolver, load_conversations, load_traces, parse_conversation, parse_trace
from eval.errors import DatasetError

NAMES = {"alpha-new": "Alpha (New)", "beta": "Beta", "beta-plus": "Beta Plus", "gamma-2-0": "Gamma 2.0"}
BASE = "https://www.shl.com/products/product-catalog/view"
TRACE = f"""
## Conversation

### Turn 1

**User**

> We need something.
> Quickly.

**Agent**

For whom?

_No recommendations this turn (`recommendations: null`)._

_`end_of_conversation`: **false**_

### Turn

**User**

> For cooks.

**Agent**

| # | Name | URL |
|---|------|-----|
| 1 | Alpha | <{BASE}/alpha/> |
| 2 | Beta | <{BASE}/BETA/> |
| 3 | Beta | <{BASE}/beta> |

_`end_of_conversation`: **false**_

### Turn 4

**User**

> Done.

**Agent**

So it is Alpha (New) together with Beta Plus.

_`end_of_conversation`: **true**_
"""


def test_quirks_of_recorded_files() -> None:
    case = parse_trace(TRACE, "C7", Resolver(NAMES))
    assert [turn.user for turn in case.turns] == ["We need something.\nQuickly.", "For cooks.", "Done."]
    assert [turn.expect.must for turn in case.turns] == [
        (),
        ("alpha-new", "beta"),
        ("alpha-new", "beta-plus"),
    ]
    assert [turn.expect.end for turn in case.turns] == [False, False, True]
    assert [turn.expect.list for turn in case.turns] == [False, True, True]
    assert case.final.must == ("alpha-new", "beta-plus")


def test_names_in_prose_beside_the_no_list_mark_are_not_a_list() -> None:
    text = "### Turn 1\n**User**\n> Hi\n**Agent**\nBeta and Alpha (New) differ.\n_No recommendations this turn_\n"
    assert parse_trace(text, "C1", Resolver(NAMES)).final.must == ()


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        ("beta", "beta"),
        ("alpha", "alpha-new"),
        ("beta-new", "beta"),
        ("gamma", "gamma-2-0"),
        ("Beta-Plus", "beta-plus"),
        ("delta", "delta"),
    ],
)
def test_an_address_may_differ_by_a_suffix(slug: str, expected: str) -> None:
    assert Resolver(NAMES).resolve(f"{BASE}/{slug}/") == expected


def test_a_folder_without_recordings_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing here")
    with pytest.raises(DatasetError, match="no recorded conversations"):
        load_traces(tmp_path, NAMES)


GOOD = 'id: x\nfamily: f\nfacts: {role: r, skills: [a]}\nturns:\n  - {user: "hi", expect: {list: true}}\nfinal: {must: [a]}\nreason: because\n'


def test_a_conversation_is_read() -> None:
    case = parse_conversation(GOOD, "dev", "x.yaml")
    assert (case.id, case.split, case.facts["skills"], case.turns[0].expect.list) == (
        "x",
        "dev",
        ("a",),
        True,
    )


@pytest.mark.parametrize(
    "bad", ["id: x", GOOD.replace("list: true", "lst: true"), GOOD + "extra: 1\n", "- 1", "{"]
)
def test_a_faulty_file_is_named(bad: str) -> None:
    with pytest.raises(DatasetError, match=r"x\.yaml"):
        parse_conversation(bad, "dev", "x.yaml")


def test_two_files_may_not_share_an_id(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    for name in ("1.yaml", "2.yaml"):
        (tmp_path / "dev" / name).write_text(GOOD)
    with pytest.raises(DatasetError, match="two conversations"):
        load_conversations(("dev",), tmp_path)


def test_an_empty_corpus_has_no_cases(tmp_path: Path) -> None:
    assert load_conversations(("dev", "test"), tmp_path) == ()


def test_our_own_corpus_loads() -> None:
    assert len(load_conversations(("dev",))) >= 40
