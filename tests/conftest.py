"""What every test gets: a clean environment, and no network but this machine."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.api.dependencies import CatalogSide
from app.composition import load_catalog_side, load_dense_side
from app.config import HttpSettings, ObservabilitySettings, RetrievalSettings, Settings
from app.main import create_app
from app.pipeline import Pipeline
from tests.doubles import StubLoader
from tests.redis_server import RedisServer, redis_program

_OURS = ("HTTP", "RETRIEVAL", "OBSERVABILITY", "LLM", "OTP_WS")
_LOCAL = ("127.0.0.1", "::1", "localhost", "0.0.0.0")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine reaches a test."""
    for name in list(os.environ):
        if (
            name.upper() in ("PORT", "HOST", "WORKERS", "REDIS_URL")
            or name.upper().startswith(_OURS)
            or name.upper().endswith(("_API_KEY", "_BASE_URL"))
        ):
            monkeypatch.delenv(name)
    monkeypatch.setitem(Settings.model_config, "env_file", None)


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """A connection to anywhere else fails the test that tries it."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _LOCAL:
            raise AssertionError(f"a test tried to reach {address[0]}")
        real(self, address)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", connect)
    yield
    patch.undo()


@pytest.fixture
def settings() -> Settings:
    """Defaults, with limits small enough to test."""
    return Settings(
        http=HttpSettings(max_body_bytes=100_000, max_messages=64, max_message_chars=2_000, deadline_s=5),
        observability=ObservabilitySettings(log_format="json"),
    )


ClientMaker = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def make_client(settings: Settings) -> ClientMaker:
    """Starts an application around a stub loader: `async with make_client(loader) as client`."""

    @asynccontextmanager
    async def make(
        loader: StubLoader | None = None, chosen: Settings = settings
    ) -> AsyncIterator[httpx.AsyncClient]:
        loader = loader or StubLoader()
        app = create_app(chosen, catalog_loader=loader.catalog_side, dense_loader=loader.dense_side)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://test") as client,
        ):
            client.app = app  # type: ignore[attr-defined]
            while loader.gate is None and app.state.runtime.parts["dense"].state == "loading":
                await asyncio.sleep(0.001)
            yield client

    return make


@pytest.fixture
async def client(make_client: ClientMaker) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application that is loaded from doubles."""
    async with make_client() as ready:
        yield ready


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    """A real Redis on a free port; without one installed the test is skipped, in CI it fails."""
    program = redis_program()
    if program is None:
        assert "CI" not in os.environ, "redis-server is missing; .ci/run installs it"
        pytest.skip("redis-server is not installed")
    with RedisServer(program, tmp_path) as server:
        yield server


def _shipped_settings() -> Settings:
    """Defaults, whatever the machine says: session fixtures come before `clean_environment`."""
    return Settings(_env_file=None, retrieval=RetrievalSettings())  # type: ignore[call-arg]


@pytest.fixture(scope="session")
def catalog_side() -> CatalogSide:
    """The real catalogue, knowledge and pipeline, searching by words only; loaded once."""
    return load_catalog_side(_shipped_settings(), lambda *_: None)


@pytest.fixture(scope="session")
def pipeline(catalog_side: CatalogSide) -> Pipeline:
    """The offline pipeline without the dense side."""
    assert isinstance(catalog_side.responder, Pipeline)
    return catalog_side.responder


@pytest.fixture(scope="session")
def dense_side() -> CatalogSide:
    """The same with the dense side."""
    side = load_catalog_side(_shipped_settings(), lambda *_: None)
    load_dense_side(_shipped_settings(), side, lambda *_: None)
    return side
