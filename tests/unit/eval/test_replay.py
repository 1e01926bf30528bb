from collections.abc import Sequence

import pytest

from eval.records import ChatMessage, ConversationResult, Labels, Mode, Payload, Status
from eval.replay import MESSAGE_CAP, count, replay
from eval.users import PersonaUser, ScriptedUser
from eval.users.base import Utterance
from tests.unit.eval.doubles import BROKEN, CATALOG, UNREACHABLE, Target, a_case, question, says, shown


def run(target: Target, *turns: object, mode: Mode = "grader", **fields: object) -> ConversationResult:
    return replay(a_case(*turns, **fields), "scripted", ScriptedUser, target, mode, CATALOG, "double")  # type: ignore[arg-type]


def test_the_whole_history_goes_with_each_call() -> None:
    target = Target(question("Who?"), shown("a", "b"))
    run(target, "one", "two")
    assert [(m.role, m.content) for m in target.seen[1]] == [
        ("user", "one"),
        ("assistant", "Who?"),
        ("user", "two"),
    ]


def test_the_last_list_counts_even_when_a_question_follows() -> None:
    result = run(Target(shown("a", "x"), question()), "one", "two")
    assert result.final_ids == ("a", "x")
    assert (result.value("recall@10"), result.value("precision")) == (0.5, 0.5)
    assert (result.missed, result.surplus) == (("b",), ("x",))


def test_grader_stops_at_the_end_of_the_conversation_and_trace_goes_on() -> None:
    turns = ("one", "two", "three")
    grader = run(Target(shown("a", ends=True)), *turns)
    trace = run(Target(shown("a", ends=True)), *turns, mode="trace")
    assert (grader.stop, len(grader.turns), grader.unsaid) == ("ended", 1, 2)
    assert (trace.stop, len(trace.turns), trace.unsaid) == ("script_done", 3, 0)


def test_grader_stops_at_eight_messages_and_the_overrun_is_counted() -> None:
    turns = [str(n) for n in range(6)]
    grader, trace = run(Target(shown("a")), *turns), run(Target(shown("a")), *turns, mode="trace")
    assert (grader.stop, 2 * len(grader.turns), grader.unsaid) == ("message_cap", MESSAGE_CAP, 2)
    assert (trace.stop, len(trace.turns)) == ("script_done", 6)
    assert count([grader, trace]).cap_overruns == 1
    assert next(r for r in grader.results if r.name == "ending").status is Status.UNSCORED


def test_four_turns_are_just_within_the_cap() -> None:
    assert run(Target(shown("a")), "1", "2", "3", "4").stop == "script_done"


@pytest.mark.parametrize("slow", [shown("a", status="timeout"), Payload("", "late", latency_ms=30_001.0)])
def test_grader_gives_up_on_a_slow_call_and_scores_what_was_shown(slow: Payload) -> None:
    result = run(Target(shown("a", "b"), slow), "one", "two", "three")
    assert (result.stop, len(result.turns)) == ("slow_call", 2)
    assert result.value("recall@10") == 1.0
    assert count([result]).slow_calls == 1


def test_an_unreachable_service_is_an_error_and_no_score() -> None:
    result = run(Target(UNREACHABLE), "one", "two")
    assert {r.status for r in result.results} == {Status.ERROR}
    assert "ConnectError" in result.results[0].reason
    assert (result.stop, count([result]).unreachable) == ("unreachable", 1)


def test_a_failing_service_scores_nothing_and_is_counted() -> None:
    result = run(Target(BROKEN), "one", "two", mode="trace")
    counts = count([result])
    assert result.value("recall@10") == 0.0
    assert result.value("precision") is None
    assert (counts.failed_turns, counts.contract_faults) == (2, 2)


def test_null_and_empty_lists_are_alike() -> None:
    assert run(Target(shown(text="No.")), "one").value("recall@10") == 0.0
    assert run(Target(Payload("", "No.", ends=False)), "one").value("recall@10") == 0.0


def test_nothing_required_is_unscored() -> None:
    result = run(Target(shown("a")), "one", final=Labels())
    assert result.value("recall@10") is None
    assert result.value("list_length") == 1


def test_invented_lines_lower_groundedness_and_are_named() -> None:
    result = run(Target(shown("a", "ghost", text="See https://evil.example/x")), "one")
    found = next(r for r in result.results if r.name == "groundedness")
    assert found.value == pytest.approx(1 / 3)
    assert [e.split()[0] for e in found.evidence] == ["Ghost", "https://evil.example/x"]


def test_expectations_of_each_turn_are_checked() -> None:
    target = Target(shown("a", "d"))
    result = run(target, says("one", list=False, end=False, must=("a",), must_not=("d",)))
    assert result.turns[0].unmet == ("no list", "without d")
    assert result.value("expectations") == pytest.approx(0.5)


def test_degraded_turns_are_counted() -> None:
    assert count([run(Target(shown("a", degraded=("dense",))), "one", "two")]).degraded_turns == 2


class _Liar:
    unsaid = 0

    def __init__(self, lies: int) -> None:
        self.lies = lies

    def __call__(self, case: object) -> "_Liar":
        self.lies -= 1
        self.said = False
        return self

    def say(self, reply: Payload | None) -> Utterance | None:
        if reply is not None:
            return None
        return Utterance("We want 99 tests.", fault="the number 99" if self.lies >= 0 else None)


def test_a_simulator_fault_is_played_again_and_never_scored() -> None:
    once = replay(a_case("one"), "llm", _Liar(1), Target(shown("a", "b")), "grader", CATALOG, "double")
    always = replay(a_case("one"), "llm", _Liar(9), Target(shown("a", "b")), "grader", CATALOG, "double")
    assert (once.simulator_faults, once.value("recall@10")) == (1, 1.0)
    assert (always.simulator_faults, always.stop) == (3, "simulator_fault")
    assert {r.status for r in always.results} == {Status.ERROR}
    assert "the number 99" in always.results[0].reason


def test_a_service_that_asks_for_ever_ends_too() -> None:
    case = a_case("one", "two", facts={"role": "cook"})
    result = replay(case, "persona", PersonaUser, Target(question()), "trace", CATALOG, "double")
    assert result.stop in ("script_done", "message_cap")
    assert result.value("recall@10") == 0.0


def test_another_order_of_questions_gets_the_same_facts() -> None:
    facts: dict[str, object] = {"level": "senior", "purpose": "selection", "skills": ("Java", "SQL")}

    def service(order: tuple[str, ...]) -> Target:
        def answer(messages: Sequence[ChatMessage]) -> Payload:
            said = " ".join(m.content for m in messages if m.role == "user")
            words = {
                "What level?": "senior",
                "Selection or development?": "selection",
                "Which skills?": "SQL",
            }
            return next((question(q) for q in order if words[q] not in said), shown("a", "b"))

        return Target(by=answer)

    orders = (
        ("What level?", "Selection or development?", "Which skills?"),
        ("Which skills?", "Selection or development?", "What level?"),
    )
    for order in orders:
        case = a_case("We hire developers.", says("Good.", end=True, list=True), facts=facts)
        result = replay(case, "persona", PersonaUser, service(order), "trace", CATALOG, "double")
        assert result.value("recall@10") == 1.0
