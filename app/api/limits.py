"""What stands between the outside and the routes: proxies, web pages of others, rates."""

from __future__ import annotations

import time

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.api.rate import Buckets, MemoryBuckets, Rate, RateLimitMiddleware, SharedBuckets
from app.config import HttpSettings, split_list
from app.observability import Metrics
from app.shared_store import SharedStore

CORS_AGE_S = 600


def add_limits(app: FastAPI, settings: HttpSettings, metrics: Metrics, store: SharedStore | None) -> None:
    """Add what the settings ask for; each is left out where it has nothing to do.

    A request passes them in the opposite order: who sends it, whether a page may read the answer, the rate.
    """
    if settings.rate_per_minute:
        buckets = _buckets(Rate(settings.rate_per_minute, settings.rate_burst), store)
        app.add_middleware(RateLimitMiddleware, buckets=buckets, metrics=metrics)
    if origins := split_list(settings.cors_origins):
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["content-type", "x-request-id"],
            expose_headers=["x-request-id", "retry-after"],
            max_age=CORS_AGE_S,
        )
    if proxies := split_list(settings.trusted_proxies):
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=proxies)


def _buckets(rate: Rate, store: SharedStore | None) -> Buckets:
    memory = MemoryBuckets(rate, time.monotonic)
    return memory if store is None else SharedBuckets(rate, store, memory)
