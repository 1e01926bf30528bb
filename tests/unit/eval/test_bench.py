from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from eval.bench import measures
from eval.bench.__main__ import main
from eval.bench.output import HEADER, render_table, render_value, to_json
from eval.bench.records import MeasurementError, Result, Sample, Target, extremes, middle, quantile
from eval.bench.registry import REGISTRY, Measurement, Registry, load_targets, run
from eval.bench.runs import Install, Replay, Runs, weigh
from eval.bench.workload import JOB_WORDS, MESSAGE_CHARACTERS, job_text, load_scripts, load_sentences, vary

A_REPLAY = Replay(
    passes_ms=((10.0, 30.0), (2.0, 4.0), (2.0, 6.0)),
    resident_mb=(180.0, 190.0, 195.0, 194.0),
    stage_ms=({"understanding": 2.0, "retrieval": 6.0}, {"understanding": 2.0, "retrieval": 22.0}),
)


def some_runs(**parts: object) -> Runs:
    """Runs that have happened already."""
    runs = Runs(Path("nowhere"), scripts=())
    vars(runs).update(parts)
    return runs


def a_result(**changes: object) -> Result:
    facts = {
        "name": "speed_ms", "what": "a turn", "unit": "ms", "command": "make bench ARGS='--only speed_ms'",
        "sample": Sample(12.34, 5, 10.0, 1500.0, "p25-p75", "on a note"), "target": Target(at_most=20),
    }  # fmt: skip
    return Result(**{**facts, **changes})  # type: ignore[arg-type]


# --- registry ---------------------------------------------------------------------------------


def test_every_measurement_has_a_name_a_unit_a_description_and_a_command() -> None:
    names = [each.name for each in REGISTRY]
    assert len(names) == len(set(names)) > 15
    for each in REGISTRY:
        assert each.unit
        assert each.what
        assert each.name in each.command
        assert each.command.startswith("make bench")


def test_every_target_belongs_to_a_measurement_and_has_one_bound() -> None:
    targets = load_targets()
    assert targets.keys() <= {each.name for each in REGISTRY}
    assert all((target.at_most is None) != (target.at_least is None) for target in targets.values())


def test_a_name_cannot_be_taken_twice() -> None:
    registry = Registry()
    registry.measurement("size_mb", "MB", "size")(lambda _: Sample(1))
    with pytest.raises(ValueError, match="two measurements are called 'size_mb'"):
        registry.measurement("size_mb", "MB", "another")


@pytest.mark.parametrize(
    ("name", "unit", "what"), [("", "s", "x"), ("a b", "s", "x"), ("a", " ", "x"), ("a", "s", "")]
)
def test_nothing_may_be_blank(name: str, unit: str, what: str) -> None:
    with pytest.raises(ValueError, match="needs a name"):
        Registry().measurement(name, unit, what)


def test_selection_keeps_the_order_and_names_what_is_unknown() -> None:
    chosen = REGISTRY.select(["installed_mb", "health_start_s"])
    assert [each.name for each in chosen] == ["health_start_s", "installed_mb"]
    assert REGISTRY.select([]) == list(REGISTRY)
    with pytest.raises(ValueError, match="unknown: nothing; known: health_start_s"):
        REGISTRY.select(["nothing"])


def test_what_cannot_be_measured_is_a_result_that_misses_its_target() -> None:
    def fails(_: Runs) -> Sample:
        raise MeasurementError("no package index")

    result = run(Measurement("size_mb", "size", "MB", fails), some_runs(), {"size_mb": Target(at_most=1)})
    assert (result.sample, result.failure, result.met) == (None, "no package index", False)


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "value", "met"),
    [
        (Target(at_most=8), 8, True),
        (Target(at_most=8), 8.01, False),
        (Target(at_least=200), 200, True),
        (Target(at_least=200), 199.9, False),
    ],
)
def test_a_bound_is_within(target: Target, value: float, met: bool) -> None:
    assert target.holds(value) is met


def test_quantiles_are_observations() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [quantile(values, share) for share in (0, 0.2, 0.21, 0.95, 1)] == [1, 1, 2, 5, 5]
    with pytest.raises(ValueError, match="no observations"):
        quantile([], 0.5)


def test_samples_carry_their_spread() -> None:
    assert middle([4.0, 1.0, 2.0, 3.0]) == Sample(2.5, 4, 1, 3, "p25-p75")
    assert extremes(9.0, [9.0, 7.0]) == Sample(9.0, 2, 7.0, 9.0, "min-max")


def test_cold_and_warm_turns_are_told_apart() -> None:
    runs = some_runs(replay=A_REPLAY)
    assert measures.turn_p50_cold(runs).value == 20
    assert measures.turn_p95_cold(runs).value == 30
    assert measures.turn_p50_warm(runs) == Sample(3.0, 4, 2.0, 4.0, "p25-p75")
    assert measures.memory_loaded(runs).value == 180
    assert measures.memory_warm(runs) == Sample(195.0, 3, 190.0, 195.0, "min-max")


def test_stage_shares_and_the_rest_make_up_the_whole() -> None:
    runs = some_runs(replay=A_REPLAY)
    shares = {each.name: each.measure(runs).value for each in REGISTRY if each.name.startswith("share_")}
    assert shares["share_retrieval_pct"] == 70
    assert shares["share_rest_pct"] == 20
    assert sum(shares.values()) == pytest.approx(100)


def test_installed_size_leaves_out_what_every_environment_has(tmp_path: Path) -> None:
    for name, size in (
        ("numpy/core/a.so", 3_000_000),
        ("numpy/a.pyc", 500_000),
        ("pip/b.py", 2_000_000),
        ("c.py", 1),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b" " * size)
    (tmp_path / "link.py").symlink_to(tmp_path / "c.py")
    sizes = weigh(tmp_path)
    assert sizes == {"numpy": 3_500_000, "pip": 2_000_000, "c.py": 1}
    runs = some_runs(install=Install(sizes))
    assert measures.installed(runs).value == pytest.approx(3.5, abs=0.001)
    assert measures.installed(runs).note.startswith("numpy 4")
    assert measures.installed_with_tools(runs).value == pytest.approx(5.5, abs=0.001)


# --- output -----------------------------------------------------------------------------------


def test_the_table_is_aligned_and_notes_follow() -> None:
    lost = a_result(name="lost_mb", sample=None, failure="no pip", target=None)
    lines = render_table([a_result(), lost]).splitlines()
    assert lines[0].split() == list(HEADER)
    assert lines[2].split("  ")[0] == "speed_ms"
    assert "12.3  ms" in lines[2]
    assert "10.0-1,500 (p25-p75)" in lines[2]
    assert "≤ 20" in lines[2]
    assert "yes" in lines[2]
    assert len({line.index("make") for line in lines[2:4]}) == 1
    assert lines[-2:] == ["speed_ms: on a note", "lost_mb: no pip"]


@pytest.mark.parametrize(("value", "expected"), [(0.4123, "0.41"), (12.34, "12.3"), (1234.5, "1,234")])
def test_values_are_short(value: float, expected: str) -> None:
    assert render_value(value) == expected


def test_the_file_says_nothing_about_where_it_was_made(tmp_path: Path) -> None:
    content = to_json([a_result()])
    assert content["machine"].keys() == {"python", "system", "cores", "date"}
    assert content["results"][0] == {
        "name": "speed_ms", "what": "a turn", "value": 12.34, "unit": "ms", "n": 5, "low": 10.0, "high": 1500.0,
        "spread": "p25-p75", "target": "≤ 20", "met": True, "command": "make bench ARGS='--only speed_ms'",
        "note": "on a note",
    }  # fmt: skip
    assert str(Path.cwd()) not in json.dumps(content)


def test_the_list_measures_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(list(REGISTRY))


# --- workload ---------------------------------------------------------------------------------


def test_conversations_vary_in_every_message_and_the_same_seed_repeats_them() -> None:
    scripts = load_scripts()
    rng = random.Random(7)
    varied = [vary(script, rng) for script in scripts for _ in range(3)]
    messages = [text for script in varied for text in script]
    assert len(set(messages)) == len(messages)
    assert vary(scripts[0], random.Random(7)) == varied[0]


def test_listed_things_change_their_order_and_nothing_else() -> None:
    script = ("We need Java, SQL, Spring, Docker and Kafka.",)
    orders = {vary(script, random.Random(seed))[0].partition(" (")[0] for seed in range(20)}
    assert len(orders) > 3
    assert {"".join(sorted(order)) for order in orders} == {"".join(sorted(script[0]))}


def test_job_texts_have_their_length_and_differ() -> None:
    sentences = load_sentences()
    texts = [job_text(sentences, "plant manager", random.Random(seed)) for seed in (1, 2)]
    assert texts[0] != texts[1]
    for text in texts:
        assert len(text.split()) == JOB_WORDS
        assert len(text) <= MESSAGE_CHARACTERS
    assert job_text(sentences, "plant manager", random.Random(1)) == texts[0]
