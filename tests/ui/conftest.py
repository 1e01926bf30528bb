"""A real browser against the real service."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

from eval.browser import NoBrowserError, launch
from tests.ui.pages import RecommenderPage

# A busy machine with two cores draws late; a wait that is met ends at once whatever its limit.
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)

ROOT = Path(__file__).resolve().parents[2]
SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 360, "height": 740}}


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """Its event loop runs until it is closed, and no asynchronous test can run meanwhile: hence not the session."""
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Fails in CI and skips elsewhere when there is none."""
    try:
        running = launch(playwright)
    except NoBrowserError as exc:
        if os.environ.get("CI"):
            pytest.fail(str(exc))
        pytest.skip(str(exc))
    yield running
    running.close()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the service, searching by words only so that it is soon complete."""
    with _serving(tmp_path_factory.mktemp("service") / "log") as address:
        yield address


@pytest.fixture(scope="session")
def small_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a service that takes 200 characters a message and seven messages."""
    limits = {"HTTP__MAX_MESSAGE_CHARS": "200", "HTTP__MAX_MESSAGES": "7"}
    with _serving(tmp_path_factory.mktemp("small_service") / "log", **limits) as address:
        yield address


@contextmanager
def _serving(log_file: Path, **settings: str) -> Iterator[str]:
    port = str(_free_port())
    environment = {
        **os.environ,
        "RETRIEVAL__ENCODER": "none",
        "OBSERVABILITY__LOG_FORMAT": "json",
        **settings,
    }
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "serve", "--port", port],
            cwd=ROOT,
            env=environment,
            stderr=log,
            stdout=log,
        )
    address = f"http://127.0.0.1:{port}"
    end = time.monotonic() + 60
    while True:
        try:
            if httpx.get(f"{address}/ready", trust_env=False).status_code == 200:
                break
        except httpx.TransportError:
            pass
        assert time.monotonic() < end, log_file.read_text(encoding="utf-8")
        time.sleep(0.05)
    yield address
    process.kill()
    process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


OpenPage = Callable[..., RecommenderPage]


@pytest.fixture
def open_page(browser: Browser, service: str) -> Iterator[OpenPage]:
    """Opens the page; afterwards its console must be clean and no other origin asked.

    What a test provokes on purpose is named in `page.expected`.
    """
    contexts: list[BrowserContext] = []
    pages: list[RecommenderPage] = []

    def open_(size: str = "desktop", **options: Any) -> RecommenderPage:
        context = browser.new_context(
            **{
                "viewport": SIZES[size],
                "base_url": service,
                "permissions": ["clipboard-read", "clipboard-write"],
            }
            | options
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        pages.append(RecommenderPage(context.new_page(), options.get("base_url", service)))
        return pages[-1]

    yield open_
    for context in contexts:
        context.close()
    for page in pages:
        page.check_clean()


@pytest.fixture(params=SIZES)
def page(request: pytest.FixtureRequest, open_page: OpenPage) -> RecommenderPage:
    """The opened page, once on a desktop and once on a phone."""
    return open_page(request.param).open()


@pytest.fixture
def desk(open_page: OpenPage) -> RecommenderPage:
    """The opened page on a desktop."""
    return open_page().open()
