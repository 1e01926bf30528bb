"""The catalogue build, on exports made up for one oddity each."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Assessment, AssessmentId, Catalog, Duration, Level, TestType, load_catalog
from app.errors import CatalogError
from scripts.build_catalog import main
from scripts.catalog_export import (
    Correction,
    build_catalog,
    is_bundle,
    load_corrections,
    parse_duration,
    parse_export,
    parse_record,
)

RAW_PREFIX = "Approximate Completion Time in minutes = "


def a_row(slug: str = "alpha", **changes: Any) -> dict[str, Any]:
    row = {
        "entity_id": f"e-{slug}",
        "name": slug.title(),
        "link": f"https://www.shl.com/products/product-catalog/view/{slug}/",
        "job_levels": ["Mid-Professional"],
        "languages": ["English (USA)"],
        "duration": "10 minutes",
        "duration_raw": f"{RAW_PREFIX}10",
        "status": "ok",
        "remote": "yes",
        "adaptive": "no",
        "keys": ["Knowledge & Skills"],
    }
    return row | changes


def without(field: str) -> dict[str, Any]:
    row = a_row()
    del row[field]
    return row


def an_export(*rows: dict[str, Any]) -> bytes:
    return json.dumps(rows, ensure_ascii=False).encode()


def many(count: int) -> bytes:
    return an_export(*(a_row(f"test-{number:02}") for number in range(count)))


def build(*rows: dict[str, Any], corrections: tuple[Correction, ...] = ()) -> Catalog:
    return build_catalog(rows, corrections, lambda line: None)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Workshop:
    """A folder with an export and an output, and the command to run on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.export = folder / "export.json"
        self.corrections = folder / "corrections.json"
        self.corrections.write_text("[]", encoding="utf-8")
        self.data = folder / "data"
        self.data.mkdir()
        self.output = self.data / "catalog.json"

    def run(self, content: bytes | None = None, *flags: str, source: str | None = None) -> int:
        if content is not None:
            self.export.write_bytes(content)
        return main(
            [
                source or str(self.export),
                f"--output={self.output}",
                f"--corrections={self.corrections}",
                *flags,
            ]
        )


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


# --- one record ---


def test_reads_every_field_of_a_record() -> None:
    row = a_row(
        "net-4-5",
        entity_id=17,
        name=".NET",
        keys=["Simulations", "Knowledge & Skills"],
        languages=["Thai", "English (USA)"],
        adaptive="yes",
    )
    assert parse_record(row) == Assessment(
        id=AssessmentId("net-4-5"),
        entity_id="17",
        name=".NET",
        url="https://www.shl.com/products/product-catalog/view/net-4-5/",
        types=(TestType.SIMULATION, TestType.KNOWLEDGE),
        minutes=10,
        duration=Duration.STATED,
        levels=(Level.MID,),
        languages=("Thai", "English (USA)"),
        remote=True,
        adaptive=True,
    )


def test_keeps_an_escaped_slug_as_the_address_has_it() -> None:
    assert parse_record(a_row("ssas-%28new%29")).id == "ssas-%28new%29"


@pytest.mark.parametrize(
    ("shown", "raw", "minutes", "kind"),
    [
        ("10 minutes", "10", 10, Duration.STATED),
        ("7 minutes", "7 minutes", 7, Duration.STATED),
        ("15 minutes", "", 15, Duration.STATED),
        ("", "15", 15, Duration.STATED),
        ("15 minutes", "15 to 35", 15, Duration.STATED),
        ("15 minutes", "15-35", 15, Duration.STATED),
        ("60 minutes", "max 60", 60, Duration.CEILING),
        ("25 minutes", "Untimed, approx. 25", 25, Duration.UNTIMED),
        ("Untimed", "Untimed", None, Duration.UNTIMED),
        ("Variable", "Variable", None, Duration.VARIABLE),
        ("TBC", "TBC", None, Duration.TO_BE_CONFIRMED),
        ("N/A", "N/A", None, Duration.NOT_APPLICABLE),
        ("-", "-", None, Duration.DASH),
        ("0 minutes", "0", None, Duration.ZERO),
        ("", "", None, Duration.EMPTY),
    ],
)
def test_reads_each_wording_of_a_time(shown: str, raw: str, minutes: int | None, kind: Duration) -> None:
    assert parse_duration(shown, raw) == (minutes, kind)
    assessment = parse_record(a_row(duration=shown, duration_raw=raw and RAW_PREFIX + raw))
    assert (assessment.minutes, assessment.duration) == (minutes, kind)


@pytest.mark.parametrize("field", ["duration", "duration_raw"])
def test_reads_a_time_when_one_of_its_two_fields_is_null(field: str) -> None:
    assert parse_record(a_row() | {field: None}).minutes == 10


@pytest.mark.parametrize(
    ("shown", "raw"),
    [("10 minutes", "12"), ("10 minutes", "TBC"), ("Untimed", "max 20")],
)
def test_refuses_times_that_contradict_each_other(shown: str, raw: str) -> None:
    with pytest.raises(ValueError, match="contradicts"):
        parse_duration(shown, raw)


@pytest.mark.parametrize("wording", ["1 hour", "soon", "-5", "7.5", "0 to 30", "4000"])
def test_refuses_a_time_nobody_knows(wording: str) -> None:
    with pytest.raises(CatalogError, match=r"record 'Alpha': unknown duration"):
        parse_record(a_row(duration=wording))


def test_collapses_white_space_and_control_characters() -> None:
    row = a_row(name=" Big\n\t  Data\x07 (New)\u200b ", languages=["French\r\n(Canada)"])
    assessment = parse_record(row)
    assert assessment.name == "Big Data (New)"
    assert assessment.languages == ("French (Canada)",)


def test_lists_a_repeated_word_once() -> None:
    row = a_row(
        keys=["Simulations", "Competencies", "Simulations"],
        languages=["Thai", "Dutch", "Thai", ""],
        job_levels=["Graduate", "Graduate"],
    )
    assessment = parse_record(row)
    assert assessment.test_type == "S,C"
    assert assessment.languages == ("Thai", "Dutch")
    assert assessment.levels == (Level.GRADUATE,)


def test_puts_levels_in_one_order_whatever_the_export_has() -> None:
    one = parse_record(a_row(job_levels=["Executive", "Entry-Level", "Manager"]))
    other = parse_record(a_row(job_levels=["Manager", "Executive", "Entry-Level"]))
    assert one.levels == other.levels == (Level.ENTRY, Level.MANAGER, Level.EXECUTIVE)


@pytest.mark.parametrize("nothing", [[], None, [""]])
def test_takes_empty_levels_and_languages_as_unknown(nothing: object) -> None:
    assessment = parse_record(a_row(job_levels=nothing, languages=nothing))
    assert assessment.levels == ()
    assert assessment.languages == ()


@pytest.mark.parametrize(
    "field",
    [
        "entity_id",
        "name",
        "link",
        "job_levels",
        "languages",
        "duration",
        "remote",
        "adaptive",
        "keys",
    ],
)
def test_names_the_record_and_the_field_that_is_missing(field: str) -> None:
    label = "view/alpha/" if field == "name" else "Alpha"
    with pytest.raises(CatalogError, match=f"record '.*{label}'.*'{field}' is missing"):
        parse_record(without(field))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": " \n"}, "'name' is empty"),
        ({"entity_id": None}, "'entity_id' is empty"),
        ({"link": ""}, "'link' is empty"),
        ({"link": "https://www.shl.com/"}, "ends in a slug"),
        ({"link": "http://www.shl.com/view/alpha/"}, "https"),
        ({"link": "https://www.shl.com/view/alpha/?a=1"}, "ends in a slug"),
        ({"keys": []}, "'keys' is empty"),
        ({"keys": ["Juggling"]}, "unknown word 'Juggling' in 'keys'"),
        ({"keys": "Simulations"}, "'keys' is not a list"),
        ({"job_levels": ["Wizard"]}, "unknown word 'Wizard' in 'job_levels'"),
        ({"languages": [["Thai"]]}, "is not text"),
        ({"remote": "maybe"}, "'remote' is 'maybe'"),
        ({"adaptive": ""}, "'adaptive' is ''"),
        ({"status": "timeout"}, "status is 'timeout'"),
    ],
    ids=str,
)
def test_names_the_record_and_what_is_wrong_with_it(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(CatalogError, match="record ") as caught:
        parse_record(a_row(**changes))
    assert complaint in str(caught.value)


# --- all records ---


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Front Desk Solution", True),
        ("Sales\n Solution (New)", True),
        ("Solutions Architect", False),
        ("Conflict Resolution", False),
        ("Dissolution", False),
        ("Desk Simulation", False),
    ],
)
def test_leaves_out_job_solutions_only(name: str, expected: bool) -> None:
    assert is_bundle(a_row(name=name)) is expected


def test_does_not_look_inside_a_job_solution() -> None:
    assert build(a_row(), a_row("b", name="B Solution", keys=["Juggling"])).ids == ("alpha",)


def test_reports_the_job_solutions_left_out() -> None:
    notes: list[str] = []
    build_catalog([a_row(), a_row("b", name="B Solution")], (), notes.append)
    assert notes == ["1 job solutions left out: B Solution"]


def test_keeps_a_repeated_record_once_and_reports_it() -> None:
    notes: list[str] = []
    catalog = build_catalog([a_row(), a_row("b"), a_row()], (), notes.append)
    assert catalog.ids == ("alpha", "b")
    assert notes == ["repeated record of alpha left out"]


def test_refuses_two_different_records_with_one_id() -> None:
    with pytest.raises(CatalogError, match="'alpha' twice"):
        build(a_row(), a_row(name="Other"))


def test_refuses_two_ids_for_one_entity() -> None:
    with pytest.raises(CatalogError, match="entity 5 to 'alpha' and to 'beta'"):
        build(a_row(entity_id="5"), a_row("beta", entity_id="5"))


def test_refuses_an_export_of_job_solutions_alone() -> None:
    with pytest.raises(CatalogError, match="empty"):
        build(a_row(name="Alpha Solution"))


ALPHA = Correction(id="alpha", exported_name="Alpha 365", name="Alpha Excel 365", reason="lost")


def test_corrects_a_name_and_reports_it() -> None:
    notes: list[str] = []
    catalog = build_catalog([a_row(name="Alpha \n 365")], [ALPHA], notes.append)
    assert catalog["alpha"].name == "Alpha Excel 365"
    assert notes == ["name of alpha corrected to 'Alpha Excel 365'"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (a_row(name="Alpha Excel 365"), "the export says 'Alpha Excel 365'"),
        (a_row(name="Alpha Word 365"), "the export says 'Alpha Word 365'"),
        (a_row("beta"), "the export has no such record"),
    ],
    ids=["already right", "changed", "gone"],
)
def test_reports_a_correction_that_no_longer_applies(row: dict[str, Any], said: str) -> None:
    notes: list[str] = []
    catalog = build_catalog([row], [ALPHA], notes.append)
    assert [assessment.name for assessment in catalog] == [row["name"]]
    assert notes == [f"correction of alpha no longer applies: {said}"]


def test_the_projects_corrections_file_can_be_read() -> None:
    path = Path(__file__).parents[3] / "data" / "catalog_corrections.json"
    assert all(correction.reason for correction in load_corrections(path))


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"id": "a"}]', "1"])
def test_names_a_corrections_file_that_cannot_be_used(tmp_path: Path, text: str) -> None:
    path = tmp_path / "corrections.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError, match=r"corrections\.json cannot be used"):
        load_corrections(path)


# --- the export as a whole ---


def test_reads_raw_control_characters_inside_strings() -> None:
    content = an_export(a_row(name="A@B")).replace(b"@", b" \n\t\x01 ")
    (row,) = parse_export(content, pytest.fail)
    assert parse_record(row).name == "A B"


def test_reads_a_byte_order_mark() -> None:
    assert parse_export(b"\xef\xbb\xbf[]", pytest.fail) == []


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ('"first", "second"', "second"),
        ('"first", ""', "first"),
        ('"first", null', "first"),
        ('"", "second"', "second"),
    ],
)
def test_keeps_the_last_value_of_a_repeated_key_that_is_not_empty(values: str, kept: str) -> None:
    notes: list[str] = []
    one, two = values.split(", ")
    content = f'[{{"name": {one}, "name": {two}}}]'.encode()
    assert parse_export(content, notes.append) == [{"name": kept}]
    assert len(notes) == 1
    assert "'name' given twice" in notes[0]


UNUSABLE = {
    "empty": (b"", "empty"),
    "blank": (b" \n", "empty"),
    "web page": (b"\xef\xbb\xbf\n<!DOCTYPE html><title>502</title>", "web page"),
    "truncated": (an_export(a_row(), a_row("beta"))[:-40], "not all of it"),
    "truncated in a character": ('["é'.encode()[:-1], "not JSON"),
    "latin-1": ('["é"]'.encode("latin-1"), "not JSON"),
    "nested too deeply": (b"[" * 200_000, "not JSON"),
    "object": (b'{"error": "busy"}', "array"),
    "null": (b"null", "array"),
    "array of text": (b'["a"]', "record 1"),
    "no records": (b"[]", "the catalogue is empty"),
    "bad record": (an_export(a_row(), a_row("beta", keys=["Juggling"])), "'Beta'"),
}


@pytest.mark.parametrize(("content", "complaint"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_changes_nothing_when_the_export_cannot_be_used(
    workshop: Workshop, capsys: pytest.CaptureFixture[str], content: bytes, complaint: str
) -> None:
    workshop.run(many(3))
    before = files_in(workshop.data)
    assert workshop.run(content, "--force") == 1
    assert files_in(workshop.data) == before
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert complaint in error


# --- the command ---


def test_writes_one_sorted_record_a_line_that_the_store_reads(workshop: Workshop) -> None:
    content = an_export(a_row("beta", name="Bêta 360°"), a_row("alpha"))
    assert workshop.run(content) == 0
    text = workshop.output.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("[", "]", 4)
    assert list(json.loads(lines[1].rstrip(","))) == (
        [
            "id",
            "entity_id",
            "name",
            "url",
            "types",
            "minutes",
            "duration",
            "levels",
            "languages",
            "remote",
            "adaptive",
        ]
    )
    assert '"name":"Bêta 360°"' in lines[2]
    assert load_catalog(workshop.output).ids == ("alpha", "beta")
    assert [path.name for path in workshop.data.iterdir()] == ["catalog.json"]


def test_writes_the_same_bytes_for_another_order_of_records(workshop: Workshop) -> None:
    workshop.run(an_export(a_row("beta"), a_row("alpha")))
    before = workshop.output.read_bytes()
    workshop.run(an_export(a_row("alpha"), a_row("beta")))
    assert workshop.output.read_bytes() == before


def test_makes_the_output_folder(workshop: Workshop) -> None:
    workshop.output = workshop.data / "new" / "catalog.json"
    assert workshop.run(many(1)) == 0
    assert len(load_catalog(workshop.output)) == 1


def test_prints_what_was_added_removed_and_changed(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.run(an_export(a_row("a"), a_row("b"), a_row("c"), a_row("d"), a_row("e")))
    capsys.readouterr()
    longer = a_row("b", duration="12 minutes", duration_raw="", languages=["Thai"])
    workshop.run(an_export(longer, a_row("c"), a_row("d"), a_row("e"), a_row("f")))
    assert capsys.readouterr().out.splitlines() == [
        "- a",
        '~ b: minutes 10 -> 12; languages ["English (USA)"] -> ["Thai"]',
        "+ f",
        f"5 records read, 5 assessments, {workshop.output} written",
    ]


def test_prints_only_the_summary_on_a_first_build(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.run(many(3))
    assert capsys.readouterr().out == f"3 records read, 3 assessments, {workshop.output} written\n"


def test_leaves_an_up_to_date_file_alone(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    workshop.run(many(2))
    before = workshop.output.stat()
    assert workshop.run() == 0
    after = workshop.output.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert capsys.readouterr().out.endswith("up to date\n")


def test_check_accepts_an_up_to_date_file(workshop: Workshop) -> None:
    workshop.run(many(2))
    assert workshop.run(None, "--check") == 0


def test_check_reports_a_file_that_differs_and_leaves_it(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.run(many(2))
    before = files_in(workshop.data)
    assert workshop.run(many(3), "--check") == 1
    assert files_in(workshop.data) == before
    assert "+ test-02" in capsys.readouterr().out


def test_check_reports_a_file_edited_in_its_spacing_only(workshop: Workshop) -> None:
    workshop.run(many(2))
    workshop.output.write_bytes(workshop.output.read_bytes() + b"\n")
    assert workshop.run(None, "--check") == 1


def test_check_reports_a_file_that_is_missing(workshop: Workshop) -> None:
    assert workshop.run(many(2), "--check") == 1
    assert files_in(workshop.data) == {}


@pytest.mark.parametrize(("count", "code"), [(8, 0), (7, 1)], ids=["20 %", "30 %"])
def test_refuses_an_export_that_lost_more_than_a_fifth(
    workshop: Workshop, capsys: pytest.CaptureFixture[str], count: int, code: int
) -> None:
    workshop.run(many(10))
    before = files_in(workshop.data)
    assert workshop.run(many(count)) == code
    assert (files_in(workshop.data) == before) is bool(code)
    assert ("--force" in capsys.readouterr().err) is bool(code)


def test_force_writes_a_shrunken_catalogue(workshop: Workshop) -> None:
    workshop.run(many(10))
    assert workshop.run(many(2), "--force") == 0
    assert len(load_catalog(workshop.output)) == 2


def test_replaces_a_last_build_that_cannot_be_read(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.output.write_text("[{", encoding="utf-8")
    assert workshop.run(many(1)) == 0
    assert len(load_catalog(workshop.output)) == 1
    assert "note: the last build is ignored" in capsys.readouterr().out


def test_applies_the_corrections_file(workshop: Workshop) -> None:
    row = {"id": "alpha", "exported_name": "Alpha", "name": "Alpha 2", "reason": "lost"}
    workshop.corrections.write_text(json.dumps([row]), encoding="utf-8")
    assert workshop.run(an_export(a_row())) == 0
    assert load_catalog(workshop.output)["alpha"].name == "Alpha 2"


def test_stops_when_the_corrections_file_is_missing(workshop: Workshop) -> None:
    workshop.corrections.unlink()
    assert workshop.run(many(1)) == 1
    assert files_in(workshop.data) == {}


def test_stops_when_there_is_no_export(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    assert workshop.run() == 1
    assert "export.json cannot be read" in capsys.readouterr().err


def test_keeps_the_old_file_when_the_disk_fails(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    workshop.run(many(2))
    before = files_in(workshop.data)
    monkeypatch.setattr("os.fsync", fail)
    assert workshop.run(many(3)) == 1
    assert files_in(workshop.data) == before
    assert "cannot be written" in capsys.readouterr().err


def test_stops_when_the_output_is_a_folder(workshop: Workshop) -> None:
    workshop.output.mkdir()
    assert workshop.run(many(1)) == 1
    assert [path.name for path in workshop.data.iterdir()] == ["catalog.json"]


# --- over HTTP ---

Serve = Callable[[bytes, int], str]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve given bytes under a loopback address; `cut` bytes of them are never sent."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    servers = []

    def start(content: bytes, status: int = 200, cut: int = 0) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/moved":
                    self.send_response(302)
                    self.send_header("Location", "/export.json")
                    self.end_headers()
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) - cut])

            def log_message(self, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("path", ["/export.json", "/moved"])
def test_reads_the_export_from_an_address(workshop: Workshop, serve: Serve, path: str) -> None:
    assert workshop.run(source=serve(many(2), 200) + path) == 0
    assert len(load_catalog(workshop.output)) == 2


@pytest.mark.parametrize(
    ("content", "status", "cut"),
    [
        (many(4), 503, 0),
        (b"<html>sign in</html>", 200, 0),
        (many(3), 200, 50),
        (b"", 200, 0),
    ],
    ids=["error page", "web page", "cut off", "empty"],
)
def test_changes_nothing_when_the_download_fails(
    workshop: Workshop, serve: Callable[..., str], content: bytes, status: int, cut: int
) -> None:
    workshop.run(many(3))
    before = files_in(workshop.data)
    assert workshop.run(source=serve(content, status, cut) + "/export.json") == 1
    assert files_in(workshop.data) == before


@pytest.mark.parametrize("source", ["http://127.0.0.1:1/export.json", "http://", "https://[::"])
def test_names_an_address_that_does_not_answer(
    workshop: Workshop,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    source: str,
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert workshop.run(source=source) == 1
    assert f"{source} cannot be read" in capsys.readouterr().err
