"""Settings: environment variables and `.env`, checked once at start-up.

Groups nest with two underscores: HTTP__MAX_MESSAGES=32 sets `Settings.http.max_messages`.
"""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from app.errors import ConfigError

PROJECT_ROOT = Path(__file__).resolve().parent.parent
_ORIGIN = re.compile(r"\*|https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?|https?://\[[0-9A-Fa-f:]+\](?::[0-9]{1,5})?")
LogLevel = Literal["debug", "info", "warning", "error"]


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def split_list(value: str) -> list[str]:
    """The parts of a setting that holds several, separated by commas."""
    return [part for part in (part.strip() for part in value.split(",")) if part]


class HttpSettings(_Group):
    """Limits of a request, and how it is served."""

    max_body_bytes: int = Field(1_000_000, ge=1_000, description="Largest request body; more is a 413.")
    max_messages: int = Field(64, ge=1, description="Most messages in a conversation; more is a 422.")
    max_message_chars: int = Field(32_000, ge=1, description="Longest message; more is a 422.")
    deadline_s: float = Field(
        25.0,
        gt=1,
        lt=30,
        description="Every request is answered within this many seconds; callers give up at 30.",
    )
    worker_threads: int = Field(
        4, ge=1, le=64, description="Turns computed at the same time in one process; further ones wait."
    )
    max_turns: int = Field(
        128,
        ge=1,
        le=10_000,
        description="Turns computed or waiting in one process; the next is a 503 with Retry-After.",
    )
    rate_per_minute: int = Field(
        0, ge=0, description="Requests that one client may send a minute; more is a 429. 0: no limit."
    )
    rate_burst: int = Field(60, ge=1, description="How many of them may come at once.")
    cors_origins: str = Field(
        "", description="Origins of web pages that may call, separated by commas; '*' means every one."
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas.",
    )

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, value: str) -> str:
        if not all(_ORIGIN.fullmatch(origin) for origin in split_list(value)):
            raise ValueError("an origin is http:// or https://, a host and no path, or '*'")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: str) -> str:
        for network in split_list(value):
            ipaddress.ip_network(network)
        return value


class RetrievalSettings(_Group):
    """Where the data lies and which encoder reads it."""

    data_dir: Path = Field(
        PROJECT_ROOT / "data", description="Folder of catalog.json, embeddings.npy, knowledge/ and lexicon/."
    )
    encoder: str = Field(
        "minilm-onnx",
        pattern=r"^[A-Za-z0-9._-]+$",
        description="Sentence encoder by name (app/retrieval/encoders), or 'none' for lexical search only.",
    )
    weights_dir: Path | None = Field(
        None,
        description="Folder with the encoder's original weights; unset means the installed model package.",
    )


class LlmSettings(_Group):
    """How a language model is asked, whichever it is."""

    timeout_s: float = Field(8.0, gt=0, lt=30, description="Longest wait for one call.")
    reserve_s: float = Field(
        2.0, ge=0, lt=30, description="Kept back from the request's deadline for everything but the model."
    )
    max_output_tokens: int = Field(
        800, ge=100, le=16_000, description="Cap of the answer, a small JSON object."
    )
    history_tokens: int = Field(
        6_000, ge=200, description="The conversation is trimmed to about this many tokens."
    )
    json_schema: bool = Field(
        True, description="Send the JSON schema where the provider takes one; off: ask for any JSON object."
    )
    breaker_failures: int = Field(3, ge=1, description="Failures in a row after which a provider is skipped.")
    breaker_pause_s: float = Field(30.0, gt=0, description="For how long, before one call tries it again.")
    cache_ttl_s: float = Field(0.0, ge=0, description="Lifetime of a remembered answer; 0 remembers none.")
    cache_answers: int = Field(1_000, ge=1, description="Answers remembered in this process.")
    recordings: Path | None = Field(
        None, description="File of recorded answers (JSON lines): read by the provider 'scripted'."
    )
    record: Literal["off", "missing", "all"] = Field(
        "off", description="Write answers into LLM__RECORDINGS: those it lacks, or every one anew."
    )


class ObservabilitySettings(_Group):
    """What is logged, and how."""

    log_format: Literal["console", "json", "auto"] = Field(
        "auto",
        description="'json' for machines, 'console' for people, 'auto': console on a terminal.",
    )
    log_level: LogLevel = Field("info", description="Least severe level that is written.")
    log_text: bool = Field(
        False, description="Write message texts into the log. Off: they are personal data."
    )
    traces: str = Field(
        "", description="Address that OpenTelemetry traces are sent to (OTLP over HTTP); empty sends none."
    )


class Settings(BaseSettings):
    """Everything that can be set from outside."""

    model_config = SettingsConfigDict(
        env_nested_delimiter="__",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    host: str = Field("127.0.0.1", min_length=1, description="Address to listen on; 0.0.0.0 in a container.")
    port: int = Field(8000, ge=0, le=65_535, description="Port to listen on; 0 picks a free one.")
    workers: int = Field(1, ge=1, le=64, description="Processes that serve; each takes the memory of one.")
    redis_url: SecretStr | None = Field(
        None,
        description="Redis that processes share rate limits and remembered answers in; unset: each has its own.",
    )
    http: HttpSettings = Field(default_factory=HttpSettings, description="Request limits.")
    llm_provider: str = Field(
        "offline",
        description="Who reads the conversation: 'offline' (rules, no network), or providers of"
        " app/llm/providers in order of failover, separated by commas.",
    )
    llm_model: str = Field(
        "", description="Model of the first provider; empty means its default. Others use their default."
    )
    groq_api_key: SecretStr | None = Field(
        None, description="Key of Groq; several, separated by commas, stand in for each other."
    )
    groq_base_url: str | None = Field(None, description="Another address for Groq, such as a proxy.")
    gemini_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        description="Key or keys of Gemini; GOOGLE_API_KEY does as well.",
    )
    gemini_base_url: str | None = Field(None, description="Another address for Gemini.")
    openai_api_key: SecretStr | None = Field(
        None, description="Key or keys of OpenAI or a server that speaks like it; a local server needs none."
    )
    openai_base_url: str | None = Field(
        None, description="Address of such a server with its /v1; unset means OpenAI's own."
    )
    llm: LlmSettings = Field(default_factory=LlmSettings, description="Calls to a language model.")
    retrieval: RetrievalSettings = Field(default_factory=RetrievalSettings, description="Data and encoder.")
    observability: ObservabilitySettings = Field(default_factory=ObservabilitySettings, description="Logs.")


def load_settings() -> Settings:
    """Read the environment and `.env`.

    Raises:
        ConfigError: naming each variable that is wrong, why, and nothing of its value.
    """
    try:
        return Settings()
    except ValidationError as exc:
        wrong = "; ".join(
            f"{'__'.join(map(str, error['loc'])).upper()}: {error['msg']}" for error in exc.errors()
        )
        raise ConfigError(f"settings cannot be used: {wrong}") from None
    except SettingsError as exc:
        raise ConfigError(f"settings cannot be used: {exc}") from None
