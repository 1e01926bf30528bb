import pytest

from eval.records import ScriptTurn
from eval.users import PersonaUser, ScriptedUser
from eval.users.llm import DONE, LlmUser, ScriptedModel, asserted_beyond, given_text, instructions
from eval.users.persona import NO_PREFERENCE
from eval.users.topics import topics_asked
from tests.unit.eval.doubles import a_case, question, says, shown

FACTS = {"role": "cook", "level": "entry", "skills": ("soups",), "language": "French", "minutes": 30}


@pytest.mark.parametrize(
    ("reply", "topic"),
    [
        ("Is this for selection or development?", "purpose"),
        ("What language are the calls in?", "spoken"),
        ("Which accent are your callers used to?", "accent"),
        ("Which language should the tests be in?", "language"),
        ("How much time is there? Any time limit?", "minutes"),
        ("Is this an individual contributor or a tech lead?", "lead"),
        ("How senior are they?", "level"),
        ("Which skills matter most?", "skills"),
        ("What role are you hiring for?", "role"),
        ("Shall I build a shortlist from these?", "go_ahead"),
    ],
)
def test_topics_are_recognised_by_common_words(reply: str, topic: str) -> None:
    assert topics_asked(reply)[0] == topic


def test_only_questions_are_read_for_topics() -> None:
    assert topics_asked("The level of these tests is high. Is that all?") == ()
    assert topics_asked("Nothing asked about skills.") == ()


def test_scripted_says_its_turns_in_order_and_stops() -> None:
    user = ScriptedUser(a_case("one", "two"))
    assert [u.text if (u := user.say(question())) else None for _ in range(3)] == ["one", "two", None]


def test_persona_answers_from_the_facts_and_has_no_preference_otherwise() -> None:
    user = PersonaUser(a_case("We hire.", says("Thanks, that is it.", list=True, end=True), facts=FACTS))
    user.say(None)
    level = user.say(question("What level are they?"))
    assert level is not None
    assert "entry" in level.text
    accent = PersonaUser(a_case("We hire.", says("Cooks.", list=True), "Fine.", facts={"role": "cook"}))
    accent.say(None)
    accent.say(shown("a"))
    nothing = accent.say(question("Which accent are callers used to?"))
    assert nothing is not None
    assert nothing.text == NO_PREFERENCE
    assert nothing.script_index is None


def test_persona_answers_with_the_recorded_turn_that_tells_facts() -> None:
    user = PersonaUser(
        a_case("We hire.", says("They are entry level cooks.", list=True), "Fine.", facts=FACTS)
    )
    user.say(None)
    answer = user.say(question("What level?"))
    assert answer is not None
    assert (answer.text, answer.script_index) == ("They are entry level cooks.", 1)
    after = user.say(shown("a"))
    assert after is not None
    assert after.text == "Fine."


def test_a_turn_that_waits_for_its_topic_is_only_said_when_asked() -> None:
    waiting = ScriptTurn("All entry level.", when="level")
    case = a_case("We hire.", waiting, "Drop b.", "Done.", facts=FACTS)
    unasked = PersonaUser(case)
    assert [unasked.say(shown("a")).text for _ in range(3)] == ["We hire.", "Drop b.", "Done."]  # type: ignore[union-attr]
    asked = PersonaUser(case)
    asked.say(None)
    told = asked.say(question("What level?"))
    assert told is not None
    assert told.text == "All entry level."


def test_persona_edits_and_accepts_once_there_is_a_list() -> None:
    user = PersonaUser(a_case("We hire.", says("Cooks.", list=True), "Drop b.", "Done.", facts=FACTS))
    said = [u.text for u in iter(lambda: user.say(shown("a", "b")), None)]
    assert said == ["We hire.", "Cooks.", "Drop b.", "Done."]


def test_an_offer_is_accepted() -> None:
    user = PersonaUser(a_case("We hire.", facts={"role": "cook"}))
    user.say(None)
    answer = user.say(question("Shall I build a list from these?"))
    assert answer is not None
    assert answer.text == "Yes, go ahead."


def test_the_same_replies_give_the_same_persona() -> None:
    def talk() -> list[str]:
        user = PersonaUser(a_case("We hire.", says("Cooks.", list=True), "Done.", facts=FACTS))
        replies = [None, question("What level?"), shown("a"), shown("a")]
        return [u.text for reply in replies if (u := user.say(reply))]

    assert talk() == talk()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("We hire a cook, 30 minutes.", None),
        ("We have 45 minutes.", "the number 45"),
        ("A senior cook.", "the level 'senior'"),
        ("We want Spring (New).", "the name 'spring (new)'"),
        ("In German please.", "the name 'german'"),
        ("In French please.", None),
        ("Germane to this.", None),
    ],
)
def test_what_was_not_given_is_the_users_fault(text: str, fault: str | None) -> None:
    given = given_text(a_case("We hire.", facts=FACTS))
    assert asserted_beyond(text, given, ("spring (new)", "german", "french")) == fault


def test_names_that_the_service_brought_up_may_be_used() -> None:
    model = ScriptedModel(["We hire a cook.", "Add Alpha please.", DONE])
    user = LlmUser(a_case("We hire a cook.", facts=FACTS), model, ("Alpha",))
    first = user.say(None)
    second = user.say(shown("a", text="Alpha is for cooks."))
    assert first is not None
    assert second is not None
    assert (first.fault, second.fault, user.say(shown("a"))) == (None, None, None)
    assert user.say(shown("a")) is None
    assert "Never invent a fact" in model.told


def test_the_model_is_told_the_facts_and_nothing_of_the_labels() -> None:
    words = instructions(a_case("We hire a cook.", facts=FACTS))
    assert "soups" in words
    assert "must" not in words
