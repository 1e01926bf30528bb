"""Choosing providers: clear words when the choice cannot work."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from app.composition import check_model
from app.config import load_settings
from app.errors import ConfigError
from app.llm.registry import build_caller, chosen_providers, describe_choice, is_local, known_providers
from app.main import create_app

ENV = pytest.MonkeyPatch


def test_offline_is_the_default_and_says_that_a_key_is_not_used(monkeypatch: ENV) -> None:
    assert describe_choice(load_settings()) == "offline: rules only"
    monkeypatch.setenv("GROQ_API_KEY", "k-123456")
    monkeypatch.setenv("GOOGLE_API_KEY", "k-654321")
    said = describe_choice(load_settings())
    assert "GROQ_API_KEY, GEMINI_API_KEY are set and not used" in said
    assert "k-123" not in said
    assert chosen_providers(load_settings()) == ()
    assert "k-123456" not in repr(load_settings())


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"LLM_PROVIDER": "groq"}, "LLM_PROVIDER=groq needs GROQ_API_KEY"),
        ({"LLM_PROVIDER": "groq", "GROQ_API_KEY": "  "}, "LLM_PROVIDER=groq needs GROQ_API_KEY"),
        ({"LLM_PROVIDER": "gemini"}, "needs GEMINI_API_KEY"),
        ({"LLM_PROVIDER": "openai"}, "needs OPENAI_API_KEY"),
        (
            {"LLM_PROVIDER": "openai", "OPENAI_BASE_URL": "https://models.example.com/v1"},
            "needs OPENAI_API_KEY",
        ),
        ({"LLM_PROVIDER": "openai", "OPENAI_BASE_URL": "localhost:11434"}, "OPENAI_BASE_URL"),
        ({"LLM_PROVIDER": "grok"}, "did you mean 'groq'"),
        ({"LLM_PROVIDER": "groq,offline", "GROQ_API_KEY": "k"}, "leave 'offline' out"),
        ({"LLM_PROVIDER": "offline, groq", "GROQ_API_KEY": "k"}, "leave 'offline' out"),
        ({"LLM_PROVIDER": "groq", "GROQ_API_KEY": "k", "LLM__RECORD": "all"}, "LLM__RECORDINGS"),
    ],
)
def test_a_choice_that_cannot_work_is_said_in_a_line(
    monkeypatch: ENV, env: dict[str, str], words: str
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        check_model(load_settings())
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: ENV) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "groq")
    monkeypatch.setenv("GROQ_API_KEY", "k")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="pip install groq"):
        chosen_providers(load_settings())


async def test_an_order_of_failover_and_models(monkeypatch: ENV) -> None:
    for name, value in {
        "LLM_PROVIDER": "openai, groq,gemini-legacy",
        "LLM_MODEL": "qwen3",
        "OPENAI_BASE_URL": "http://localhost:11434/v1",
        "GROQ_API_KEY": "k",
        "GEMINI_API_KEY": "k",
    }.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert describe_choice(settings).startswith("openai then groq then gemini_legacy")
    caller = build_caller(settings, chosen_providers(settings))
    assert tuple(member.name for member in caller.members) == ("openai", "groq", "gemini_legacy")
    assert [m.llm.model for m in caller.members] == ["qwen3", "llama-3.3-70b-versatile", "gemini-2.5-flash"]
    await caller.close()


def test_scripted_needs_a_file(monkeypatch: ENV, tmp_path: Path) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "scripted")
    for path in (None, tmp_path / "nowhere.jsonl"):
        if path is not None:
            monkeypatch.setenv("LLM__RECORDINGS", str(path))
        with pytest.raises(ConfigError, match="LLM__RECORDINGS"):
            check_model(load_settings())
    (tmp_path / "nowhere.jsonl").touch()
    check_model(load_settings())


async def test_a_provider_is_recorded_when_told_to(monkeypatch: ENV, tmp_path: Path) -> None:
    for name, value in {
        "LLM_PROVIDER": "openai",
        "OPENAI_BASE_URL": "http://localhost:1/v1",
        "LLM__RECORD": "missing",
        "LLM__RECORDINGS": str(tmp_path / "answers.jsonl"),
    }.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    caller = build_caller(settings, chosen_providers(settings))
    assert type(caller.members[0].llm).__name__ == "RecordingModel"
    await caller.close()


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", True),
        ("http://192.168.1.20:8000/v1", True),
        ("http://ollama:11434", True),
        ("http://host.docker.internal:11434", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/v1", False),
    ],
)
def test_a_server_near_by_needs_no_key(address: str, local: bool) -> None:
    assert is_local(address) is local


async def test_finding_providers_imports_none_of_their_libraries() -> None:
    code = (
        "import sys; from app.llm.registry import known_providers; known_providers();"
        "print([m for m in ('groq', 'httpx', 'httpx2', 'google.genai', 'google.generativeai') if m in sys.modules])"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert out.strip() == b"[]"
    assert len(known_providers()) == 5


async def test_the_start_says_who_reads(monkeypatch: ENV, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "k-123456")
    monkeypatch.setenv("OBSERVABILITY__LOG_FORMAT", "json")
    app = create_app(dense_loader=lambda *_: None)
    async with app.router.lifespan_context(app):
        await app.state.runtime.serving()
        assert "GROQ_API_KEY is set and not used" in app.state.runtime.parts["router"].detail
    logged = capfd.readouterr().err
    assert "GROQ_API_KEY is set and not used" in logged
    assert "k-123456" not in logged


async def test_several_keys_stand_in_for_each_other_and_are_named_by_place(monkeypatch: ENV) -> None:
    for name, value in {
        "LLM_PROVIDER": "groq,gemini",
        "LLM_MODEL": "qwen/qwen3-32b",
        "GROQ_API_KEY": " k-111111, k-222222,,k-111111",
        "GEMINI_API_KEY": "k-333333",
    }.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert describe_choice(settings).startswith("groq (2 keys) then gemini,")
    caller = build_caller(settings, chosen_providers(settings))
    assert [(member.name, member.vendor) for member in caller.members] == [
        ("groq", "groq"),
        ("groq#2", "groq"),
        ("gemini", "gemini"),
    ]
    assert [member.llm.model for member in caller.members[:2]] == ["qwen/qwen3-32b"] * 2
    assert len({id(member.breaker) for member in caller.members}) == 3
    await caller.close()


def test_a_list_of_no_keys_is_no_key(monkeypatch: ENV) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "groq")
    monkeypatch.setenv("GROQ_API_KEY", " , ,")
    with pytest.raises(ConfigError, match="needs GROQ_API_KEY"):
        check_model(load_settings())


LIBRARIES = {
    "groq": "groq",
    "gemini": "google.genai",
    "gemini_legacy": "google.generativeai",
    "openai": "httpx",
}
BUILDS = """
import sys, warnings
warnings.simplefilter("always")
from app.config import load_settings
from app.llm.registry import build_caller, chosen_providers
settings = load_settings()
build_caller(settings, chosen_providers(settings))
print(*(name for name in sys.argv[1:] if name in sys.modules))
"""


async def _said(code: str, *arguments: str) -> tuple[list[str], str]:
    """The words that a process of its own prints, and what it complains of."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode().split(), err.decode()


@pytest.mark.parametrize("name", ["offline", *LIBRARIES])
async def test_only_the_library_of_the_chosen_provider_is_imported(monkeypatch: ENV, name: str) -> None:
    monkeypatch.setenv("LLM_PROVIDER", name)
    for prefix in ("GROQ", "GEMINI", "OPENAI"):
        monkeypatch.setenv(f"{prefix}_API_KEY", "k")
    expected = [LIBRARIES[name]] if name in LIBRARIES else []
    # the libraries of groq and gemini use httpx where it is
    others = [lib for lib in LIBRARIES.values() if lib != "httpx" or name not in ("groq", "gemini")]
    assert (await _said(BUILDS, *others))[0] == expected


async def test_the_retired_library_is_told_to_be_quiet(monkeypatch: ENV) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "gemini_legacy")
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    assert "google.generativeai" not in (await _said(BUILDS))[1]
    _, alone = await _said("import google.generativeai")
    assert "google.generativeai" in alone


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("groq", "llama-3.3-70b-versatile"),
        ("gemini", "gemini-2.5-flash"),
        ("gemini_legacy", "gemini-2.5-flash"),
        ("openai", "gpt-4o-mini"),
    ],
)
async def test_a_model_is_named_where_none_was_chosen(monkeypatch: ENV, name: str, model: str) -> None:
    monkeypatch.setenv("LLM_PROVIDER", name)
    for prefix in ("GROQ", "GEMINI", "OPENAI"):
        monkeypatch.setenv(f"{prefix}_API_KEY", "k")
    for chosen, expected in (("", model), ("other-1", "other-1")):
        monkeypatch.setenv("LLM_MODEL", chosen)
        settings = load_settings()
        caller = build_caller(settings, chosen_providers(settings))
        assert [member.llm.model for member in caller.members] == [expected]
        await caller.close()


@pytest.mark.parametrize(
    ("torn", "works"), [(b'{"conversation": "1', True), (b'{"conversation": "1\n{}', False)]
)
def test_a_recording_that_cannot_be_read_stops_the_start(
    monkeypatch: ENV, tmp_path: Path, torn: bytes, works: bool
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(torn)
    monkeypatch.setenv("LLM__RECORDINGS", str(file))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for provider, record in (("scripted", "off"), ("openai", "missing"), ("openai", "off")):
        monkeypatch.setenv("LLM_PROVIDER", provider)
        monkeypatch.setenv("LLM__RECORD", record)
        if works or (provider, record) == ("openai", "off"):
            check_model(load_settings())
        else:
            with pytest.raises(ConfigError, match=r"answers\.jsonl cannot be read"):
                check_model(load_settings())
