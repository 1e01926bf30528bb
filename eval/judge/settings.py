"""Settings of the judges, beside those of the service, whose keys they share."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import SettingsError

from app.config import Settings
from eval.errors import JudgeError

OFFLINE = "offline"


class JudgeGroup(BaseModel):
    """How a judge is asked, whichever it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    timeout_s: float = Field(30.0, gt=0, description="Longest wait for one call.")
    deadline_s: float = Field(
        180.0, gt=0, description="Longest wait for one judgement, with repeats and rate limits."
    )
    attempts: int = Field(3, ge=1, le=10, description="Most calls for one judgement.")
    concurrency: int = Field(8, ge=1, le=256, description="Calls at the same time.")
    requests_per_minute: float | None = Field(None, gt=0, description="Unset: not limited by us.")
    tokens_per_minute: float | None = Field(None, gt=0, description="Read and written; unset: not limited.")
    max_output_tokens: int = Field(700, ge=50, le=16_000, description="Cap of one reply.")
    temperature: float = Field(0.0, ge=0, le=2, description="Not sent to models that take none.")


class JudgeSettings(Settings):
    """The service's settings and what judges need beyond them. JUDGE__TIMEOUT_S=20 sets `judge.timeout_s`."""

    judge_provider: str = Field(
        OFFLINE, description="Who judges, by name (eval/judge/providers), or 'offline': nobody, rules only."
    )
    judge_model: str = Field("", description="Model of the judge; empty means the provider's default.")
    judge_prices: Path | None = Field(None, description="Another file of prices than eval/judge/prices.json.")
    judge: JudgeGroup = Field(default_factory=JudgeGroup, description="Calls to a judge.")
    anthropic_api_key: SecretStr | None = Field(None, description="Key of Anthropic.")
    anthropic_base_url: str | None = Field(
        None, description="Another address for Anthropic, such as a proxy."
    )
    azure_api_key: SecretStr | None = Field(None, description="Key of Azure OpenAI.")
    azure_base_url: str | None = Field(None, description="Address of the Azure resource.")
    azure_deployment: str = Field("", description="Deployment; empty means it is called like the model.")
    azure_api_version: str = Field("2024-10-21", description="Version of Azure's interface.")


def load_judge_settings() -> JudgeSettings:
    """Read the environment and `.env`.

    Raises:
        JudgeError: naming each variable that is wrong, why, and nothing of its value.
    """
    try:
        return JudgeSettings()
    except ValidationError as exc:
        wrong = "; ".join(f"{'__'.join(map(str, e['loc'])).upper()}: {e['msg']}" for e in exc.errors())
        raise JudgeError(f"settings cannot be used: {wrong}") from None
    except SettingsError as exc:
        raise JudgeError(f"settings cannot be used: {exc}") from None
