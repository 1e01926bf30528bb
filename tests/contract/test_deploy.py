"""What is deployed names only what exists: settings, paths, numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from app.config import Settings
from app.main import create_app
from app.observability.prometheus import HELP, PREFIX
from tests.conftest import ClientMaker

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def settings_names(model: type[BaseModel] = Settings, prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from settings_names(annotation, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}"


def read(path: str) -> Any:
    return yaml.safe_load((DEPLOY / path).read_text(encoding="utf-8"))


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = read("k8s/deployment.yaml")["spec"]["template"]["spec"]
    return spec


def test_every_environment_variable_is_a_setting() -> None:
    names = set(settings_names()) | {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PATH"}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    image = re.findall(r"(\w+)=", re.findall(r"^ENV (.*)$", dockerfile, re.MULTILINE)[-1])
    compose = read("compose.yaml")["services"]["app"]["environment"]
    kubernetes = {each["name"] for each in pod()["containers"][0]["env"]}
    assert image
    assert compose
    assert kubernetes
    assert {*image, *compose, *kubernetes} <= names


def test_compose_without_any_variable_starts_with_settings_that_are_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in read("compose.yaml")["services"]["app"]["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{\w+:-(.*)\}", r"\1", str(value)))
    create_app(Settings())


def test_a_pod_is_restarted_when_dead_and_left_out_when_not_ready() -> None:
    container = pod()["containers"][0]
    paths = {probe: container[probe]["httpGet"]["path"] for probe in container if probe.endswith("Probe")}
    assert paths == {"startupProbe": "/health", "livenessProbe": "/health", "readinessProbe": "/ready"}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "'/health'" in dockerfile


def test_a_turn_in_flight_has_time_to_end() -> None:
    longest = Settings().http.deadline_s + 1
    sleeping = int(pod()["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod()["terminationGracePeriodSeconds"] > longest + sleeping
    assert int(read("compose.yaml")["services"]["app"]["stop_grace_period"].rstrip("s")) > longest


def test_nothing_runs_as_root_or_writes_or_holds_a_key() -> None:
    container = pod()["containers"][0]
    assert pod()["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    for variable in container["env"]:
        if re.search("KEY|URL|SECRET|TOKEN|PASSWORD", variable["name"]):
            assert "value" not in variable, variable["name"]
            assert variable["valueFrom"]["secretKeyRef"]["optional"] is True
    service = read("compose.yaml")["services"]["app"]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "USER 10001" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_every_number_on_the_dashboard_and_in_an_alert_is_exported() -> None:
    board = json.loads((DEPLOY / "grafana/dashboards/recommender.json").read_text(encoding="utf-8"))
    drawn = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    alerts = [rule["expr"] for group in read("prometheus/alerts.yaml")["groups"] for rule in group["rules"]]
    gauges = {"ready", "dense", "turns_in_progress", "turns_most", "resident_memory_bytes", "open_files"}
    known = {PREFIX + name for name in {*HELP, *gauges}}
    used = {
        re.sub("_(bucket|sum|count)$", "", name)
        for expression in (*drawn, *alerts)
        for name in re.findall(rf"{PREFIX}\w+", expression)
    }
    assert used <= known
    assert {PREFIX + name for name in HELP} <= used, "counted, and nobody looks at it"


async def test_gauges_are_exported_by_these_names(make_client: ClientMaker) -> None:
    async with make_client() as client:
        text = (await client.get("/metrics")).text
    for name in ("ready", "dense", "turns_in_progress", "turns_most", "resident_memory_bytes", "open_files"):
        assert f"\n{PREFIX}{name} " in text


def test_an_alert_is_explained() -> None:
    words = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    rules = [rule["alert"] for group in read("prometheus/alerts.yaml")["groups"] for rule in group["rules"]]
    assert rules
    assert [rule for rule in rules if f"`{rule}`" not in words] == []
