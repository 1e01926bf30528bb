"""For everybody: screen readers, keyboards, zoom, both themes, small windows."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import SIZES, OpenPage
from tests.ui.pages import JAVA, OPQ, PREFIX, SQL, RecommenderPage, answer

LONG = {"name": f"Long {'name ' * 8}{'x' * 60}", "url": f"{PREFIX}/{'y' * 120}/", "test_type": "K,S,P,A"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_no_rule_is_broken_in_any_state(open_page: OpenPage, size: str, scheme: str) -> None:
    page = open_page(size, color_scheme=scheme, reduced_motion="reduce").open()
    assert page.violations() == []  # empty
    page.say(f"{JAVA} Also Snowflake and Kubernetes.")
    page.say("Drop the personality questionnaire and add JavaScript.")
    assert page.violations() == []  # list with changes
    page.act("tick").nth(0).check()
    page.act("tick").nth(1).check()
    for dialog in ("compare", "why", "add", "keys"):
        page.act(dialog).click()
        expect(page.dialog(dialog)).to_be_visible()
        if dialog == "add":
            page.page.keyboard.type("excel")
            page.page.locator("[data-result]").first.wait_for()
        assert page.violations() == []
        page.dialog(dialog).get_by_role("button", name="Close").click()
    held = page.hold_chat()
    page.box.fill("x" * 32_001)
    assert page.violations() == []  # too long
    page.box.fill("and now")
    page.box.press("Enter")
    page.wait_until_held(held, 1)
    assert page.violations() == []  # waiting
    page.expected = ["ERR_FAILED"]
    held[0].abort()
    expect(page.notice).to_be_visible()
    expect(page.offline).to_be_visible()
    assert page.violations() == []  # failed and offline


def test_one_polite_announcement_a_reply(desk: RecommenderPage) -> None:
    desk.note_announcements()
    desk.say(JAVA)
    desk.say("Please add JavaScript.")
    said = desk.announcements()
    assert len(said) == 2
    assert said[0].startswith("Here is what I would use")
    assert said[1].endswith("1 added, 6 kept.")
    expect(desk.announcer).to_have_attribute("aria-live", "polite")
    expect(desk.log).to_have_attribute("aria-live", "off")  # the log itself is not read out as well


def test_focus_is_never_taken(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    held = desk.hold_chat()
    remove = desk.page.get_by_role("button", name="Remove SQL (New)", exact=True)
    remove.focus()
    desk.page.keyboard.press("Enter")
    desk.wait_until_held(held, 1)
    expect(remove).to_be_focused()
    held[0].fulfill(json=answer("Here.", [SQL, OPQ]))
    desk.settle()
    expect(remove).to_be_focused()  # drawn anew under the focus
    desk.page.keyboard.press("Enter")
    desk.wait_until_held(held, 2)
    held[1].fulfill(json=answer("Here.", [OPQ]))
    desk.settle()
    expect(desk.shortlist).to_be_focused()  # its card is gone: the list takes over


def test_everything_by_keyboard_with_visible_focus(desk: RecommenderPage) -> None:
    keyboard = desk.page.keyboard
    keyboard.press("Tab")
    expect(desk.page.get_by_role("link", name="Skip to the message box")).to_be_focused()
    keyboard.press("Enter")
    expect(desk.box).to_be_focused()
    keyboard.type(JAVA)
    keyboard.press("Enter")
    expect(desk.replies).to_have_count(1)
    desk.settle()
    seen = set()
    for _ in range(70):
        keyboard.press("Tab")
        focused = desk.page.evaluate(
            """(() => {
                const one = document.activeElement;
                const style = getComputedStyle(one);
                return {
                    key: one.dataset.action ?? one.dataset.export ?? one.tagName,
                    visible: style.outlineStyle !== "none" || !!one.closest(".box"),
                    body: one === document.body,
                };
            })()"""
        )
        assert focused["visible"] or focused["body"], focused
        seen.add(focused["key"])
    assert {
        "send",
        "add",
        "compare",
        "why",
        "tick",
        "copy-link",
        "remove",
        "csv",
        "json",
        "markdown",
        "print",
    } <= seen
    desk.act("tick").nth(0).focus()
    keyboard.press("Space")
    expect(desk.act("tick").nth(0)).to_be_focused()
    desk.act("tick").nth(1).focus()
    keyboard.press("Space")
    desk.act("compare").focus()
    keyboard.press("Enter")
    expect(desk.dialog("compare")).to_be_visible()
    keyboard.press("Escape")
    expect(desk.act("compare")).to_be_focused()
    desk.act("add").focus()
    keyboard.press("Enter")
    keyboard.type("docker")
    desk.page.locator("[data-result]").first.wait_for()
    for _ in range(4):
        keyboard.press("Tab")
        if desk.page.evaluate("document.activeElement.dataset.action") == "choose":
            break
    keyboard.press("Enter")
    expect(desk.turns).to_have_count(2)
    desk.settle()
    expect(desk.act("add")).to_be_focused()
    expect(desk.card("Docker (New)")).to_be_visible()


@pytest.mark.parametrize(
    "viewport", [(360, 740), (320, 640), (640, 400), (991, 700), (992, 700), (1280, 800)]
)
def test_no_width_scrolls_sideways(open_page: OpenPage, viewport: tuple[int, int]) -> None:
    """640 by 400 is 1280 by 800 at 200 % zoom."""
    page = open_page(viewport={"width": viewport[0], "height": viewport[1]}).open()
    assert page.overflow() == 0
    items = [SQL, OPQ, *({**LONG, "name": f"{number} {LONG['name']}"} for number in range(8))]
    page.expected = ["status of 404"]
    page.stub_chat(answer(f"{'word ' * 60}{'z' * 300}\n| a | b | c | d | e | f |", items))
    page.say("q" * 300)
    assert page.overflow() == 0
    page.act("tick").nth(0).check()
    page.act("tick").nth(1).check()
    page.act("compare").click()
    assert page.overflow() == 0
    box = page.dialog("compare").bounding_box()
    assert box
    assert box["width"] <= viewport[0]


IN_VIEW = """element => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
}"""


@pytest.mark.parametrize("viewport", [(640, 400), (320, 256), (1280, 400), (360, 740)])
def test_the_text_box_stays_in_view_after_a_reply(open_page: OpenPage, viewport: tuple[int, int]) -> None:
    """1280 by 800 at 200 %, 1280 by 1024 at 400 %, a low window, a phone."""
    page = open_page(viewport={"width": viewport[0], "height": viewport[1]}).open()
    page.stub_chat(answer("line\n" * 40))
    page.say("one")
    for _ in range(2):
        assert page.box.evaluate(IN_VIEW)
        assert page.send.evaluate(IN_VIEW)
        page.box.fill("more\n" * 30)  # a long draft may not push its own button out
    composer = page.page.locator("[data-composer]")
    assert page.height(composer) < viewport[1] * 0.6  # and leaves room to read
    assert page.overflow() == 0


def test_a_phone_leads_from_the_list_back_to_the_text_box(open_page: OpenPage) -> None:
    page = open_page("phone").open()
    page.say(JAVA)
    page.page.locator("[data-jump]").click()
    expect(page.box).not_to_be_in_viewport()
    page.page.get_by_role("link", name="Back to the message box").click()
    expect(page.box).to_be_focused()
    expect(page.box).to_be_in_viewport()


def test_escape_and_arrows_move_through_the_conversation(desk: RecommenderPage) -> None:
    keyboard = desk.page.keyboard
    desk.stub_chat(answer("Done."))
    for text in ("one", "two", "three"):
        desk.say(text)
    messages = desk.page.locator("[data-message]")
    desk.log.focus()
    for key, place in (
        ("ArrowUp", 5),
        ("ArrowUp", 4),
        ("ArrowDown", 5),
        ("ArrowDown", 5),
        ("Home", 0),
        ("ArrowUp", 0),
        ("End", 5),
    ):
        keyboard.press(key)
        expect(messages.nth(place)).to_be_focused()
    keyboard.press("Tab")
    expect(desk.page.get_by_role("button", name="Why this reply").last).to_be_focused()
    keyboard.press("ArrowUp")
    expect(messages.nth(4)).to_be_focused()
    keyboard.press("Escape")
    expect(desk.box).to_be_focused()
    desk.act("keys").click()
    expect(desk.dialog("keys")).to_contain_text("Back to the text box")
    keyboard.press("Escape")  # closes the dialog and no more
    expect(desk.dialog("keys")).to_be_hidden()
    expect(desk.act("keys")).to_be_focused()


def test_no_key_is_taken_from_the_text_box_or_an_input_method(desk: RecommenderPage) -> None:
    desk.stub_chat(answer("Done."))
    desk.say("one")
    desk.box.fill("first\nsecond")
    for key in ("ArrowUp", "Home"):
        desk.box.press(key)
        expect(desk.box).to_be_focused()
    desk.box.press_sequentially("?x")
    expect(desk.box).to_have_value("?xfirst\nsecond")
    expect(desk.dialog("keys")).to_be_hidden()
    desk.log.focus()
    for options in ({"isComposing": True}, {"keyCode": 229}, {"ctrlKey": True}, {"altKey": True}):
        for key in ("ArrowUp", "Escape"):
            desk.log.dispatch_event("keydown", {"key": key, "bubbles": True, "cancelable": True, **options})
            expect(desk.log).to_be_focused()


@pytest.mark.parametrize("size", SIZES)
def test_page_keys_scroll_the_conversation_from_an_empty_box(open_page: OpenPage, size: str) -> None:
    page = open_page(size).open()
    page.stub_chat(answer("line\n" * 80))
    page.say("one")
    scrolled = "Math.round(document.querySelector('[data-log]').scrollTop + scrollY)"
    start = page.page.evaluate(scrolled)
    page.box.press("PageDown")
    end = page.page.evaluate(scrolled)
    assert end > start + 100
    page.box.press("PageUp")
    assert page.page.evaluate(scrolled) < end - 100
    page.box.press("PageDown")
    assert page.page.evaluate(scrolled) == end
    expect(page.box).to_be_focused()
    page.box.fill("a draft")  # the near twin: the keys are the text box's own
    before = page.page.evaluate(scrolled)
    taken = page.box.evaluate(
        """box => !box.dispatchEvent(new KeyboardEvent("keydown", { key: "PageUp", bubbles: true, cancelable: true }))"""
    )
    assert not taken
    assert page.page.evaluate(scrolled) == before


def test_turns_are_counted_and_announced_only_near_the_end(
    open_page: OpenPage, small_service: str, desk: RecommenderPage
) -> None:
    desk.stub_chat(answer("Done."))
    desk.note_announcements()
    desk.say("one")
    expect(desk.turn_count).to_have_text("Turn 1 of 32")
    assert desk.announcements() == ["Done."]
    page = open_page(base_url=small_service).open()
    page.stub_chat(answer("Done.", [SQL]))
    page.note_announcements()
    expect(page.turn_count).to_have_text("")
    for number in range(1, 5):
        page.say("one")
        expect(page.turn_count).to_have_text(f"Turn {number} of 4")
    said = page.announcements()
    assert ["Turn" in words for words in said] == [False, True, True, True]
    assert said[-1].endswith("Turn 4 of 4.")
    page.box.fill("one more")
    page.box.press("Enter")
    assert len(page.sent) == 4
    expect(page.page.locator("[data-counter]")).to_contain_text("all the turns it can have")
    expect(page.act("remove")).to_have_attribute("aria-disabled", "true")
    page.act("undo").click()
    expect(page.send).not_to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize("width", [360, 390])
def test_a_phone_has_its_header_in_one_row(open_page: OpenPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 740}).open()
    assert page.height(page.page.locator(".top")) < 70
    page.say(JAVA)
    page.act("tick").nth(0).check()
    page.act("tick").nth(1).check()
    page.act("compare").click()
    table = page.dialog("compare").locator(".scroll")
    assert table.evaluate("one => one.scrollWidth - one.clientWidth") == 0  # two entries fit side by side


def test_text_at_twice_the_size_stays_in_the_window(open_page: OpenPage) -> None:
    page = open_page("phone").open()
    page.say(JAVA)
    page.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.overflow() == 0


def test_the_theme_follows_the_system_until_chosen(open_page: OpenPage) -> None:
    page = open_page(color_scheme="dark").open()
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.page.evaluate(ground)
    page.page.emulate_media(color_scheme="light")
    light = page.page.evaluate(ground)
    assert dark != light
    page.act("theme").click()
    assert page.page.evaluate(ground) == dark
    page.reload()
    assert page.page.evaluate(ground) == dark
    expect(page.act("theme")).to_have_accessible_name("Use the light theme")


def test_touch_targets_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("phone").open()
    page.say(JAVA)
    small = page.page.evaluate(
        """[...document.querySelectorAll("main button:not(.link), .tick")]
            .filter((one) => one.offsetParent && one.getBoundingClientRect().height < 44)
            .map((one) => one.textContent)"""
    )
    assert small == []


def test_nothing_moves_when_motion_is_unwelcome(open_page: OpenPage) -> None:
    page = open_page(reduced_motion="reduce").open()
    page.hold_chat()
    page.box.fill("x")
    page.box.press("Enter")
    page.page.locator("[data-pending]").wait_for()
    assert page.page.evaluate("document.getAnimations().length") == 0
