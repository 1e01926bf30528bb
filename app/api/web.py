"""The recruiter's page: the files of `app/web`, under a strict content security policy."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from app.api.dependencies import RuntimeDep
from app.config import HttpSettings
from app.schemas import MOST_RECOMMENDATIONS

router = APIRouter(include_in_schema=False)

FOLDER = Path(__file__).resolve().parent.parent / "web"
START_PAGE = "index.html"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Written down, because the machine's own table differs from one to the next."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",  # kept by the browser, but asked about each time
    "vary": "accept-encoding",
}


@dataclass(frozen=True, slots=True)
class _File:
    media_type: str
    plain: bytes
    packed: bytes
    etag: str


@cache
def _files() -> Mapping[str, _File]:
    """Every part by its name; read when the first one is asked for, so that starting costs nothing."""
    found = {}
    for path in FOLDER.iterdir():
        if path.suffix in MEDIA_TYPES and path.name != START_PAGE:
            found[path.name] = _prepared(path.read_bytes(), path.suffix)
    return found


@cache
def _start_page(limits: HttpSettings) -> _File:
    """The page with the limits of this service in its head, so that it need not ask for them."""
    filled = Template((FOLDER / START_PAGE).read_text(encoding="utf-8")).substitute(
        max_message_chars=limits.max_message_chars,
        max_messages=limits.max_messages,
        max_recommendations=MOST_RECOMMENDATIONS,
    )
    return _prepared(filled.encode(), ".html")


def _prepared(content: bytes, suffix: str) -> _File:
    digest = hashlib.sha256(content).hexdigest()[:16]
    return _File(MEDIA_TYPES[suffix], content, gzip.compress(content, mtime=0), f'W/"{digest}"')


@router.api_route("/", methods=["GET", "HEAD"])
async def page(request: Request, runtime: RuntimeDep) -> Response:
    """The page itself."""
    return _serve(request, _start_page(runtime.settings.http))


@router.api_route("/web/{name}", methods=["GET", "HEAD"])
async def part(request: Request, name: str) -> Response:
    """A style sheet, a module or an image of the page."""
    file = _files().get(name)
    if file is None:
        raise HTTPException(404)
    return _serve(request, file)


def _serve(request: Request, file: _File) -> Response:
    headers = {**_HEADERS, "etag": file.etag}
    known = {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}
    if file.etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    body = file.plain
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        body = file.packed
    return Response(body, headers=headers, media_type=file.media_type)
