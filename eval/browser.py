"""Chromium for whoever drives the page: the system's, else the one that Playwright installed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
)
HOW = "no Chromium: install the package 'chromium', or run: .venv/bin/playwright install chromium"


class NoBrowserError(Exception):
    """None is installed; the message says how to get one."""


def launch(playwright: Playwright) -> Browser:
    """Start a browser without a window.

    Raises:
        NoBrowserError: there is none.
    """
    path = next(filter(None, map(shutil.which, NAMES)), None) or playwright.chromium.executable_path
    if not Path(path).exists():
        raise NoBrowserError(HOW)
    sandbox = [] if os.getuid() else ["--no-sandbox"]  # Chromium's own does not work for root
    return playwright.chromium.launch(executable_path=path, args=[*FLAGS, *sandbox])
