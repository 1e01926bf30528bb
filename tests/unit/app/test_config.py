"""Settings from the environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from app.config import Settings, load_settings
from app.errors import ConfigError


def test_defaults_need_no_environment() -> None:
    settings = load_settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.http.max_body_bytes == 1_000_000
    assert settings.observability.log_text is False


def test_groups_are_set_with_two_underscores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP__MAX_MESSAGES", "32")
    monkeypatch.setenv("RETRIEVAL__ENCODER", "none")
    monkeypatch.setenv("PORT", "9001")
    settings = load_settings()
    assert (settings.http.max_messages, settings.retrieval.encoder, settings.port) == (32, "none", 9001)


def test_env_file_is_read_and_other_lines_in_it_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(
        # pragma: allowlist nextline secret
        "PORT=9002\nOBSERVABILITY__LOG_LEVEL=debug\nSOMETHING_ELSE=1\n",
        encoding="utf-8",
    )
    monkeypatch.setitem(Settings.model_config, "env_file", str(tmp_path / ".env"))
    assert load_settings().port == 9002
    assert load_settings().observability.log_level == "debug"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTP__DEADLINE_S", "30"),
        ("HTTP__DEADLINE_S", "soon"),
        ("HTTP__MAX_MESSAGES", "0"),
        ("HTTP__MAX_MESAGES", "5"),
        ("PORT", "99999"),
        ("OBSERVABILITY__LOG_FORMAT", "yaml"),
        ("RETRIEVAL__ENCODER", "../../etc"),
    ],
)
def test_nonsense_names_the_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=name):
        load_settings()


def test_a_group_that_is_no_json_is_a_config_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP", "yes")
    with pytest.raises(ConfigError):
        load_settings()


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, str | None]]:
    for name, field in model.model_fields.items():
        yield f"{model.__name__}.{name}", field.description
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _fields(field.annotation)


def test_every_setting_has_a_description() -> None:
    assert [name for name, description in _fields(Settings) if not description] == []
