"""Page objects: one module for each page that can be driven, found by its `PAGE`."""

from __future__ import annotations

import sys

from app.discovery import found_in
from eval.pages.base import PageSpec


def known_pages() -> dict[str, PageSpec]:
    """All page objects by the name that the page gives itself in `data-page`."""
    return found_in(sys.modules[__name__], "PAGE", PageSpec)
