"""Take the pictures of the recruiter's page that the README shows, from the real service.

Run: python -m scripts.screenshots [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from eval.bench.server import HOST, ROOT, serving
from eval.browser import launch

FOLDER = ROOT / "docs" / "screenshots"
NEED = "We are hiring a mid-level Java developer who also writes a lot of SQL."
CHANGE = "Drop the personality questionnaire and add JavaScript."
DESK = ViewportSize(width=1360, height=860)
PHONE = ViewportSize(width=390, height=844)


def say(page: Page, text: str) -> None:
    """One turn, until its reply and the facts of its list are there."""
    turns = page.locator("[data-message=assistant]").count()
    page.get_by_label("Your message").fill(text)
    page.keyboard.press("Enter")
    page.locator("[data-message=assistant]").nth(turns).wait_for()
    page.locator("[data-shortlist][aria-busy=false]").wait_for()


def take(page: Page, folder: Path, name: str) -> None:
    """One picture."""
    page.screenshot(path=folder / f"{name}.png")
    print(f"{name}.png")


def main(folder: Path) -> None:
    """All pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with serving(Path(sys.executable)) as server, sync_playwright() as playwright:
        server.wait_for_health()
        server.wait_for_dense()
        browser = launch(playwright)
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=DESK, color_scheme=scheme, reduced_motion="reduce")
            page.goto(f"http://{HOST}:{server.port}/")
            say(page, NEED)
            say(page, CHANGE)
            take(page, folder, scheme)
        page = browser.new_page(viewport=PHONE, device_scale_factor=2, reduced_motion="reduce")
        page.goto(f"http://{HOST}:{server.port}/")
        say(page, NEED)
        page.locator("[data-jump]").click()
        take(page, folder, "phone")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
