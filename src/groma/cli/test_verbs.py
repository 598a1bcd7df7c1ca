"""Each verb answers in three formats and survives hard surroundings."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.cli.main import run
from groma.cli.report import distinct_names, file_names
from groma.cli.test_support import answer, refusal
from groma.errors import ExitCode
from groma.facts.reading import read_record
from groma.record.io import write_record
from groma.report.kinds.survey import SECTIONS
from groma.report.template import PLACEHOLDER

if TYPE_CHECKING:
    from groma.facts.survey import SurveyFacts
    from groma.record import Record

    Captured = pytest.CaptureFixture[str]

PROBES = """\
{"name": "load_latency", "title": "Load latency", "measures": "time of a load (s)", "method": "chase",
 "traffic": "16 bytes", "reference": "a paper", "order": 1, "parameters": [
 {"name": "budget", "quick": "1", "standard": "2", "thorough": "3", "help": "seconds"}]}
"""


pytestmark = pytest.mark.usefixtures("nothing_configured")


@pytest.fixture
def probe_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for groma-probe that knows one probe."""
    program = tmp_path / "native" / "groma-probe"
    program.parent.mkdir()
    listed = " ".join(PROBES.splitlines())
    build = '{"version": "0.1.0"}'
    program.write_text(f"#!/bin/sh\n[ $1 = build ] && echo '{build}' || echo '{listed}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("GROMA_NATIVE_PATH", str(program.parent))
    return program


FOREIGN = {
    "empty.json": "",
    "foreign.json": '{"cpu": "fast"}',
    "list.json": "[1]",
    "text.json": "hello",
    "later.json": '{"schema": "groma.record/9", "kind": "survey"}',
    "short.json": '{"schema": "groma.record/1", "kind": "sur',
}


@pytest.mark.parametrize("verb", ["show", "report"])
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_files_are_refused_by_name(verb: str, name: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / name).write_text(FOREIGN[name])
    assert run([verb, name]) == ExitCode.USAGE
    assert name in refusal(capsys)[0]
    assert not (tmp_path / "groma-report.html").exists()


@pytest.mark.parametrize("verb", ["show", "report"])
def test_missing_files_are_refused_by_name(verb: str, capsys: Captured) -> None:
    assert run([verb, "absent.json"]) == ExitCode.USAGE
    assert "absent.json" in refusal(capsys)[0]


@pytest.mark.parametrize("verb", ["show", "report"])
def test_the_profile_of_this_folder_is_read_if_no_file_is_named(
    verb: str, example_profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("groma.report.page.built_template", lambda: PLACEHOLDER)
    (tmp_path / "groma-profile.json").write_bytes(example_profile.read_bytes())
    assert run([verb]) == ExitCode.OK
    assert capsys.readouterr().out


@pytest.mark.parametrize("verb", ["show", "report"])
def test_without_a_file_and_a_profile_here_the_next_step_is_said(verb: str, capsys: Captured) -> None:
    assert run([verb]) == ExitCode.USAGE
    what, step = refusal(capsys)
    assert "no file is named, and there is no groma-profile.json here" in what
    assert "groma survey" in step


def test_the_profile_of_this_folder_has_the_name_in_the_settings(
    example_profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROMA_SURVEY_OUTPUT", "mine.json")
    (tmp_path / "mine.json").write_bytes(example_profile.read_bytes())
    assert run(["show"]) == ExitCode.OK


@pytest.mark.parametrize("verb", ["show", "report", "compare"])
def test_a_dash_is_answered_with_the_name_of_standard_input(verb: str, capsys: Captured) -> None:
    assert run([verb, "-"]) == ExitCode.USAGE
    assert "/dev/stdin" in refusal(capsys)[1]


def test_a_truncated_profile_says_where_it_ends(
    example_profile: Path, tmp_path: Path, capsys: Captured
) -> None:
    content = example_profile.read_bytes()
    (tmp_path / "half.json").write_bytes(content[: len(content) // 2])
    assert run(["show", "half.json"]) == ExitCode.USAGE
    assert "line" in refusal(capsys)[0]


def test_help_of_show_lists_every_section(capsys: Captured) -> None:
    assert run(["show", "--help"]) == ExitCode.OK
    text = "".join(capsys.readouterr().out.split())  # a name may be wrapped at its hyphen
    assert f"Sectionsofaprofile:{','.join(SECTIONS)}." in text


@pytest.mark.parametrize(
    ("verb", "stated"),
    [
        (["hpcc"], "samples of each test (default: 5)."),
        (["hpcc"], "after this time (default: 60s)."),
        (["map"], "Launches of each placement (default: 5)."),
        (["randomaccess", "run"], "4 to 1024 (default: 1024)."),
        (["randomaccess", "run"], "Number of parts of the run (default: 5)."),
        (["randomaccess", "errors"], "(default: each, with 1, 16 and 32 locks)."),
    ],
)
def test_help_states_the_default_of_each_number(verb: list[str], stated: str, capsys: Captured) -> None:
    assert run([*verb, "--help"]) == ExitCode.OK
    assert stated in " ".join(capsys.readouterr().out.split())


def test_show_in_three_renderers(example_profile: Path, capsys: Captured) -> None:
    assert run(["show", str(example_profile), "caches"]) == ExitCode.OK
    in_pipe = capsys.readouterr().out
    assert run(["show", str(example_profile), "caches", "--color", "always"]) == ExitCode.OK
    on_terminal = capsys.readouterr().out
    assert run(["show", str(example_profile), "caches", "--json"]) == ExitCode.OK
    caches = answer(capsys)["caches"]
    assert caches[0]["size"]["unit"] == "B"
    for said in ("L1d", "32 KiB", "agrees"):
        assert said in in_pipe
        assert said in on_terminal
    assert "\x1b[" in on_terminal
    assert "\x1b[" not in in_pipe


def test_show_refuses_an_unknown_section(example_profile: Path, capsys: Captured) -> None:
    assert run(["show", str(example_profile), "cashes"]) == ExitCode.USAGE
    assert "cashes" in refusal(capsys)[0]


def test_whole_profile_as_json_is_the_profile(example_profile: Path, capsys: Captured) -> None:
    assert run(["show", str(example_profile), "--json"]) == ExitCode.OK
    assert answer(capsys) == json.loads(msgspec.json.encode(read_record(example_profile)))


def test_list_and_describe(probe_program: Path, capsys: Captured) -> None:
    assert run(["list"]) == ExitCode.OK
    assert "load_latency  Load latency  1, 2, 3" in capsys.readouterr().out
    assert run(["list", "--json"]) == ExitCode.OK
    assert answer(capsys)[0]["name"] == "load_latency"
    assert run(["describe", "load_latency"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "docs/probes/load_latency.md" in shown
    assert "seconds" in shown
    assert run(["describe", "load_latency", "--json"]) == ExitCode.OK
    assert answer(capsys)["doc"] == "docs/probes/load_latency.md"


HPCC_LIST = (
    '{"name": "dgemm", "title": "Matrix multiplication", "measures": "flop/s", "formula": "2 n^3 / time", '
    '"validation": "residual", "reference": "a paper", "order": 20}'
)


def mpi_program(path: Path, listed: str) -> None:
    """A program under MPI that lists what it can run."""
    build = '{"build": {"version": "0.1.0"}, "mpi": "Open MPI v4"}'
    path.write_text(f"#!/bin/sh\n[ $1 = list ] && echo '{listed}' || echo '{build}'\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("probe", "page"),
    [("net_distance", "docs/network/distance.md"), ("net_loggp", "docs/network/layers.md")],
)
def test_probes_of_the_network_are_listed_and_described(
    probe: str, page: str, probe_program: Path, capsys: Captured
) -> None:
    listed = PROBES.replace("load_latency", probe).replace("\n", " ")
    mpi_program(probe_program.with_name("groma-network"), listed)
    assert run(["list", "--json"]) == ExitCode.OK
    assert [one["name"] for one in answer(capsys)][:2] == ["load_latency", probe]
    assert run(["describe", probe]) == ExitCode.OK
    assert page in capsys.readouterr().out
    assert run(["describe", probe.replace("net_loggp", "loggp")]) == ExitCode.OK
    assert page in capsys.readouterr().out
    assert (Path(__file__).parents[3] / page).is_file()


def test_tests_of_the_suite_are_listed_and_described(probe_program: Path, capsys: Captured) -> None:
    mpi_program(probe_program.with_name("groma-hpcc"), HPCC_LIST)
    assert run(["list"]) == ExitCode.OK
    assert "dgemm               Matrix multiplication" in capsys.readouterr().out
    assert run(["list", "--json"]) == ExitCode.OK
    named = [one["name"] for one in answer(capsys)]
    assert named[:2] == ["load_latency", "dgemm"]
    assert run(["describe", "dgemm"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "2 n^3 / time" in shown
    assert "groma hpcc --only dgemm" in shown
    assert run(["describe", "dgem"]) == ExitCode.USAGE
    assert "did you mean dgemm?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["dgemm_star", "hpcc.dgemm.star"])
def test_a_quantity_of_the_suite_is_described_by_its_test(
    name: str, probe_program: Path, capsys: Captured
) -> None:
    mpi_program(probe_program.with_name("groma-hpcc"), HPCC_LIST)
    assert run(["describe", name]) == ExitCode.OK
    shown = capsys.readouterr()
    assert "groma hpcc --only dgemm" in shown.out
    assert f"{name} is a quantity of the test dgemm" in shown.err


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("triad_star", "stream is a test of groma hpcc; groma-hpcc is not built"),
        ("dgemm", "dgemm is a test of groma hpcc; groma-hpcc is not built"),
        ("net_distance", "net_distance is a probe of groma survey --network; groma-network is not built"),
    ],
)
def test_what_is_not_built_is_described_with_the_command_that_builds_it(
    name: str, what: str, probe_program: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.delenv("GROMA_NATIVE_PATH", raising=False)
    monkeypatch.setenv("PATH", str(probe_program.parent))
    monkeypatch.setattr("sys.executable", str(probe_program.with_name("python")))
    assert run(["describe", name]) == ExitCode.ENVIRONMENT
    shown = capsys.readouterr().err
    assert what in shown
    assert "make setup" in shown


def test_described_probe_is_sought_by_name(probe_program: Path, capsys: Captured) -> None:
    assert run(["describe", "load_latancy"]) == ExitCode.USAGE
    assert "did you mean load_latency?" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["list"], ["describe", "x"], ["doctor"]])
def test_without_native_programs_it_is_an_environment_error(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    assert run(arguments) == ExitCode.ENVIRONMENT
    shown = capsys.readouterr()
    assert "make setup" in shown.out + shown.err


def test_doctor_lists_findings_with_codes(capsys: Captured) -> None:
    run(["doctor", "--json"])
    findings = answer(capsys)["findings"]
    assert {"code", "severity", "what", "repair", "group"} == set(findings[0])
    run(["doctor"])
    assert passed_checks(capsys.readouterr().out) != []
    run(["doctor", "--quiet"])
    assert passed_checks(capsys.readouterr().out) == []


def passed_checks(shown: str) -> list[str]:
    """By their mark, which names of programs such as c++ may hold as well."""
    return [line for line in shown.splitlines() if line.lstrip().startswith("+ ")]


def test_config_shows_values_with_origins(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("GROMA_SURVEY_DEPTH", "quick")
    assert run(["config", "show", "--origin"]) == ExitCode.OK
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("survey.depth"))
    assert line.split() == ["survey.depth", '"quick"', "environment", "(GROMA_SURVEY_DEPTH)"]
    assert run(["config", "show", "--json"]) == ExitCode.OK
    assert answer(capsys)["survey"]["depth"] == "quick"
    assert run(["config", "show", "--origin", "--json"]) == ExitCode.OK
    origin = {"value": "quick", "layer": "environment", "place": "GROMA_SURVEY_DEPTH"}
    assert answer(capsys)["survey.depth"] == origin


@pytest.mark.parametrize(
    ("arguments", "path"),
    [(["config", "init"], "xdg/groma/config.toml"), (["config", "init", "--project"], "groma.toml")],
)
def test_config_init_writes_once(arguments: list[str], path: str, tmp_path: Path, capsys: Captured) -> None:
    assert run(arguments) == ExitCode.OK
    assert (tmp_path / path).exists()
    capsys.readouterr()
    assert run(arguments) == ExitCode.USAGE
    assert "exists already" in refusal(capsys)[0]
    assert run(["config", "show"]) == ExitCode.OK


def test_report_writes_the_configured_page(
    example_profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("groma.report.page.render_page", lambda records: f"{len(records)} records")
    (tmp_path / "groma.toml").write_text('[report]\noutput = "page.html"\n')
    assert run(["report", str(example_profile), "--json"]) == ExitCode.OK
    assert answer(capsys) == {"page": "page.html", "bytes": 9, "records": ["example-profile"]}
    assert run(["report", str(example_profile), "-o", "other.html"]) == ExitCode.OK
    assert (tmp_path / "other.html").read_text() == "1 records"


@pytest.mark.parametrize(
    ("place", "cause"),
    [("/dev/full", "no space left"), ("absent/page.html", "no such file"), ("/proc/page.html", "")],
)
def test_a_page_that_cannot_be_written_is_an_environment_error(
    place: str, cause: str, example_profile: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("groma.report.page.render_page", lambda _records: "page")
    assert run(["report", str(example_profile), "-o", place]) == ExitCode.ENVIRONMENT
    what = refusal(capsys)[0]
    assert place in what
    assert cause in what


def test_pages_of_equally_named_files_are_distinct() -> None:
    assert distinct_names([Path("a.json"), Path("b.json")]) == ["a", "b"]
    assert distinct_names([Path("x/p.json"), Path("y/p.json")]) == ["x/p", "y/p"]
    assert distinct_names([Path("p.json"), Path("p.json")]) == ["p", "p"]
    assert distinct_names([Path("run.json"), Path("run.txt"), Path("q.txt")]) == ["run.json", "run.txt", "q"]


def test_names_of_files_without_their_folders_are_distinct_by_number() -> None:
    homes = [Path("/home/ann/p.json"), Path("/home/bob/p.json"), Path("q.json")]
    assert file_names(homes) == ["ann/p", "bob/p", "q"]
    assert file_names(homes, redact=True) == ["p 1", "p 2", "q"]
    numbered = [*homes, Path("x/p 1.json"), Path("y/p 3.json")]
    assert file_names(numbered, redact=True) == ["p 2", "p 4", "q", "p 1", "p 3"]


def test_a_broken_settings_file_stops_before_anything_is_done(
    example_profile: Path, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "groma.toml").write_text('[report]\noutptu = "x"\n')
    assert run(["report", str(example_profile)]) == ExitCode.USAGE
    assert "report.outptu" in refusal(capsys)[0]


def test_inferred_caches_are_shown_with_their_confidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    size = {"value": 32768, "unit": "B", "low": 30720, "high": 36864, "confidence": 0.97, "method": "m"}
    latency = {"value": 1.3, "unit": "ns", "low": 1.2, "high": 1.4, "confidence": 0.95, "method": "m"}
    answered = {
        "caches": [{"level": 1, "size": size, "latency": latency}],
        "memory": {"latency": {**latency, "value": 90.5, "low": 90.5, "high": 90.5}},
        "warnings": [{"code": "curve.short", "what": "few points", "next": "measure more sizes"}],
    }
    monkeypatch.setattr("groma.survey.infer.caches.infer_caches", lambda _curve: None)
    monkeypatch.setattr("groma.survey.infer.caches.answer", lambda _found, _indexing: answered)
    monkeypatch.setattr("groma.survey.infer.indexing.indexing_of_file", lambda _curves, _found: [])
    monkeypatch.setattr("groma.survey.infer.curve.read_curves", lambda _path: SimpleNamespace(best=None))
    assert run(["infer", "caches", "curve.csv"]) == ExitCode.OK
    shown = " ".join(capsys.readouterr().out.split())
    assert "L1 32 KiB [30, 36] 1.30 ns [1.20, 1.40] 97 %" in shown
    assert "latency 90.5 ns" in shown
    assert "-> measure more sizes" in shown
    assert run(["infer", "caches", "curve.csv", "--json"]) == ExitCode.OK
    assert answer(capsys) == answered


def test_a_curve_that_is_missing_is_refused(capsys: Captured) -> None:
    assert run(["infer", "caches", "absent.csv"]) == ExitCode.USAGE
    assert "absent.csv" in refusal(capsys)[0]


def test_layers_of_a_matrix_are_shown_with_their_groups(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "m.csv").write_text("0,9,40,41\n9,0,40,42\n40,40,0,9\n41,42,9,0\n")
    assert run(["infer", "core-to-core", "m.csv"]) == ExitCode.OK
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 9 ns 2 2 of 2: 0-1 2-3" in shown
    assert run(["infer", "core-to-core", "m.csv", "--json"]) == ExitCode.OK
    reported = answer(capsys)
    assert reported["cores"] == [0, 1, 2, 3]
    assert reported["layers"][0]["groups"] == [[0, 1], [2, 3]]
    assert reported["layers"][1]["pairs"] == [[0, 2], [0, 3], [1, 2], [1, 3]]


def test_layers_and_structure_of_pairs_are_shown(tmp_path: Path, capsys: Captured) -> None:
    rows = [f"n{i},n{j},{1500 if i // 4 == j // 4 else 2600}" for i in range(8) for j in range(i)]
    (tmp_path / "p.csv").write_text("\n".join(["a,b,latency_ns", *rows]))
    assert run(["infer", "pairs", "p.csv"]) == ExitCode.OK
    shown = " ".join(capsys.readouterr().out.split())
    assert "2 of 4: 0-3 4-7" in shown
    assert "kind tree" in shown


@pytest.mark.parametrize("verb", ["core-to-core", "pairs"])
def test_what_is_no_table_of_latencies_is_refused(verb: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "prose.txt").write_text("once upon a time\n")
    assert run(["infer", verb, "prose.txt"]) == ExitCode.USAGE
    assert "prose.txt" in refusal(capsys)[0]
    assert run(["infer", verb, "absent.csv"]) == ExitCode.USAGE
    assert "absent.csv" in refusal(capsys)[0]


def test_redacted_output_names_no_host(
    survey: Record[SurveyFacts], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    survey.environment["host"] = "walnut"
    write_record(tmp_path / "p.json", survey)
    assert run(["show", "p.json"]) == ExitCode.OK
    assert "walnut" in capsys.readouterr().out
    assert run(["show", "p.json", "--redact"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "walnut" not in shown
    assert "host-1" in shown
    monkeypatch.setattr("groma.report.page.render_page", str)
    assert run(["report", "p.json", "--redact"]) == ExitCode.OK
    assert "walnut" not in (tmp_path / "groma-report.html").read_text()


HPCCOUTF = Path(__file__).parents[3] / "tests" / "data" / "hpcc" / "groma-hpccoutf.txt"


def test_an_output_of_the_original_suite_is_shown(capsys: Captured) -> None:
    assert run(["show", str(HPCCOUTF)]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "passed, according to the file" in shown
    assert "HPL_Tflops" in shown


def test_of_several_runs_in_a_file_the_last_is_shown_and_it_is_said(tmp_path: Path, capsys: Captured) -> None:
    both = tmp_path / "both.txt"
    both.write_bytes(HPCCOUTF.read_bytes() * 2)
    assert run(["show", str(both), "run"]) == ExitCode.OK
    shown = capsys.readouterr()
    assert "run 2 of 2" in shown.out
    assert "has 2 runs" in shown.err


def test_a_page_holds_every_run_of_a_file(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groma.report.page.built_template", lambda: PLACEHOLDER)
    both = tmp_path / "both.txt"
    both.write_bytes(HPCCOUTF.read_bytes() * 2)
    assert run(["report", str(both), "-o", "page.html", "--json"]) == ExitCode.OK
    assert answer(capsys)["records"] == ["both (1)", "both (2)"]


@pytest.mark.parametrize(
    "words",
    [
        ["show", "FILE", "--json"],
        ["report", "FILE"],
        ["list"],
        ["doctor"],
        ["model", "randomaccess", "--machine", "bluegene-p", "--json"],
        ["infer", "caches", "x.csv"],
        ["testbed", "run", "--shape", "2", "true"],
    ],
)
def test_wrong_settings_stop_every_verb(
    words: list[str], example_profile: Path, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "groma.toml").write_text("[survey]\ndepth = 'deepest'\n")
    words = [str(example_profile) if word == "FILE" else word for word in words]
    assert run(words) == ExitCode.USAGE
    assert "groma.toml: survey.depth" in refusal(capsys)[0]


def test_a_file_that_was_left_unread_is_reported_by_every_verb(
    example_profile: Path, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "groma.toml").write_text("[survey]\ndepth = 'quick'\n")
    os.chown(tmp_path / "groma.toml", 4711, -1) if os.geteuid() == 0 else pytest.skip("needs root")
    assert run(["show", str(example_profile), "clock"]) == ExitCode.OK
    assert "groma.toml was not read: it belongs to another user" in capsys.readouterr().err


@pytest.mark.parametrize("same", ["p.json", "./p.json"])
def test_a_page_never_replaces_the_record_it_shows(
    same: str, example_profile: Path, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "p.json").write_bytes(example_profile.read_bytes())
    assert run(["report", "p.json", "-o", same]) == ExitCode.USAGE
    assert "would overwrite" in refusal(capsys)[0]
    assert (tmp_path / "p.json").read_bytes() == example_profile.read_bytes()


def test_surveys_of_two_days_are_merged_into_one_profile(
    example_profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = tmp_path / "later.json"
    later.write_text(example_profile.read_text().replace("2025-03-01T", "2025-03-02T"))
    out = tmp_path / "out.json"
    assert run(["survey", "--merge", str(example_profile), str(later), "-o", str(out)]) == ExitCode.OK
    assert "Between the surveys" in capsys.readouterr().out
    assert read_record(out).facts.merged is not None


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--merge", "PROFILE"], "needs a file"),
        (["--merge", "PROFILE", "-o", "PROFILE"], "-o would overwrite the input"),
        (["--merge", "PROFILE", "-o", "OUT"], "only one survey"),
        (["--merge", "PROFILE", "--quick", "-o", "OUT"], "--quick has no effect"),
        (["PROFILE"], "unexpected argument"),
    ],
)
def test_what_merging_cannot_mean_is_refused(
    arguments: list[str],
    reported: str,
    example_profile: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = {"PROFILE": str(example_profile), "OUT": str(tmp_path / "out.json")}
    assert run(["survey", *(names.get(one, one) for one in arguments)]) == ExitCode.USAGE
    assert reported in capsys.readouterr().err


def test_workloads_of_the_simulator_are_listed_and_described(probe_program: Path, capsys: Captured) -> None:
    assert run(["list"]) == ExitCode.OK
    assert "broadcast " in capsys.readouterr().out
    assert run(["describe", "broadcast"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "workload.policy" in shown
    assert "fifo, overlapping" in shown
    assert "docs/sim/torus.md" in shown
    assert run(["describe", "broadcast", "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["name"] == "broadcast"
