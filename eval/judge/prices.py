"""What tokens cost, in integer micro-dollars. Prices are a data file; a model without one has no price."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval.errors import JudgeError
from eval.judge.base import Usage

BUNDLED = Path(__file__).with_name("prices.json")
_MILLION = 1_000_000
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
_ASCII_PER_TOKEN = 4
_MESSAGE_TOKENS = 20
"""What a provider wraps around two messages, rounded up."""


class Price(BaseModel):
    """Micro-dollars per million tokens of each class."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: int = Field(ge=0)
    cached_input: int | None = Field(None, ge=0)
    """None: as `input`."""
    cache_write: int | None = Field(None, ge=0)
    """None: as `input`."""
    output: int = Field(ge=0)

    def cost(self, usage: Usage) -> int:
        """Micro-dollars for `usage`, rounded up."""
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_write is None else self.cache_write
        total = (
            usage.input_tokens * self.input
            + usage.cached_input_tokens * cached
            + usage.cache_write_tokens * written
            + usage.output_tokens * self.output
        )
        return -(-total // _MILLION)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    note: str = ""
    models: dict[str, dict[str, Price]]


@dataclass(frozen=True, slots=True)
class PriceTable:
    """All prices of one file."""

    version: str
    prices: dict[str, dict[str, Price]]

    @classmethod
    def load(cls, path: Path = BUNDLED) -> PriceTable:
        """Read a file of prices.

        Raises:
            JudgeError: it cannot be read, or holds something else.
        """
        try:
            read = _File.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except OSError as exc:
            raise JudgeError(f"prices {path}: {exc.strerror}") from exc
        except ValidationError as exc:
            where = ".".join(map(str, exc.errors()[0]["loc"]))
            raise JudgeError(f"prices {path}: {where}: {exc.errors()[0]['msg']}") from exc
        except ValueError as exc:
            raise JudgeError(f"prices {path}: no JSON") from exc
        return cls(read.version, read.models)

    def find(self, provider: str, model: str) -> Price | None:
        """Price of `model`; a dated snapshot costs what its model does. None when it is not listed."""
        models = self.prices.get(provider, {})
        return models.get(model) or models.get(_SNAPSHOT.sub("", model))


def estimate_tokens(*texts: str) -> int:
    """Tokens of `texts` as a message, rather too many than too few: a quarter of ASCII, all of the rest."""
    ascii_chars = sum(sum(char.isascii() for char in text) for text in texts)
    others = sum(len(text) for text in texts) - ascii_chars
    return _MESSAGE_TOKENS + math.ceil(ascii_chars / _ASCII_PER_TOKEN) + others
