"""The application: wiring only. Imports nothing that /health can do without."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI

from app.api import catalog, chat, health, metrics, web
from app.api.dependencies import CatalogSide, Report, Runtime
from app.api.limits import add_limits
from app.api.middleware import RequestContextMiddleware
from app.api.openapi import DocumentedApp
from app.api.problems import install_problem_handlers
from app.composition import check_model, load_catalog_side, load_dense_side
from app.config import Settings, load_settings
from app.observability import Metrics, configure_logging
from app.observability.tracing import open_tracer
from app.shared_store import SharedStore, check_store_url

CatalogLoader = Callable[[Settings, Report], CatalogSide]
DenseLoader = Callable[[Settings, CatalogSide, Report], None]


def create_app(
    settings: Settings | None = None,
    *,
    catalog_loader: CatalogLoader | None = None,
    dense_loader: DenseLoader = load_dense_side,
) -> FastAPI:
    """The application. Loading starts with the lifespan, in the background.

    Args:
        settings: read from the environment when left out.
        catalog_loader: gives what turns need, may report parts as they come; the shipped one when left out.
        dense_loader: attaches the dense side to it, afterwards.

    Raises:
        ConfigError: the environment holds a setting that cannot be used.
    """
    settings = settings or load_settings()
    check_model(settings)
    configure_logging(settings.observability.log_format, settings.observability.log_level)
    registry = Metrics()
    store = open_store(settings, registry)
    tracer = open_tracer(settings.observability.traces)
    runtime = Runtime(settings, registry, tracer)
    load_catalog = catalog_loader or partial(load_catalog_side, store=store)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if runtime.open():
            loader = ThreadPoolExecutor(1, "loading")
            side = loader.submit(load_catalog, settings, runtime.report)
            dense = loader.submit(lambda: dense_loader(settings, side.result(), runtime.report))
            loader.submit(_settle)
            loader.shutdown(wait=False)
            runtime.follow(side, dense)
        yield
        await runtime.close()
        if store is not None:
            await store.close()
        if tracer is not None:
            await asyncio.to_thread(tracer.close)

    app = DocumentedApp(settings.http, lifespan=lifespan, strict_content_type=False)
    app.state.runtime = runtime
    add_limits(app, settings.http, registry, store)
    app.add_middleware(
        RequestContextMiddleware,
        metrics=registry,
        max_body_bytes=settings.http.max_body_bytes,
        deadline_s=settings.http.deadline_s,
    )
    install_problem_handlers(app)
    app.include_router(health.router)
    app.include_router(chat.router)
    app.include_router(catalog.router)
    app.include_router(metrics.router)
    app.include_router(web.router)
    return app


def open_store(settings: Settings, registry: Metrics) -> SharedStore | None:
    """The Redis that processes share; None without REDIS_URL.

    Raises:
        ConfigError: the address or the installation cannot work.
    """
    url = settings.redis_url.get_secret_value().strip() if settings.redis_url else ""
    if not url:  # a manifest may pass it on empty
        return None
    check_store_url(url)
    return SharedStore(url, registry)


def _settle() -> None:
    """Leave what was loaded out of later garbage collections, and give back what loading needed."""
    gc.collect()
    gc.freeze()
    gc.enable()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:  # glibc keeps freed pages; other C libraries have no such call
        trim(0)


def __getattr__(name: str) -> FastAPI:
    """`app`, for `uvicorn app.main:app`; made on first use, so that importing this module starts nothing."""
    if name == "app":
        return create_app()
    raise AttributeError(name)
