"""Finds the providers, checks what was chosen, and builds it."""

from __future__ import annotations

import importlib.util
import ipaddress
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

import app.llm.providers as package
from app.config import Settings
from app.discovery import found_in, nearest
from app.errors import ConfigError
from app.llm.base import LanguageModel, ModelOptions, ProviderSpec

if TYPE_CHECKING:  # what makes the calls is imported once a provider is chosen
    from app.llm.call import Caller
    from app.shared_store import SharedStore

OFFLINE = "offline"


def known_providers() -> dict[str, ProviderSpec]:
    """All providers by name. Imports none of their libraries."""
    return found_in(package, "PROVIDER", ProviderSpec)


def chosen_providers(settings: Settings) -> tuple[ProviderSpec, ...]:
    """The providers of LLM_PROVIDER in order; none for "offline".

    Raises:
        ConfigError: a name is unknown, its key is missing, or its library is not installed.
    """
    names = [name.strip().lower().replace("-", "_") for name in settings.llm_provider.split(",")]
    names = list(dict.fromkeys(filter(None, names)))
    if names in ([], [OFFLINE]):
        return ()
    if OFFLINE in names:
        raise ConfigError(
            "LLM_PROVIDER: leave 'offline' out of the list, the rules stand behind every provider"
        )
    known = known_providers()
    for name in names:
        if name not in known:
            names_known = [OFFLINE, *known]
            raise ConfigError(
                f"LLM_PROVIDER: no provider {name!r}, known are {', '.join(names_known)}"
                + nearest(name, names_known)
            )
    specs = tuple(known[name] for name in names)
    for spec in specs:
        _check(spec, settings)
    if settings.llm.record != "off" and settings.llm.recordings is None:
        raise ConfigError("LLM__RECORD needs LLM__RECORDINGS, the file to write into")
    return specs


def describe_choice(settings: Settings) -> str:
    """Who reads the conversations, in words; says so when a key is set and not used."""
    chosen = [
        f"{spec.name} ({number} keys)" if (number := len(_keys(spec.settings, settings))) > 1 else spec.name
        for spec in chosen_providers(settings)
    ]
    if chosen:
        return f"{' then '.join(chosen)}, with the rules behind"
    unused = [f"{name.upper()}_API_KEY" for name in ("groq", "gemini", "openai") if _keys(name, settings)]
    if not unused:
        return "offline: rules only"
    verb = "is" if len(unused) == 1 else "are"
    return (
        f"offline: rules only; {', '.join(unused)} {verb} set and not used, because LLM_PROVIDER is offline"
    )


def build_caller(
    settings: Settings, specs: Sequence[ProviderSpec], store: SharedStore | None = None
) -> Caller:
    """Everything between a prompt and a parsed answer, for the chosen providers.

    Answers are remembered in `store`, in this process where there is none.

    Raises:
        ConfigError: an option does not suffice.
    """
    from app.llm.breaker import Breaker
    from app.llm.cache import AnswerCache, MemoryCache
    from app.llm.call import Caller, Member
    from app.llm.redis_cache import RedisCache

    llm = settings.llm
    record = _recorder(settings)
    members = [
        Member(
            f"{spec.name}#{place}" if place > 1 else spec.name,
            spec.build(options) if spec.needs_recordings else record(spec.build(options)),
            Breaker(llm.breaker_failures, llm.breaker_pause_s, time.monotonic),
            vendor=spec.name,
        )
        for number, spec in enumerate(specs)
        for place, options in enumerate(_options(spec, settings, first=number == 0), start=1)
    ]
    cache: AnswerCache | None = None
    if llm.cache_ttl_s:
        cache = RedisCache(store) if store else MemoryCache(llm.cache_answers, time.monotonic)
    return Caller(members, timeout_s=llm.timeout_s, cache=cache, cache_ttl_s=llm.cache_ttl_s)


def _recorder(settings: Settings) -> Callable[[LanguageModel], LanguageModel]:
    """Puts a recorder around a model if LLM__RECORD says so; all write into one file, one after the other."""
    llm = settings.llm
    if llm.record == "off" or llm.recordings is None:
        return lambda model: model
    from app.llm.recordings import RecordingModel, Recordings

    recordings = Recordings.load(llm.recordings, may_be_new=True)
    writer = ThreadPoolExecutor(1, "recorder")
    return partial(RecordingModel, recordings=recordings, writer=writer, anew=llm.record == "all")


def _check(spec: ProviderSpec, settings: Settings) -> None:
    address = _base_url(spec.settings, settings)
    if address is not None and urlsplit(address).scheme not in ("http", "https"):
        raise ConfigError(f"{spec.settings.upper()}_BASE_URL: an address with http:// or https:// is needed")
    local = spec.local_without_key and address is not None and is_local(address)
    if spec.needs_key and not local and not _keys(spec.settings, settings):
        raise ConfigError(f"LLM_PROVIDER={spec.name} needs {spec.settings.upper()}_API_KEY")
    recordings = settings.llm.recordings
    if spec.needs_recordings and (recordings is None or not recordings.is_file()):
        raise ConfigError(f"LLM_PROVIDER={spec.name} needs LLM__RECORDINGS, a file of recorded answers")
    if spec.module and not _importable(spec.module):
        raise ConfigError(f"LLM_PROVIDER={spec.name} needs a package: pip install {spec.package}")


def _importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _keys(prefix: str, settings: Settings) -> tuple[str, ...]:
    """The keys of a provider in order of failover, each once."""
    secret = getattr(settings, f"{prefix}_api_key", None)
    listed = secret.get_secret_value().split(",") if secret is not None else []
    return tuple(dict.fromkeys(filter(None, (key.strip() for key in listed))))


def _base_url(prefix: str, settings: Settings) -> str | None:
    return getattr(settings, f"{prefix}_base_url", None) or None


def _options(spec: ProviderSpec, settings: Settings, *, first: bool) -> list[ModelOptions]:
    """One for each key; one without a key where there is none."""
    return [
        ModelOptions(
            model=(settings.llm_model if first else "") or spec.default_model,
            api_key=SecretStr(key) if key else None,
            base_url=_base_url(spec.settings, settings),
            timeout_s=settings.llm.timeout_s,
            json_schema=settings.llm.json_schema,
            recordings=settings.llm.recordings,
        )
        for key in _keys(spec.settings, settings) or ("",)
    ]


def is_local(address: str) -> bool:
    """Whether `address` points to this machine or a private network: a server there needs no key."""
    host = urlsplit(address).hostname or ""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))
    return found.is_loopback or found.is_private
