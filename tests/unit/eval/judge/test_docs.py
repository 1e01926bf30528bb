from __future__ import annotations

from app.config import PROJECT_ROOT, Settings
from eval.judge.base import Flag, Unscored
from eval.judge.settings import JudgeGroup, JudgeSettings

PAGE = (PROJECT_ROOT / "docs" / "judges.md").read_text(encoding="utf-8")


def test_every_setting_is_described() -> None:
    own = JudgeSettings.model_fields.keys() - Settings.model_fields.keys() - {"judge"}
    names = [name.upper() for name in own] + [f"JUDGE__{name.upper()}" for name in JudgeGroup.model_fields]
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_every_reason_and_flag_is_described() -> None:
    assert [each for each in (*Unscored, *Flag) if f"`{each}`" not in PAGE] == []
