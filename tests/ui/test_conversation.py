"""Talking: sending, waiting, cancelling, failing, undoing, starting over, coming back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.ui.conftest import OpenPage
from tests.ui.pages import JAVA, OPQ, SQL, RecommenderPage, answer


def test_a_turn_shows_the_reply_and_the_list(page: RecommenderPage) -> None:
    page.say(JAVA)
    expect(page.turns).to_have_attribute("data-status", "done")
    expect(page.replies).to_contain_text("Shortlist (")
    assert "SQL (New)" in page.names()
    assert page.sent == [{"messages": [{"role": "user", "content": JAVA}]}]
    expect(page.box).to_have_value("")
    expect(page.box).to_be_focused()


def test_the_whole_conversation_goes_with_each_turn(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    reply = desk.replies.first.evaluate("element => element.textContent")
    desk.say("Please add JavaScript.")
    assert desk.sent[1]["messages"] == [
        {"role": "user", "content": JAVA},
        {"role": "assistant", "content": reply},
        {"role": "user", "content": "Please add JavaScript."},
    ]


def test_an_opener_starts_the_conversation(page: RecommenderPage) -> None:
    openers = page.page.locator("[data-opener]")
    assert openers.count() >= 4
    openers.first.click()
    page.settle()
    expect(page.replies).to_have_count(1)
    expect(page.page.locator("[data-welcome]")).to_be_hidden()


def test_enter_sends_shift_enter_breaks_and_the_box_grows(page: RecommenderPage) -> None:
    page.stub_chat(answer())
    height = page.height(page.box)
    page.box.press_sequentially("one")
    for line in ("two", "three"):
        page.box.press("Shift+Enter")
        page.box.press_sequentially(line)
    expect(page.box).to_have_value("one\ntwo\nthree")
    assert page.height(page.box) > height + 20
    page.box.press("Enter")
    page.settle()
    assert page.sent[0]["messages"][0]["content"] == "one\ntwo\nthree"
    assert page.height(page.box) == height


def test_enter_that_confirms_an_input_method_candidate_does_not_send(desk: RecommenderPage) -> None:
    desk.stub_chat(answer())
    desk.box.fill("かんご")
    desk.box.dispatch_event("compositionstart")
    for made_by_method in ({"isComposing": True}, {"keyCode": 229}):
        desk.box.dispatch_event(
            "keydown", {"key": "Enter", "bubbles": True, "cancelable": True, **made_by_method}
        )
    desk.box.dispatch_event("compositionend")
    assert desk.sent == []
    desk.box.press("Enter")
    desk.settle()
    assert [body["messages"][0]["content"] for body in desk.sent] == ["かんご"]


def test_a_pasted_job_text_stays_as_it_is_and_is_counted(page: RecommenderPage) -> None:
    page.stub_chat(answer())
    text = "  Nurse\n\n\tward  4 — “nights”\n" + "duty " * 1_000
    page.box.fill(text)
    expect(page.page.locator("[data-counter]")).to_contain_text("of 32,000 characters")
    page.box.press("Enter")
    page.settle()
    assert page.sent[0]["messages"][0]["content"] == text
    more = page.page.get_by_role("button", name="Show all")
    more.click()
    expect(page.page.get_by_role("button", name="Show less")).to_have_attribute("aria-expanded", "true")
    assert page.overflow() == 0


def test_too_long_a_text_is_not_sent_and_nothing_is_cut(desk: RecommenderPage) -> None:
    desk.box.fill("x" * 32_001)
    expect(desk.page.locator("[data-counter]")).to_contain_text("shorten it by 1")
    expect(desk.box).to_have_attribute("aria-invalid", "true")
    desk.box.press("Enter")
    assert desk.sent == []
    assert len(desk.box.input_value()) == 32_001
    desk.box.fill("\N{GRINNING FACE}" * 32_000)  # characters, not halves of them
    expect(desk.send).not_to_have_attribute("aria-disabled", "true")


def test_the_limit_is_the_services(open_page: OpenPage, small_service: str) -> None:
    page = open_page(base_url=small_service).open()
    page.stub_chat(answer())
    page.box.fill("x" * 201)
    expect(page.page.locator("[data-counter]")).to_have_text("201 of 200 characters: shorten it by 1")
    page.box.press("Enter")
    assert page.sent == []
    page.box.fill("x" * 200)  # the near twin fits
    page.box.press("Enter")
    page.settle()
    assert len(page.sent) == 1


def test_blank_text_is_not_sent(desk: RecommenderPage) -> None:
    desk.box.fill(" \n ")
    desk.box.press("Enter")
    desk.send.click(force=True)
    assert desk.sent == []


def test_one_request_at_a_time(page: RecommenderPage) -> None:
    held = page.hold_chat()
    page.box.fill("Add SQL")
    for _ in range(4):
        page.box.press("Enter")
    page.box.fill("something else")
    page.send.dblclick(force=True)
    page.wait_until_held(held, 1)
    expect(page.log).to_have_attribute("aria-busy", "true")
    expect(page.page.locator("body")).to_have_attribute("data-state", "waiting")
    held[0].fulfill(json=answer("Done."))
    page.settle()
    assert len(page.sent) == len(held) == 1
    expect(page.turns).to_have_count(1)
    expect(page.box).to_have_value("something else")


def test_a_double_click_sends_once(desk: RecommenderPage) -> None:
    held = desk.hold_chat()
    desk.box.fill("Add SQL")
    desk.send.dblclick()
    desk.wait_until_held(held, 1)
    held[0].fulfill(json=answer("Done."))
    desk.settle()
    assert len(desk.sent) == 1


def test_cancel_gives_the_words_back(page: RecommenderPage) -> None:
    held = page.hold_chat()
    page.box.fill("A long thought")
    page.box.press("Enter")
    page.wait_until_held(held, 1)
    page.act("cancel").click()
    expect(page.box).to_have_value("A long thought")
    expect(page.box).to_be_focused()
    expect(page.turns).to_have_count(0)
    expect(page.log).to_have_attribute("aria-busy", "false")


def test_cancel_leaves_a_newer_draft_alone_and_can_be_taken_back(desk: RecommenderPage) -> None:
    held = desk.hold_chat()
    desk.box.fill("first")
    desk.box.press("Enter")
    desk.wait_until_held(held, 1)
    desk.box.fill("second")
    desk.act("cancel").click()
    expect(desk.box).to_have_value("second")
    expect(desk.turns).to_have_attribute("data-status", "cancelled")
    desk.act("retry").click()
    desk.wait_until_held(held, 2)
    held[1].fulfill(json=answer("Here."))
    desk.settle()
    expect(desk.replies).to_have_text("Here.")
    assert [body["messages"][-1]["content"] for body in desk.sent] == ["first", "first"]


def test_a_late_reply_does_not_reach_a_new_conversation(desk: RecommenderPage) -> None:
    held = desk.hold_chat()
    desk.box.fill("A")
    desk.box.press("Enter")
    desk.wait_until_held(held, 1)
    desk.act("restart").click()
    expect(desk.turns).to_have_count(0)
    desk.box.fill("B")
    desk.box.press("Enter")
    desk.wait_until_held(held, 2)
    held[1].fulfill(json=answer("To B.", [OPQ]))
    desk.settle()
    held[0].fulfill(json=answer("To A.", [SQL]))
    desk.page.wait_for_timeout(200)
    expect(desk.replies).to_have_text(["To B."])
    assert desk.names() == [OPQ["name"]]


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (
            422,
            {"title": "Request not understood", "detail": "messages[0].content: too long"},
            "messages[0].content: too long",
        ),
        (
            413,
            {"title": "Body too large", "detail": "The body may hold 1000000 bytes."},
            "too large for the service",
        ),
        (503, {"title": "Service Unavailable", "detail": ""}, "still starting or is busy"),
        (500, "<h1>no</h1>", "an error (500)"),
        (200, "not json", "cannot be read"),
        (200, {"other": 1}, "cannot be read"),
    ],
)
def test_a_failure_is_told_in_words_and_can_be_retried(
    page: RecommenderPage, status: int, body: object, words: str
) -> None:
    page.expected = [f"status of {status}"]

    def fail(route: Route) -> None:
        if isinstance(body, str):
            route.fulfill(status=status, body=body, content_type="text/html")
        else:
            route.fulfill(status=status, json=body, content_type="application/problem+json")

    page.page.route("**/chat", fail, times=1)
    page.box.fill(JAVA)
    page.box.press("Enter")
    expect(page.notice).to_contain_text(words)
    expect(page.notice).to_have_role("alert")
    expect(page.log).to_have_attribute("aria-busy", "false")
    expect(page.box).to_be_focused()
    page.box.fill("my next thought")
    page.act("retry").click()
    page.settle()
    expect(page.box).to_have_value("my next thought")
    expect(page.turns).to_have_count(1)
    assert page.sent[0] == page.sent[1]
    assert page.cards.count() > 0


def test_an_unreachable_service_is_said_plainly_until_it_is_back(page: RecommenderPage) -> None:
    page.expected = ["ERR_INTERNET_DISCONNECTED"]
    expect(page.offline).to_be_hidden()
    page.page.context.set_offline(True)
    expect(page.offline).to_be_visible()
    page.box.fill(JAVA)
    page.box.press("Enter")
    expect(page.notice).to_contain_text("The service cannot be reached")
    page.page.context.set_offline(False)
    expect(page.offline).to_be_hidden()
    page.act("retry").click()
    page.settle()
    assert page.cards.count() > 0


def test_a_new_message_takes_the_place_of_one_that_failed(desk: RecommenderPage) -> None:
    desk.expected = ["status of 500"]
    desk.page.route("**/chat", lambda route: route.fulfill(status=500, body=""), times=1)
    desk.say("lost")
    desk.box.fill(JAVA)
    desk.box.press("Enter")
    expect(desk.replies).to_have_count(1)
    assert desk.sent[1]["messages"] == [{"role": "user", "content": JAVA}]
    expect(desk.turns).to_have_count(1)


def test_undo_takes_the_last_turn_out_of_the_history(page: RecommenderPage) -> None:
    page.say(JAVA)
    before = page.names()
    page.say("Please add JavaScript.")
    assert page.names() != before
    page.act("undo").click()
    assert page.names() == before
    expect(page.turns).to_have_count(1)
    expect(page.box).to_have_value("Please add JavaScript.")
    page.say("Please add Docker.")
    assert len(page.sent[2]["messages"]) == 3


def test_start_over_and_think_better_of_it(page: RecommenderPage) -> None:
    page.say(JAVA)
    names = page.names()
    page.act("restart").click()
    expect(page.turns).to_have_count(0)
    expect(page.cards).to_have_count(0)
    expect(page.box).to_be_focused()
    page.act("restore").click()
    expect(page.turns).to_have_count(1)
    assert page.names() == names


def test_a_reload_keeps_the_conversation_and_the_draft(page: RecommenderPage) -> None:
    page.say(JAVA)
    names = page.names()
    page.box.fill("half a tho")
    page.reload()
    page.settle()
    assert page.names() == names
    expect(page.replies).to_have_count(1)
    expect(page.box).to_have_value("half a tho")
    assert len(page.sent) == 1
    expect(page.card("SQL (New)").get_by_role("link")).to_be_visible()


def test_undo_after_a_reload_shows_the_facts_of_the_earlier_list(desk: RecommenderPage) -> None:
    desk.stub_chat(answer("One.", [SQL]), answer("Two.", [OPQ]))
    desk.say("one")
    desk.say("two")
    desk.reload()
    desk.settle()
    desk.act("undo").click()
    desk.settle()
    expect(desk.card(SQL["name"]).get_by_role("link")).to_be_visible()


def test_a_reload_while_waiting_asks_whether_to_try_again(desk: RecommenderPage) -> None:
    held = desk.hold_chat()
    desk.box.fill(JAVA)
    desk.box.press("Enter")
    desk.wait_until_held(held, 1)
    desk.reload()
    desk.page.unroute("**/chat")  # not before: what is held would go out
    expect(desk.notice).to_contain_text("reloaded before the reply")
    assert len(desk.sent) == 1
    desk.act("retry").click()
    desk.settle()
    expect(desk.replies).to_have_count(1)


def test_each_tab_has_its_own_conversation(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    other = desk.page.context.new_page()
    other.goto("/")
    expect(other.locator("[data-welcome]")).to_be_visible()


@pytest.mark.parametrize("kept", ["{", "null", '"x"', '[null, {"text": 1}]', '{"turns": 1}'])
def test_a_broken_store_is_ignored(desk: RecommenderPage, kept: str) -> None:
    desk.page.evaluate("kept => sessionStorage.setItem('recommender.turns', kept)", kept)
    desk.reload()
    expect(desk.page.locator("[data-welcome]")).to_be_visible()


def test_the_end_is_marked(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    desk.say("Perfect, that is what we will use. Thank you!")
    last = desk.page.locator("[data-message=assistant]").last
    expect(last).to_have_attribute("data-ends", "true")
    expect(last).to_contain_text("The list is settled")


def test_a_reply_below_the_fold_is_offered_not_forced(desk: RecommenderPage) -> None:
    desk.stub_chat(answer("line\n" * 60))
    desk.say("one")
    desk.say("two")
    held = desk.hold_chat()
    desk.box.fill("three")
    desk.box.press("Enter")
    desk.wait_until_held(held, 1)
    desk.log.evaluate("log => log.scrollTo(0, 0)")
    desk.page.wait_for_timeout(50)
    held[0].fulfill(json=answer("line\n" * 60))
    expect(desk.act("newer")).to_be_visible()
    assert desk.log.evaluate("log => log.scrollTop") == 0
    desk.act("newer").click()
    expect(desk.act("newer")).to_be_hidden()
    assert desk.log.evaluate("log => log.scrollTop") > 0
