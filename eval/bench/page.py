"""The recruiter's page in a real browser: what it loads, when it can be used, how soon a list is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from eval.bench.records import MeasurementError
from eval.browser import NoBrowserError, launch

LOADS = 7
NEED = "Hiring a mid-level Java developer who also writes SQL"

_WATCH = """
new MutationObserver(() => {
    const cards = document.querySelector("[data-card]");
    if (!cards || window.drawnAt) return;
    window.drawnAt = -1;
    requestAnimationFrame(() => setTimeout(() => { window.drawnAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""
_LOADED = """
() => {
    const page = performance.getEntriesByType("navigation")[0];
    const parts = performance.getEntriesByType("resource");
    const bytes = parts.reduce((sum, part) => sum + part.transferSize, page.transferSize);
    return [bytes / 1000, page.domContentLoadedEventEnd / 1000];
}
"""
_DRAWN = """
() => window.drawnAt - performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/chat")).responseEnd
"""


@dataclass(frozen=True, slots=True)
class PageLoads:
    """Fresh visits, nothing cached."""

    kilobytes: tuple[float, ...]
    interactive_s: tuple[float, ...]
    """From the start of the visit until every module has run."""
    drawn_ms: tuple[float, ...]
    """From the end of the answer of /chat to the frame with the cards."""


def visit(address: str) -> PageLoads:
    """Open the page a few times and take one turn each time.

    Raises:
        MeasurementError: there is no browser.
    """
    from playwright.sync_api import sync_playwright  # a development tool; the other measurements do without

    visits = []
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except NoBrowserError as exc:
            raise MeasurementError(str(exc)) from exc
        for _ in range(LOADS):
            page = browser.new_page()
            page.add_init_script(_WATCH)
            page.goto(address)
            kilobytes, interactive_s = page.evaluate(_LOADED)
            page.get_by_label("Your message").fill(NEED)
            page.keyboard.press("Enter")
            page.locator("[data-card]").first.wait_for()
            page.locator("[data-shortlist][aria-busy=false]").wait_for()
            visits.append((kilobytes, interactive_s, page.evaluate(_DRAWN)))
            page.close()
        browser.close()
    return PageLoads(*zip(*visits, strict=True))
