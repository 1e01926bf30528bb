"""The dialogue on the README's first screen is what the service says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fastapi.testclient import TestClient

from app.config import Settings
from app.main import create_app

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_dialogue_is_real() -> None:
    text = README.read_text(encoding="utf-8")
    asked = re.search(r"-d '(\{.*?\})'\n```", text, re.DOTALL)
    answered = re.search(r"```json\n(.*?)\n```", text, re.DOTALL)
    assert asked
    assert answered
    with TestClient(create_app(Settings())) as client:
        assert client.post("/chat", json=json.loads(asked[1])).json() == json.loads(answered[1])
