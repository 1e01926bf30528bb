"""What comes from others and what must not get out: known weaknesses, licences, secrets.

Run: python -m scripts.check_supply [--write]      (--write renews docs/licences.md)

Exit code 1 when something was found. A database of weaknesses that cannot be reached is a warning: that nothing
was found is then not said.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from detect_secrets.core.secrets_collection import SecretsCollection
from detect_secrets.settings import default_settings
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements/run.txt", "requirements/extras.txt", "requirements/model.txt")
"""What the service runs with. Tools of development are not handed on."""
LICENCES = Path("docs/licences.md")
ALLOWED = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla|0BSD|Zlib|Unlicense|Public"
)
DENIED = re.compile(r"(?<![A-Z])A?L?GPL", re.IGNORECASE)
NO_SECRETS_IN = (
    "data/",
    "eval/conversations/",
    "requirements/",
    "docs/numbers/",
    "store/",
    "eval/ablations.jsonl",
)
"""Generated or collected texts; the tool's entropy rules misread the hashes and names in them."""

ASSIGNED = "Secret Keyword"
"""Anything assigned to a name such as "key": in tests such values are invented. What is shaped like a key still counts."""


def locked(lock: Path) -> dict[str, Requirement]:
    """The requirements of a lock file that hold on this machine, by name."""
    lines = re.findall(r"^([A-Za-z0-9][^\\\n]*?)\s*\\?$", lock.read_text(encoding="utf-8"), re.MULTILINE)
    found = map(Requirement, lines)
    return {
        canonicalize_name(each.name): each for each in found if each.marker is None or each.marker.evaluate()
    }


def licence_problems(licences: Mapping[str, str]) -> list[str]:
    """Packages that may not be handed on with the service, and why."""
    return [
        f"{name}: licence {licence or 'not stated'}"
        for name, licence in sorted(licences.items())
        if DENIED.search(licence) or not ALLOWED.search(licence)
    ]


def licence_table(licences: Mapping[str, str]) -> str:
    """The list as a document."""
    rows = "".join(f"| {name} | {licence} |\n" for name, licence in sorted(licences.items()))
    return (
        "# Licences\n\nOf every package that the service runs with, optional ones included; as the packages state"
        " them. `python -m scripts.check_supply --write` renews this list.\n\n"
        f"| package | licence |\n| --- | --- |\n{rows}"
    )


def installed_licences() -> dict[str, str]:
    """Licences of what the lock files name, as far as it is installed here."""
    listed = subprocess.run(
        [sys.executable, "-m", "piplicenses", "--from=mixed", "--format=json"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    installed: dict[str, str] = {canonicalize_name(row["Name"]): row["License"] for row in json.loads(listed)}
    wanted = {name for lock in LOCKS for name in locked(ROOT / lock)}
    for name in sorted(wanted - installed.keys()):
        print(f"warning: {name} is not installed, its licence is not checked")
    return {name: installed[name] for name in wanted & installed.keys()}


def read_audit(text: str) -> tuple[list[str], int]:
    """Weaknesses in pip-audit's JSON, and how many packages it could not look up.

    Raises:
        ValueError: it wrote no JSON.
    """
    packages = json.loads(text)["dependencies"]
    found = [
        f"{each['name']} {each['version']}: {weakness['id']}"
        + (f", gone in {', '.join(weakness['fix_versions'])}" if weakness["fix_versions"] else "")
        for each in packages
        for weakness in each.get("vulns", ())
    ]
    return found, sum("skip_reason" in each for each in packages)


def audit(lock: str) -> list[str]:
    """Known weaknesses of the versions in a lock file; a warning when the database does not answer."""
    command = [sys.executable, "-m", "pip_audit", "-r", lock, "--disable-pip", "--no-deps", "-f", "json"]
    try:
        done = subprocess.run(
            [*command, "--progress-spinner", "off", "--timeout", "5"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        found, unknown = read_audit(done.stdout)
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        print(f"warning: {lock} was not audited: the database of weaknesses could not be reached")
        return []
    if unknown:
        print(f"warning: {lock}: {unknown} packages were not audited: the database here does not know them")
    return found


def secrets() -> list[str]:
    """Lines of the repository that look like a key or a password."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    files = [
        name for name in listed if name and not name.startswith(NO_SECRETS_IN) and (ROOT / name).is_file()
    ]
    return secrets_in(ROOT, files)


def secrets_in(root: Path, files: list[str]) -> list[str]:
    """The same for some files of a folder."""
    found = SecretsCollection(root=str(root))
    with default_settings():
        found.scan_files(*files)
    return sorted(
        f"{name}:{secret.line_number}: {secret.type}"
        for name, secret in found
        if not (name.startswith("tests/") and secret.type == ASSIGNED)
    )


def main() -> int:
    """Run every check and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew docs/licences.md")
    write = parser.parse_args().write
    licences = installed_licences()
    table = licence_table(licences)
    if write:
        (ROOT / LICENCES).write_text(table, encoding="utf-8")
    problems = [f"licence: {each}" for each in licence_problems(licences)]
    written = (ROOT / LICENCES).read_text(encoding="utf-8").splitlines()
    if not set(table.splitlines()) <= set(written):
        problems.append(f"licence: {LICENCES} is not up to date; python -m scripts.check_supply --write")
    problems += [f"weakness: {each}" for lock in LOCKS for each in audit(lock)]
    problems += [f"secret: {each} (if it is none: # pragma: allowlist secret)" for each in secrets()]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
