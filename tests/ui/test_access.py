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
    for dialog in ("compare", "why", "add"):
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
    desk.page.evaluate(
        """(() => {
            window.said = [];
            const region = document.querySelector("[data-announce]");
            new MutationObserver(() => region.textContent && window.said.push(region.textContent))
                .observe(region, { childList: true, characterData: true, subtree: true });
        })()"""
    )
    desk.say(JAVA)
    desk.say("Please add JavaScript.")
    said = desk.page.evaluate("window.said")
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
    for _ in range(60):
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
    assert {"send", "add", "compare", "why", "tick", "remove", "csv", "json", "markdown", "print"} <= seen
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
