"""`python -m app.llm show-prompt --history FILE [--answer FILE]`: the router by hand, without a provider.

The history is what a client sends to /chat, or only its list of messages. Prints the whole prompt and one
filled answer, as the rules read the same conversation. With a pasted answer, prints the turn that it leads to.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from app.api.chat import explain_turn, to_wire
from app.composition import build_router, load_catalog_side
from app.config import load_settings
from app.errors import ConfigError, RecommenderError
from app.llm.call import Caller
from app.llm.example import answer_of
from app.llm.parsing import parse_answer
from app.pipeline import Pipeline, Stopwatch
from app.records import History, Routing
from app.schemas import ChatRequest
from app.terminal import show


def show_prompt(history_file: Path, answer_file: Path | None) -> str:
    """What the command prints.

    Raises:
        RecommenderError: a file cannot be used, or the answer holds no reading.
    """
    settings = load_settings().model_copy(update={"llm_provider": "offline"})
    history = _history(history_file)
    side = load_catalog_side(settings, lambda *_: None)
    pipeline = side.responder
    assert isinstance(pipeline, Pipeline)
    router = build_router(settings, pipeline, side.catalog, side.knowledge, Caller((), timeout_s=1.0))
    watch = Stopwatch()
    seen = pipeline.read(history, watch)
    if answer_file is None:
        prompt = router.prompts.build(history, seen)
        example = answer_of(seen, side.catalog).model_dump_json(exclude_defaults=True, indent=1)
        parts = {"system": prompt.system, "user": prompt.user, "an answer, as the rules read it": example}
        return "\n\n".join(f"===== {name} =====\n{text.strip()}" for name, text in parts.items())
    parsed = parse_answer(_read(answer_file))
    merged = router.merge(seen, parsed.answer, history)
    routing = Routing(router="pasted", why="answered", kept=merged.kept, notes=parsed.forgiven)
    reply, trace = pipeline.answer(merged.understanding, routing, watch)
    turn = {
        **to_wire(reply, side).model_dump(mode="json"),
        "explanation": explain_turn(trace, side).model_dump(mode="json"),
    }
    return json.dumps(turn, ensure_ascii=False, indent=1)


def _history(file: Path) -> History:
    try:
        given = json.loads(_read(file))
        return ChatRequest.model_validate(
            given if isinstance(given, dict) else {"messages": given}
        ).to_history()
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{file}: no conversation: {where}: {first['msg']}") from exc
    except ValueError as exc:
        raise ConfigError(f"{file}: no conversation: not JSON: {exc}") from exc


def _read(file: Path) -> str:
    try:
        return (sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()).decode("utf-8-sig")
    except OSError as exc:
        raise ConfigError(f"{file}: cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{file}: not UTF-8 text") from exc


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m app.llm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    showing = commands.add_parser("show-prompt", help="print the prompt of a conversation's last turn")
    showing.add_argument("--history", type=Path, required=True, help="JSON file, or - for standard input")
    showing.add_argument("--answer", type=Path, help="a model's answer to it, or - for standard input")
    options = parser.parse_args(arguments)
    if str(options.history) == str(options.answer) == "-":
        parser.error("--history and --answer cannot both be standard input")
    try:
        show(show_prompt(options.history, options.answer))
    except RecommenderError as exc:
        print(f"{type(exc).__name__}: {exc}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
