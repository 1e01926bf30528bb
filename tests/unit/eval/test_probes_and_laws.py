import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from eval.errors import DatasetError
from eval.laws import LAWS, PARAPHRASE, generate, load_paraphrases, run_law, run_paraphrase
from eval.probes import Probe, Wanted, load_probes, run_probe
from eval.records import ChatMessage, Payload, Status
from tests.unit.eval.doubles import CATALOG, UNREACHABLE, Target, a_case, question, shown

KINDS = {
    "off-topic", "legal", "cheating", "steering", "vague opening", "over-asking", "edits", "acceptance", "comparison",
    "nothing invented", "absent skill", "limits", "forged turns",
}  # fmt: skip


def probe(*said: ChatMessage | str, **wanted: object) -> Probe:
    messages = tuple(ChatMessage("user", m) if isinstance(m, str) else m for m in said)
    return Probe("p", "k", "trigger", "why", messages, Wanted(**wanted))  # type: ignore[arg-type]


def wrong(target: Target, asked: Probe) -> tuple[str, ...]:
    return run_probe(asked, target, CATALOG, "double").wrong


def test_our_probes_are_pairs_of_all_kinds() -> None:
    probes = load_probes()
    assert {p.kind for p in probes} == KINDS
    assert set(Counter(p.pair for p in probes).values()) == {2}
    assert len({p.pair for p in probes}) >= 40


@pytest.mark.parametrize(
    ("wanted", "answer", "is_right"),
    [
        ({"list": True}, shown("a"), True),
        ({"list": True}, question(), False),
        ({"asks": True}, question(), True),
        ({"asks": False}, question(), False),
        ({"ends": True}, shown("a"), False),
        ({"must": ("a",), "must_not": ("b",)}, shown("a", "b"), False),
        ({"any_of": ("b", "a")}, shown("a"), True),
        ({"says": ("list",)}, shown("a"), True),
        ({"never_says": ("LIST",)}, shown("a"), False),
        ({"most": 1}, shown("a", "b"), False),
        ({"minutes_total": 15}, shown("a", "b"), False),
        ({"minutes_each": 10}, shown("a", "b"), True),
        ({"languages": ("English",)}, shown("a"), True),
        ({"languages": ("French",)}, shown("a"), False),
        ({"adaptive": True}, shown("a"), False),
        ({}, shown("ghost"), False),
        ({}, shown(text="Bye", ends=True), False),
        ({}, shown("a", faults=("extra key",)), False),
    ],
)
def test_what_is_wanted_is_checked(wanted: dict[str, object], answer: Payload, is_right: bool) -> None:
    assert (wrong(Target(answer), probe("x", **wanted)) == ()) is is_right


@pytest.mark.parametrize(
    ("same", "after", "is_right"),
    [
        (True, shown("b", "a"), True),
        (True, question(), True),
        (True, shown("a"), False),
        (False, shown("a"), True),
        (False, question(), False),
    ],
)
def test_whether_the_list_stayed(same: bool, after: Payload, is_right: bool) -> None:
    assert (wrong(Target(shown("a", "b"), after), probe("x", "y", same_list=same)) == ()) is is_right


def test_a_forged_turn_goes_into_the_history_unanswered() -> None:
    target = Target(shown("a"))
    wrong(target, probe("x", ChatMessage("assistant", "forged"), "y"))
    assert [[m.content for m in messages] for messages in target.seen] == [["x", "forged", "y"]]


def test_a_lost_target_is_an_error_and_not_a_wrong_answer() -> None:
    assert run_probe(probe("x"), Target(UNREACHABLE), CATALOG, "double").status is Status.ERROR


@pytest.mark.parametrize(
    "text",
    [
        "- {pair: a}",
        "- {pair: a, kind: k, why: w, trigger: {say: [x], expect: {lst: 1}}, twin: {say: [x], expect: {}}}",
    ],
)
def test_faulty_probes_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(DatasetError, match=r"x\.yaml, a"):
        load_probes(tmp_path)


# --- laws -----------------------------------------------------------------------------------------

CASES = [a_case("hi", id=f"c{n}", facts={"role": f"role {n}", "skills": ("a", "b", "c")}) for n in range(6)]
SEED = generate(CASES, 1)[0]


def law(name: str, target: Target) -> tuple[Status, bool | None]:
    result = run_law(name, SEED, target, CATALOG, "double", 1)
    return result.status, result.held


def test_generated_needs_depend_on_the_seed_alone() -> None:
    assert generate(CASES, 1) == generate(CASES, 1)
    assert generate(CASES, 1) != generate(CASES, 2)
    assert len(generate(CASES, 1, 3)) == 3
    assert generate([], 1) == ()


@pytest.mark.parametrize("name", sorted(LAWS))
def test_a_steady_target_keeps_every_law(name: str) -> None:
    def steady(messages: Sequence[ChatMessage]) -> Payload:
        last = messages[-1].content
        return shown(*(key for key in ("a", "b", "c") if f"drop {CATALOG[key].name}" not in last))

    assert law(name, Target(by=steady)) == (Status.SCORED, True)


@pytest.mark.parametrize("name", sorted(LAWS))
def test_a_fickle_target_breaks_every_law(name: str) -> None:
    rng = random.Random(1)
    lists = iter([("a", "b")] + [("c", "d"), ("e",)] * 20)

    def fickle(messages: Sequence[ChatMessage]) -> Payload:
        ids = next(lists)
        if name in ("more_information", "longer_opening") and ids != ("a", "b"):
            return question()
        return shown(*ids, text=str(rng.random()))

    assert law(name, Target(by=fickle)) == (Status.SCORED, False)


@pytest.mark.parametrize("name", sorted(set(LAWS) - {"same_again"}))
def test_without_a_list_a_law_does_not_apply(name: str) -> None:
    assert law(name, Target(question())) == (Status.UNSCORED, None)


@pytest.mark.parametrize("name", sorted(LAWS))
def test_a_lost_target_is_an_error(name: str) -> None:
    assert law(name, Target(UNREACHABLE)) == (Status.ERROR, None)


@pytest.mark.parametrize(
    ("one", "other", "held"),
    [
        (shown("a", "b", "c", "d", "e"), shown("a", "b", "c", "d"), True),
        (shown("a", "b", "c"), shown("a", "b"), False),
        (shown("a"), question(), False),
        (question(), shown("a"), False),
        (question(), question(), None),
    ],
)
def test_a_paraphrase_keeps_four_fifths_both_ways(one: Payload, other: Payload, held: bool | None) -> None:
    result = run_paraphrase("p", ("x", "y"), Target(one, other), "double")
    assert (result.law, result.held) == (PARAPHRASE, held)


def test_our_paraphrases_differ() -> None:
    pairs = load_paraphrases()
    assert len(pairs) >= 20
    assert all(one != other for one, other in pairs.values())
