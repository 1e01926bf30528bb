"""What the channel has to know, from the environment: OTP_WS_LOGIN, OTP_WS_OTP and so on."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class OtpWsSettings(BaseSettings):
    """Who asks, and how a stream is told from a dead one."""

    model_config = SettingsConfigDict(env_prefix="OTP_WS_", frozen=True, extra="ignore")

    login: str = ""
    """Name, address or number that the password is requested for."""
    otp: SecretStr = SecretStr("")
    """The one-time password; test accounts have a fixed one."""
    shape: str = ""
    """Which shape of frames to ask for; empty: the one that the service prefers."""
    inactivity_s: float = Field(default=15.0, gt=0)
    """Silence after which a stream is given up; any frame, heartbeats too, breaks it."""
    delete_threads: bool = True
    """Whether the threads that were opened are deleted in the end."""
