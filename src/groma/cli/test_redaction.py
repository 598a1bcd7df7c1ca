"""Pages and findings of redacted records name no host and no user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groma.cli.main import run
from groma.errors import ExitCode
from groma.facts.trace import KIND, TraceClock, TraceFacts, Tracing
from groma.hpccoutf.test_runs import SIXTEEN, run_text
from groma.record import Advice
from groma.record.io import write_record
from groma.run.provenance import analysis_record
from suite_records import stream, suite_record

NAMES = ("walnut", "cedar", "janet")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user, with records of a trace on two hosts, of which one is remote."""
    folder = tmp_path / "home" / "janet"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("groma.report.page.render_page", lambda *given, **more: f"{given} {more}")
    clocks = [TraceClock(name=name, aligned_by="round trips", error=0.0) for name in ("walnut.net", "cedar")]
    tracing = Tracing(program="/home/janet/app", library="", logs=2, log_bytes=1, hosts=clocks)
    for name in ("old", "new"):
        record = analysis_record(
            KIND, TraceFacts(duration=1.0, threads=2, nodes=2, ranks=[], tracing=tracing)
        )
        record.command = ["groma", "merge"]
        record.warnings = [Advice(code="clock", what="the clock of cedar drifts", next="leave walnut out")]
        write_record(folder / f"{name}.json", record)
    return folder


@pytest.fixture
def measured(home: Path) -> Path:
    """The same folder, with records of the suite on a host, which have quantities to compare."""
    for name in ("old", "new"):
        record = suite_record(stream({"copy": [1e10, 1.1e10]}))
        record.environment |= {"host": "walnut.net"}
        record.command = ["groma", "hpcc", "-o", f"{home}/{name}.json"]
        record.warnings = [Advice(code="load", what="walnut is busy", next="leave walnut out")]
        write_record(home / f"{name}.json", record)
    return home


def names_in(text: str) -> list[str]:
    return [name for name in NAMES if name in text]


def test_a_redacted_page_of_a_trace_names_none_of_its_hosts(home: Path) -> None:
    for options, found in (([], list(NAMES)), (["--redact"], [])):
        assert run(["report", *options, str(home / "old.json"), "-o", "p.html"]) == ExitCode.OK
        assert names_in(Path("p.html").read_text()) == found


def test_a_redacted_comparison_names_no_host_nor_folder_of_a_user(
    measured: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(measured / name) for name in ("old.json", "new.json")]
    words = ["compare", "--json", "--redact", *files, "-o", "c.html"]
    monkeypatch.setattr("sys.argv", ["groma", *words])
    assert run(words) == ExitCode.OK
    said = capsys.readouterr().out
    assert names_in(said) == []
    assert names_in(Path("c.html").read_text()) == []
    assert "/home/user/old.json" in str(json.loads(said)["command"])


def test_a_redacted_page_of_changes_names_no_folder_of_a_user(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (str(home / name) for name in ("old.json", "new.json"))
    words = ["report", "--redact", new, "--against", old, "-o", "p.html"]
    monkeypatch.setattr("sys.argv", ["groma", *words])
    assert run(words) == ExitCode.OK
    assert names_in(Path("p.html").read_text()) == []


def test_a_redacted_page_of_equally_named_files_names_no_folder_of_a_user(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = home.parent / "walnut"
    other.mkdir()
    files = [str(home / "old.json"), str((home / "new.json").rename(other / "old.json"))]
    assert run(["report", "--json", "--redact", *files, "-o", "p.html"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["records"] == ["old 1", "old 2"]
    assert names_in(Path("p.html").read_text()) == []


def test_a_redacted_comparison_of_equally_named_files_names_no_folder_of_a_user(
    measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = measured.parent / "walnut"
    other.mkdir()
    files = [str(measured / "old.json"), str((measured / "new.json").rename(other / "old.json"))]
    assert run(["compare", "--json", "--redact", *files]) == ExitCode.OK
    records = json.loads(capsys.readouterr().out)["facts"]["records"]
    assert [one["name"] for one in records] == ["old 1", "old 2"]


@pytest.mark.parametrize("verb", ["compare", "report"])
def test_a_file_that_is_named_after_a_host_is_named_after_its_number(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = suite_record(stream({"copy": [1e10, 1.1e10]}))
    for host in ("walnut", "cedar"):
        record.environment |= {"host": f"{host}.net"}
        Path(host).mkdir()
        write_record(Path(host) / f"hpcc_{host}_2026.json", record)
    files = ["walnut/hpcc_walnut_2026.json", "cedar/hpcc_cedar_2026.json"]
    words = [verb, "--redact", "--json", *files, "-o", "p.html"]
    monkeypatch.setattr("sys.argv", ["groma", *words])
    assert run(words) == ExitCode.OK
    said = capsys.readouterr().out
    assert names_in(said) == names_in(Path("p.html").read_text()) == []
    assert "hpcc_host-1_2026" in said
    assert "hpcc_host-2_2026" in said


def test_a_redacted_balance_names_no_host_folder_of_a_user_nor_platform_of_a_host(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for host in ("walnut", "cedar"):
        text = run_text(SIXTEEN | {"HPL_Tflops": f"0.{len(host)}"}).replace("node1", f"{host}17")
        assert f"Hostname: '{host}17'" in text
        (home / f"{host}17_hpccoutf.txt").write_text(text, encoding="utf-8")
    record = suite_record(stream({"copy": [1e10, 1.1e10]}))
    record.environment |= {"host": "walnut17"}
    record.warnings = [Advice(code="load", what="walnut17 is busy", next="ask cedar17")]
    write_record(home / "walnut17.json", record)
    outputs = [str(home / f"{host}17_hpccoutf.txt") for host in ("walnut", "cedar")]
    words = ["balance", "--redact", "--json", str(home / "walnut17.json"), outputs[0]]
    words += ["--reference", outputs[1], "-o", "p.html"]
    monkeypatch.setattr("sys.argv", ["groma", *words])
    assert run(words) == ExitCode.OK
    said = capsys.readouterr().out
    assert names_in(said) == names_in(Path("p.html").read_text()) == []
    systems = json.loads(said)["facts"]["systems"]
    assert [one["name"] for one in systems][1:] == ["host-1_hpccoutf", "host-2_hpccoutf"]
    assert len({one["platform"] for one in systems[1:]}) == 2
    assert "host-1 is busy" in said


def test_a_host_has_one_number_in_records_and_in_those_that_they_are_held_against(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts: dict[str, Any] = {}
    monkeypatch.setattr(
        "groma.report.page.render_page",
        lambda records, against: hosts.update(records=records, against=against) or "page",
    )
    record = suite_record(stream({"copy": [1e10, 1.1e10]}))
    for name, nodes in (("old", "birch,walnut-of-the-hill"), ("new", "birch")):
        record.environment |= {"host": "birch", "scheduler": {"name": "slurm", "nodes": nodes}}
        write_record(home / f"{name}.json", record)
    words = [
        "report",
        "--redact",
        str(home / "new.json"),
        "--against",
        str(home / "old.json"),
        "-o",
        "p.html",
    ]
    assert run(words) == ExitCode.OK
    ((name, shown),) = hosts["records"]
    assert {one.host for one in hosts["against"][name].facts.records} == {shown.environment["host"]}


def test_a_redacted_comparison_of_the_same_files_writes_no_reference_over_them(home: Path) -> None:
    before = (home / "old.json").read_bytes()
    words = ["compare", "--redact", str(home / "old.json"), "--write-reference", str(home / "old.json")]
    assert run(words) == ExitCode.USAGE
    assert (home / "old.json").read_bytes() == before


def test_changes_from_an_equally_named_file_tell_the_two_apart(home: Path) -> None:
    before = home / "before"
    before.mkdir()
    (home / "old.json").rename(before / "new.json")
    files = [str(home / "new.json"), "--against", str(before / "new.json")]
    assert run(["report", *files, "-o", "p.html"]) == ExitCode.OK
    assert all(f"name='{name}/new'" in Path("p.html").read_text() for name in ("janet", "before"))


def test_a_redacted_comparison_keeps_the_numbers_of_hosts(capsys: pytest.CaptureFixture[str]) -> None:
    record = suite_record(stream({"copy": [1e10, 1.1e10]}))
    record.environment |= {"host": "host-7", "redacted": True}
    for name in ("a.json", "b.json"):
        write_record(Path(name), record)
    assert run(["compare", "--json", "--redact", "a.json", "b.json"]) == ExitCode.OK
    found = json.loads(capsys.readouterr().out)["facts"]["records"]
    assert [one["host"] for one in found] == ["host-7", "host-7"]


def test_a_host_has_one_number_in_all_records_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    record = suite_record(stream({"copy": [1e10, 1.1e10]}))
    for name, nodes in (("a.json", "birch,walnut-of-the-hill"), ("b.json", "birch")):
        record.environment |= {"host": "birch", "scheduler": {"name": "slurm", "nodes": nodes}}
        write_record(Path(name), record)
    assert run(["compare", "--json", "--redact", "a.json", "b.json"]) == ExitCode.OK
    one, other = json.loads(capsys.readouterr().out)["facts"]["records"]
    assert one["host"] == other["host"]
