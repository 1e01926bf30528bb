"""The list: cards, changes, adding and removing in words, comparing, explaining, exporting, printing."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, expect

from tests.ui.pages import JAVA, OPQ, PREFIX, SQL, RecommenderPage, answer

GRADUATES = "Graduate finance trainees for selection, in English."


def fact(card: Locator, hook: str) -> Locator:
    return card.locator(f"[data-fact={hook}]")


def test_a_card_tells_everything(page: RecommenderPage, service: str) -> None:
    page.say(JAVA)
    for name in page.names():
        card = page.card(name)
        record = httpx.get(f"{service}/assessments/{card.get_attribute('data-card')}", trust_env=False).json()
        link = card.get_by_role("link")
        assert link.get_attribute("href") == record["url"] == card.get_attribute("data-url")
        assert link.get_attribute("rel") == "noopener noreferrer"
        expect(link).to_contain_text(f"{name} (opens in a new tab)")
        for letter, words in zip(record["test_type"].split(","), record["types"], strict=True):
            expect(card.locator(f"[data-kind={letter}]")).to_have_text(f"{letter} {words}")
        if record["minutes"]:
            expect(fact(card, "time")).to_contain_text(str(record["minutes"]))
        expect(fact(card, "adaptive")).to_have_text("yes" if record["adaptive"] else "no")
        expect(fact(card, "form")).to_have_text("Sat by people")
        expect(card.locator("[data-purpose]")).to_have_text(record["summary"])
        expect(card.locator("[data-reason]")).to_contain_text("Why it is here")
        for language in record["languages"]:
            expect(fact(card, "languages")).to_contain_text(language)


def test_the_total_is_the_services(desk: RecommenderPage, service: str) -> None:
    desk.say(f"{JAVA} Snowflake too.")
    explained = httpx.post(f"{service}/chat/explain", json=desk.sent[0], trust_env=False).json()[
        "explanation"
    ]
    expect(desk.page.locator("[data-total]")).to_contain_text(f"{explained['minutes_total']} min in total")


def test_what_is_not_covered_is_said_with_what_comes_nearest(page: RecommenderPage) -> None:
    page.say("Please put together a list for a mid-level Snowflake data engineer; just go ahead.")
    if not page.cards.count():  # it asks first whether something near will do
        page.say("Go ahead with the nearest.")
    gaps = page.page.locator("[data-gaps]")
    expect(gaps).to_contain_text("Snowflake")
    expect(gaps.get_by_role("link").first).to_have_attribute("href", f"{PREFIX}/sql-new/")


def test_reports_are_told_from_what_is_sat(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    desk.say("Please add OPQ Premium Plus Report.")
    card = desk.card("OPQ Premium Plus Report")
    expect(fact(card, "form")).to_have_text("Report")
    expect(fact(card, "time")).to_have_text("No testing time")


def test_remove_and_add_back_are_sentences(page: RecommenderPage) -> None:
    page.say(JAVA)
    before = page.names()
    name = "SQL (New)"
    page.page.get_by_role("button", name=f"Remove {name}", exact=True).click()
    expect(page.turns).to_have_count(2)
    page.settle()
    assert page.sent[1]["messages"][-1]["content"] == f'Please remove "{name}".'
    assert page.names() == [one for one in before if one != name]
    expect(page.page.locator(f'[data-dropped="{name}"]')).to_contain_text("Dropped")
    expect(page.page.locator("[data-changes]")).to_contain_text(f"1 dropped, {len(before) - 1} kept")
    page.page.get_by_role("button", name=f"Add {name} back").click()
    expect(page.turns).to_have_count(3)
    page.settle()
    expect(page.card(name)).to_have_attribute("data-change", "added")
    expect(page.card(before[0])).to_have_attribute("data-change", "kept")


def test_add_searches_the_catalogue(page: RecommenderPage) -> None:
    page.say(JAVA)
    page.act("add").click()
    dialog = page.dialog("add")
    expect(dialog.get_by_label("Search the catalogue")).to_be_focused()
    page.page.keyboard.type("docker")
    expect(dialog.locator("[data-result]").first).to_contain_text("Docker")
    dialog.get_by_role("button", name="Add Docker (New)", exact=True).click()
    expect(dialog).to_be_hidden()
    page.settle()
    assert page.sent[1]["messages"][-1]["content"] == 'Please add "Docker (New)".'
    expect(page.card("Docker (New)")).to_have_attribute("data-change", "added")


def test_add_knows_what_is_on_the_list_and_what_finds_nothing(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    desk.act("add").click()
    desk.page.keyboard.type("SQL (New)")
    expect(desk.page.locator("[data-result=sql-new]")).to_contain_text("On the list")
    desk.page.route("**/assessments?*", lambda route: route.abort())
    desk.expected = ["ERR_FAILED"]
    desk.page.keyboard.type(" x")
    expect(desk.page.locator("[data-found]")).to_contain_text("cannot be reached")


def test_adding_to_a_full_list_is_warned_of_before(page: RecommenderPage) -> None:
    page.say(JAVA)
    for name in ("Docker (New)", "JavaScript (New)", "Python (New)", "HTML/CSS (New)"):
        if page.cards.count() == 9:
            page.act("add").click()  # the near twin: there is room for one more
            search = page.dialog("add").get_by_label("Search the catalogue")
            expect(page.page.locator("[data-full]")).to_be_hidden()
            expect(search).to_have_accessible_description("")
            page.page.keyboard.press("Escape")
        page.say(f'Please add "{name}".')
    expect(page.cards).to_have_count(10)
    before = page.names()
    page.act("add").click()
    warning = page.page.locator("[data-full]")
    expect(warning).to_contain_text("The list holds 10, the most there can be.")
    search = page.dialog("add").get_by_label("Search the catalogue")
    expect(search).to_be_focused()
    expect(search).to_have_accessible_description(warning.inner_text())  # read out with the focus
    search.fill("kubernetes")
    add = page.dialog("add").get_by_role("button", name="Add Kubernetes (New)", exact=True)
    expect(add).to_have_accessible_description(warning.inner_text())
    assert page.violations() == []
    add.click()
    expect(page.turns).to_have_count(6)
    page.settle()
    gone = set(before) - set(page.names())
    assert len(gone) == 1
    assert "Kubernetes (New)" in page.names()
    expect(page.replies.last).to_contain_text(f"left out: {gone.pop()}")  # as the warning says


def test_a_reply_without_a_list_leaves_the_list_standing_and_says_so(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    names = desk.names()
    desk.say("Is it lawful to reject applicants over fifty in Texas?")
    expect(desk.page.locator("[data-message=assistant]").last).to_have_attribute("data-count", "0")
    expect(desk.page.locator("[data-older]")).to_be_visible()
    assert desk.names() == names


def test_removing_the_last_entry_empties_the_list_and_can_be_undone(page: RecommenderPage) -> None:
    page.say("Just SQL (New) and nothing else.")
    assert page.names() == ["SQL (New)"]
    page.page.get_by_role("button", name="Remove SQL (New)", exact=True).click()
    expect(page.turns).to_have_count(2)
    page.settle()
    assert page.names() == []
    expect(page.shortlist).to_have_attribute("data-count", "0")
    expect(page.page.locator("[data-emptied]")).to_contain_text("The list is empty.")
    expect(page.page.locator('[data-dropped="SQL (New)"]')).to_contain_text("Dropped")
    assert page.violations() == []
    page.say("Is it lawful to reject applicants over fifty in Texas?")  # no list: the empty one stands
    expect(page.page.locator("[data-emptied]")).to_be_visible()
    expect(page.act("refill")).to_have_count(0)
    page.act("undo").click()
    page.act("refill").click()
    assert page.names() == ["SQL (New)"]
    expect(page.turns).to_have_count(1)
    page.page.get_by_role("button", name="Remove SQL (New)", exact=True).click()
    expect(page.page.locator("[data-emptied]")).to_be_visible()
    page.settle()
    page.page.get_by_role("button", name="Add SQL (New) back").click()
    expect(page.card("SQL (New)")).to_have_attribute("data-change", "added")


def test_a_question_in_return_keeps_the_earlier_list(desk: RecommenderPage) -> None:
    question = "Which level do you hire for?"
    desk.stub_chat(answer("Here.", [SQL, OPQ]), answer(question))
    desk.say("one")
    desk.say("two")
    assert desk.names() == [SQL["name"], OPQ["name"]]
    expect(desk.page.locator("[data-older]")).to_be_visible()
    expect(desk.page.locator("[data-emptied]")).to_have_count(0)


def test_compare_up_to_four_in_a_real_table(page: RecommenderPage) -> None:
    page.say(JAVA)
    compare = page.act("compare")
    compare.click(force=True)
    expect(page.dialog("compare")).to_be_hidden()
    ticks = page.act("tick")
    for place in range(4):
        ticks.nth(place).check()
    fifth = ticks.nth(4)
    expect(fifth).to_have_attribute("aria-disabled", "true")
    fifth.click(force=True)
    expect(fifth).not_to_be_checked()
    compare.click()
    names = page.names()[:4]
    table = page.page.get_by_role("table", name="Comparison of")
    assert [
        head.inner_text().partition("\n(opens")[0] for head in table.get_by_role("columnheader").all()
    ] == names
    heads = [head.inner_text().split("\n")[0] for head in table.get_by_role("rowheader").all()]
    assert heads == [
        "Kind of test",
        "Time",
        "Form",
        "Job levels",
        "Languages",
        "Adaptive",
        "Remote",
        "What it is for",
    ]
    expect(table.locator("tr", has_text="Time")).to_contain_text("differs")
    expect(page.page.locator("[data-differences]")).to_contain_text("longer than")
    assert page.overflow() == 0
    page.page.keyboard.press("Escape")
    expect(compare).to_be_focused()


def test_differences_are_told_in_words(desk: RecommenderPage) -> None:
    desk.stub_chat(
        answer(
            "Here.",
            [
                SQL,
                OPQ,
                {
                    "name": "SHL Verify Interactive G+",
                    "url": f"{PREFIX}/shl-verify-interactive-g/",
                    "test_type": "A",
                },
            ],
        )
    )
    desk.say("x")
    for place in range(3):
        desk.act("tick").nth(place).check()
    desk.act("compare").click()
    words = desk.page.locator("[data-differences]").inner_text()
    assert "SHL Verify Interactive G+ takes 27 min longer than SQL (New) (36 against 9)." in words
    assert "Only SQL (New) has the kind of test K Knowledge & Skills." in words
    assert "Adaptive: SHL Verify Interactive G+; the others are not." in words
    assert "The same for all: " in words


def test_why_this_list_in_plain_words(page: RecommenderPage) -> None:
    page.say(f"{JAVA} Not more than 80 minutes in total.")
    page.act("why").click()
    dialog = page.dialog("why")
    expect(dialog.get_by_role("heading", name="Why this list")).to_be_visible()
    expect(dialog.locator("[data-part=understood]")).to_contain_text("Java developer")
    expect(dialog.locator("[data-part=understood]")).to_contain_text("at most 80 min")
    expect(dialog.locator("[data-part=act]")).to_contain_text("The reason:")
    for name in page.names():
        expect(dialog.locator("[data-part=picks]")).to_contain_text(name)
    assert "_" not in dialog.inner_text()
    dialog.get_by_role("button", name="Close").click()
    expect(page.act("why")).to_be_focused()


def test_why_this_question(desk: RecommenderPage) -> None:
    desk.say("I need an assessment.")
    desk.act("why-reply").click()
    expect(desk.dialog("why")).to_contain_text("It asked a question before suggesting anything.")


def test_the_list_is_complete_without_the_account(desk: RecommenderPage) -> None:
    desk.expected = ["status of 500"]
    desk.page.route("**/chat/explain", lambda route: route.fulfill(status=500, body=""))
    desk.say(JAVA)
    assert desk.cards.count() > 0
    expect(fact(desk.card("SQL (New)"), "form")).to_have_text("not stated")
    desk.act("why").click()
    expect(desk.dialog("why")).to_contain_text("gave no account")


# --- exports -------------------------------------------------------------------------------------------


def saved(page: RecommenderPage, kind: str, folder: Path) -> str:
    with page.page.expect_download() as download:
        page.page.locator(f"[data-export={kind}]").click()
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    return target.read_bytes().decode("utf-8")


def test_csv_holds_every_fact(page: RecommenderPage, tmp_path: Path) -> None:
    page.say(JAVA)
    text = saved(page, "csv", tmp_path)
    assert text.startswith("\ufeff")
    assert text.count("\r\n") == len(page.names()) + 1
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))
    assert [row["Name"] for row in rows] == page.names()
    sql = next(row for row in rows if row["Name"] == "SQL (New)")
    assert (sql["Minutes"], sql["Kinds"], sql["Address"]) == ("9", "K Knowledge & Skills", SQL["url"])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", " ="])
def test_csv_cells_are_never_formulas(desk: RecommenderPage, tmp_path: Path, start: str) -> None:
    name = f'{start}HYPERLINK("x","y"),\nz'
    desk.stub_chat(answer("Here.", [{**SQL, "name": name}]))
    desk.say("x")
    text = saved(desk, "csv", tmp_path).removeprefix("\ufeff")
    (row,) = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    assert row["Name"] == f"'{name}"


def test_json_holds_the_list_and_the_conversation(desk: RecommenderPage, tmp_path: Path) -> None:
    desk.say(JAVA)
    kept = json.loads(saved(desk, "json", tmp_path))
    assert [one["name"] for one in kept["shortlist"]] == desk.names()
    assert kept["shortlist"][0]["minutes"] > 0
    assert kept["minutes_total"] > 0
    assert [message["role"] for message in kept["messages"]] == ["user", "assistant"]


def test_markdown_goes_to_the_clipboard(page: RecommenderPage) -> None:
    page.say(JAVA)
    page.page.locator("[data-export=markdown]").click()
    expect(page.page.locator("[data-toast]")).to_have_text("Copied as Markdown.")
    text = page.page.evaluate("navigator.clipboard.readText()")
    assert f"| [SQL \\(New\\)]({SQL['url']}) | K Knowledge & Skills | 9 min |" in text
    assert "min in total." in text


def test_markdown_cannot_be_broken_out_of(desk: RecommenderPage) -> None:
    desk.stub_chat(
        answer(
            "Here.",
            [{**SQL, "name": "a](https://evil.example)|<img src=x>\n# b", "url": "https://evil.example/"}],
        )
    )
    desk.say("x")
    desk.page.locator("[data-export=markdown]").click()
    expect(desk.page.locator("[data-toast]")).to_have_text("Copied as Markdown.")
    text = desk.page.evaluate("navigator.clipboard.readText()")
    assert "| 1 | a\\]\\(https://evil.example\\)\\|\\<img src=x\\> \\# b | K |" in text


def test_the_link_of_an_entry_can_be_copied(page: RecommenderPage) -> None:
    page.say(JAVA)
    page.page.get_by_role("button", name="Copy link to SQL (New)", exact=True).click()
    expect(page.page.locator("[data-toast]")).to_have_text("Link to SQL (New) copied.")
    assert page.page.evaluate("navigator.clipboard.readText()") == SQL["url"]


def test_an_address_the_catalogue_does_not_give_cannot_be_copied(desk: RecommenderPage) -> None:
    desk.expected = ["status of 404"]
    desk.stub_chat(answer(items=[{**SQL, "url": "https://example.org/view/sql-new/"}]))
    desk.say("one")
    expect(desk.cards).to_have_count(1)
    expect(desk.act("copy-link")).to_have_count(0)


def test_without_a_clipboard_the_markdown_is_saved(desk: RecommenderPage, tmp_path: Path) -> None:
    desk.say(JAVA)
    desk.page.evaluate("(() => { navigator.clipboard.writeText = () => Promise.reject(new Error()) })()")
    assert "## Assessment shortlist" in saved(desk, "markdown", tmp_path)


def test_the_printed_sheet_holds_the_list_and_no_controls(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    calls = desk.page.evaluate("window.calls = 0; window.print = () => { window.calls += 1 }; 0")
    desk.page.locator("[data-export=print]").click()
    assert desk.page.evaluate("window.calls") == calls + 1
    desk.page.emulate_media(media="print", color_scheme="dark")
    expect(desk.log).to_be_hidden()
    for control in ("[data-action=remove]", "[data-export=csv]", "[data-action=tick]", "[data-composer]"):
        expect(desk.page.locator(control).first).to_be_hidden()
    expect(desk.page.locator(".sheet-line")).to_contain_text("For: Java developer")
    expect(desk.card("SQL (New)").locator(".address")).to_have_text(SQL["url"])
    languages = fact(desk.card(OPQ["name"]), "languages").inner_text()
    assert " more" not in languages
    assert languages.count(", ") > 30
    assert desk.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert desk.page.evaluate("getComputedStyle(document.querySelector('.card h3')).color") == "rgb(0, 0, 0)"


def test_entries_out_of_sight_are_laid_out_later_but_always_on_paper(desk: RecommenderPage) -> None:
    desk.say(JAVA)
    visibility = "cards => cards.map(card => getComputedStyle(card).contentVisibility)"
    on_screen = desk.cards.evaluate_all(visibility)
    assert on_screen[:4] == ["visible"] * 4
    assert set(on_screen[4:]) == {"auto"}
    expect(desk.cards.last.get_by_role("link")).to_have_count(1)  # there for a screen reader
    desk.page.emulate_media(media="print")
    assert set(desk.cards.evaluate_all(visibility)) == {"visible"}
