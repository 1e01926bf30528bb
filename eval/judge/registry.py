"""Finds the providers, checks what was chosen, and builds the judge."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

import eval.judge.providers as package
from app.discovery import found_in, nearest
from app.llm.registry import is_local
from eval.errors import JudgeError
from eval.judge.asking import Patience
from eval.judge.base import CallSettings, Fingerprint
from eval.judge.cache import JudgeCache
from eval.judge.client import JudgeClient
from eval.judge.ledger import Ledger
from eval.judge.limiter import RateLimiter
from eval.judge.models import JudgeOptions, JudgeSpec
from eval.judge.prices import BUNDLED, Price, PriceTable
from eval.judge.prompt import prompt_fingerprint
from eval.judge.settings import OFFLINE, JudgeSettings
from eval.judge.threads import ThreadedJudge


def known_judges() -> dict[str, JudgeSpec]:
    """All providers by name."""
    return found_in(package, "JUDGE", JudgeSpec)


def find_judge(name: str) -> JudgeSpec:
    """The provider called `name`.

    Raises:
        JudgeError: naming the known ones, the nearest first.
    """
    known = known_judges()
    if name in known:
        return known[name]
    names = [OFFLINE, *known]
    raise JudgeError(f"no judge {name!r}, known are {', '.join(names)}{nearest(name, names)}")


def build_judge(
    settings: JudgeSettings,
    *,
    cache: Path | None,
    refresh: bool = False,
    max_cost_usd_micro: int | None = None,
) -> ThreadedJudge | None:
    """The judge of JUDGE_PROVIDER; None when it is "offline". Opens no connection.

    Args:
        settings: whom to ask, and how.
        cache: file of remembered judgements; None remembers none.
        refresh: ask everything anew, and remember that.
        max_cost_usd_micro: most that may be spent; None: no limit.

    Raises:
        JudgeError: the name is unknown, a key or an address is missing, or a limit was set for a model
            without a price.
    """
    if settings.judge_provider == OFFLINE:
        return None
    spec = find_judge(settings.judge_provider)
    options = _options(spec, settings)
    price = price_of(settings)
    if max_cost_usd_micro is not None and price is None:
        raise JudgeError(
            f"no price is known for {spec.name}/{options.model}, so its cost cannot be limited;"
            " name a file of prices in JUDGE_PRICES"
        )
    group = settings.judge

    def build() -> JudgeClient:
        return JudgeClient(
            spec.build(options),
            judge_fingerprint(settings),
            ledger=Ledger(max_cost_usd_micro),
            price=price,
            cache=JudgeCache(cache, refresh=refresh) if cache else None,
            limiter=RateLimiter(group.requests_per_minute, group.tokens_per_minute),
            patience=Patience(group.timeout_s, group.deadline_s, group.attempts, group.concurrency),
        )

    return ThreadedJudge(build)


def judge_fingerprint(settings: JudgeSettings) -> Fingerprint:
    """Who would judge, whether or not there is a key.

    Raises:
        JudgeError: nobody is chosen, or the name is unknown.
    """
    spec = find_judge(settings.judge_provider)
    address = _address(spec, settings) or ""
    return Fingerprint(
        spec.name,
        settings.judge_model or spec.default_model,
        prompt_fingerprint(),
        CallSettings(settings.judge.temperature, settings.judge.max_output_tokens),
        f"{address}#{settings.azure_deployment}" if spec.needs_address else address,
    )


def price_of(settings: JudgeSettings) -> Price | None:
    """Price of the chosen model; None when it is not listed.

    Raises:
        JudgeError: the file of prices cannot be used, or no judge is chosen.
    """
    spec = find_judge(settings.judge_provider)
    table = PriceTable.load(settings.judge_prices or BUNDLED)
    return table.find(spec.name, settings.judge_model or spec.default_model)


def _options(spec: JudgeSpec, settings: JudgeSettings) -> JudgeOptions:
    prefix = spec.settings.upper()
    address = _address(spec, settings)
    if address is None and spec.needs_address:
        raise JudgeError(f"judge {spec.name} needs {prefix}_BASE_URL")
    if address is not None and urlsplit(address).scheme not in ("http", "https"):
        raise JudgeError(f"{prefix}_BASE_URL: an address with http:// or https:// is needed")
    key = _first_key(spec, settings)
    local = spec.local_without_key and address is not None and is_local(address)
    if key is None and not local:
        raise JudgeError(f"judge {spec.name} needs {prefix}_API_KEY")
    return JudgeOptions(
        settings.judge_model or spec.default_model,
        key,
        address,
        settings.azure_deployment,
        settings.azure_api_version,
    )


def _first_key(spec: JudgeSpec, settings: JudgeSettings) -> SecretStr | None:
    """The service may have several keys, separated by commas; a judge takes the first."""
    secret: SecretStr | None = getattr(settings, f"{spec.settings}_api_key", None)
    listed = secret.get_secret_value().split(",") if secret is not None else []
    return next((SecretStr(key.strip()) for key in listed if key.strip()), None)


def _address(spec: JudgeSpec, settings: JudgeSettings) -> str | None:
    return getattr(settings, f"{spec.settings}_base_url", None) or None
