from __future__ import annotations

import json
import tomllib
from pathlib import Path

import msgspec
import pytest

from groma.cli.main import run
from groma.facts.reading import read_record
from groma.facts.trace import KIND as TRACE
from groma.facts.trace import TraceFacts
from groma.record.io import write_record
from groma.run.provenance import analysis_record
from suite_records import stream, suite_record

HEADER = "This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012"

RATES = [1e10 * (1 + 0.001 * step) for step in range(-10, 10)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old record, a slower one on another kernel, and an equal one."""
    monkeypatch.chdir(tmp_path)
    write_record(Path("old.json"), suite_record(stream({"triad": RATES, "copy": RATES})))
    slow = {"triad": [0.9 * one for one in RATES], "copy": RATES}
    write_record(Path("new.json"), suite_record(stream(slow), kernel="6.2"))
    write_record(Path("same.json"), suite_record(stream({"triad": RATES, "copy": RATES})))
    return tmp_path


def test_differences_come_before_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "new.json"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("kernel") < shown.index("hpcc.stream.triad.star")
    assert "1 worse, 1 same" in shown
    assert "-10.0 % [" in shown


def test_nothing_that_changed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "same.json"]) == 0
    assert "no change that counts" in capsys.readouterr().out


def test_json_is_a_record_that_can_be_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "new.json", "--json"]) == 0
    Path("comparison.json").write_text(capsys.readouterr().out, encoding="utf-8")
    record = read_record(Path("comparison.json"))
    assert record.kind == "comparison"
    assert [one.others[0].verdict for one in record.facts.quantities] == ["worse", "same"]
    assert run(["show", "comparison.json"]) == 0
    assert "hpcc.stream.triad.star" in capsys.readouterr().out


def test_a_failed_gate_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    gate = "hpcc.stream.triad < -5%"
    assert run(["compare", "old.json", "same.json", "--fail-if", gate]) == 0
    capsys.readouterr()
    assert (
        run(["compare", "old.json", "new.json", "--fail-if", gate, "--fail-if", "hpcc.stream.copy < -5%"])
        == 1
    )
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "FAILED" in line)
    assert "-10.0 %" in line
    assert line.endswith("run again: groma hpcc --only stream")


def test_an_undecided_gate_never_passes_silently(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "old.json", "same.json", "--fail-if", "hpcc.fft < -5%"]
    assert run(words) == 1
    assert "UNDECIDED hpcc.fft" in capsys.readouterr().out
    assert run([*words, "--allow-undecided"]) == 0
    assert "UNDECIDED hpcc.fft" in capsys.readouterr().out


def test_a_reference_file_is_made_and_held_against(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "--write-reference", "node.toml"]) == 0
    assert run(["compare", "same.json", "--reference", "node.toml"]) == 0
    assert run(["compare", "new.json", "--reference", "node.toml"]) == 1
    assert "reference 9.995 GB/s, -5%" in capsys.readouterr().out


def test_a_bad_first_record_fails_unless_it_is_what_the_others_are_compared_with(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gate = ["--fail-if", "hpcc.stream.triad < 9.5 GB/s"]
    assert run(["compare", "new.json", "old.json", *gate]) == 1
    assert "FAILED hpcc.stream.triad.star: new is 8.99" in capsys.readouterr().out
    assert run(["compare", "old.json", "--against", "new.json", *gate]) == 0
    assert "1 gate passed: old" in capsys.readouterr().out


def test_a_reference_judges_every_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "--write-reference", "node.toml"]) == 0
    assert run(["compare", "new.json", "same.json", "--reference", "node.toml"]) == 1
    assert run(["compare", "same.json", "--against", "new.json", "--reference", "node.toml"]) == 0
    other = suite_record(stream({"triad": RATES}), host="node18", created="2026-01-02")
    write_record(Path("other.json"), other)
    assert run(["compare", "other.json", "same.json", "--reference", "node.toml"]) == 2
    assert "other.json is of node18" in capsys.readouterr().err


def test_no_reference_is_made_of_a_run_without_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    write_record(Path("single.json"), suite_record(stream({"triad": [1e10]})))
    assert run(["compare", "single.json", "--write-reference", "single.toml"]) == 2
    assert "several runs" in capsys.readouterr().err
    assert not Path("single.toml").exists()


def test_many_runs_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [
        f"Current time ({1700000000 + 86400 * night}) is a day\n"
        f"Begin of Summary section.\nStarSTREAM_Triad=1{night}\nSuccess=0\nEnd of Summary section.\n"
        for night in range(44)
    ]
    Path("nights.txt").write_text("".join(f"{HEADER}\n{text}" for text in texts), encoding="utf-8")
    assert run(["compare", "old.json", "--against", "nights.txt"]) == 0
    shown = capsys.readouterr().out
    assert "44 runs, nights (1) to nights (44)" in shown
    assert "nights (7)" not in shown
    assert "2023-11-14 22:13:20 UTC to 2023-12-27 22:13:20 UTC" in shown
    assert "44 of 44 runs in nights (1) to nights (44): its validation failed" in shown


@pytest.fixture
def weeks() -> None:
    """Three runs of last week and three of this one, which are slower by less than runs differ."""
    for week, factor in (("last", 1.0), ("this", 0.9)):
        for night, level in enumerate((1.0, 1.01, 0.99)):
            rates = [factor * level * one for one in RATES]
            record = suite_record(stream({"triad": rates}), created=f"{week} {night}")
            write_record(Path(f"{week}{night}.json"), record)


LAST, THIS = ([f"{week}{night}.json" for night in range(3)] for week in ("last", "this"))


@pytest.mark.usefixtures("weeks")
def test_a_reference_of_several_runs_knows_how_they_differ() -> None:
    assert run(["compare", *LAST, "--write-reference", "node.toml", "--tolerance", "0.1%"]) == 0
    assert run(["compare", LAST[0], "--write-reference", "one.toml", "--tolerance", "0.1%"]) == 0
    pooled, one = (
        tomllib.loads(Path(name).read_text())["quantity"]["hpcc.stream.triad.star"]
        for name in ("node.toml", "one.toml")
    )
    assert float(pooled["minus"].rstrip("%")) > float(one["minus"].rstrip("%"))
    assert run(["compare", *LAST, "--reference", "node.toml"]) == 0
    assert run(["compare", *THIS, "--against", *LAST, "--reference", "node.toml"]) == 1


@pytest.mark.usefixtures("weeks")
def test_runs_are_pooled_against_older_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *THIS, "--against", *LAST, "-o", "page.html"]) == 0
    shown = capsys.readouterr().out
    assert "this0 to this2 against last0 to last2" in shown
    assert "1 worse" in shown
    assert "runs are pooled" in shown
    page = Path("page.html").read_text(encoding="utf-8")
    assert "pooled in" in page


@pytest.mark.usefixtures("weeks")
def test_options_after_the_older_runs_are_options(capsys: pytest.CaptureFixture[str]) -> None:
    gate = "hpcc.stream.triad < -5%"
    words = ["compare", *THIS, "--against", *LAST, "--fail-if", gate, "--json"]
    assert run(words) == 1
    facts = msgspec.json.decode(capsys.readouterr().out)["facts"]
    assert facts["quantities"][0]["others"][0]["counts"] == [3, 3]
    for first in (["--against", LAST[0]], [f"--against={LAST[0]}"]):
        assert run(["compare", *THIS, *first, *LAST[1:], "--json"]) == 0
        facts = msgspec.json.decode(capsys.readouterr().out)["facts"]
        assert facts["quantities"][0]["others"][0]["counts"] == [3, 3]
    spelled = [word for one in LAST for word in ("--against", one)]
    assert run(["compare", *spelled, *THIS[:0], "--fail-if", gate, *THIS]) == 1


@pytest.mark.usefixtures("weeks")
def test_a_run_on_both_sides_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", THIS[0], LAST[0], "--against", *LAST]) == 2
    assert "is the same run as" in capsys.readouterr().err
    assert run(["compare", "--against", *LAST]) == 2
    assert "FILE" in capsys.readouterr().err


def test_a_run_that_was_appended_to_another_file_is_the_same_run(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (
        f"Begin of Summary section.\nStarSTREAM_Triad={rate}\nEnd of Summary section.\n"
        for rate in (10.0, 9.0)
    )
    Path("monday.txt").write_text(first, encoding="utf-8")
    Path("tuesday.txt").write_text(first + second, encoding="utf-8")
    assert run(["compare", "tuesday.txt", "--against", "monday.txt"]) == 2
    assert "is the same run as monday" in capsys.readouterr().err


def test_names_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "--list", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert first == {
        "name": "hpcc.stream.triad.star",
        "value": 9.995e9,
        "unit": "B/s",
        "better": "higher",
        "detail": False,
    }


def test_all_shows_what_stayed_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "new.json", "--all"]) == 0
    assert "hpcc.stream.copy.star" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["old.json"], "is the only record"),
        (["old.json", "absent.json"], "no such file"),
        (["old.json", "--fail-if", "hpcc.stream.triad < -5%"], "needs a second record"),
        (["old.json", "new.json", "--fail-if", "fast"], "is not a gate"),
        (["old.json", "new.json", "--least", "much"], "is not a share"),
        (["old.json", "new.json", "--least", "2"], "--least '2' would be 200 %"),
        (["old.json", "--write-reference", "node.toml", "--tolerance", "5"], "write it as --tolerance 5%"),
        (["old.json", "--write-reference", "old.json"], "would overwrite"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    words: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", *words]) == 2
    assert what in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "old.json"], "-o would overwrite the input old.json"),
        (["--reference", "node.toml", "-o", "./node.toml"], "-o would overwrite the input node.toml"),
        (["--write-reference", "new.json"], "--write-reference would overwrite the input new.json"),
        (["--write-reference", "old.json"], "--write-reference would overwrite the input old.json"),
    ],
)
def test_an_output_never_takes_the_place_of_what_is_compared(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("node.toml").write_text("kept")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert run(["compare", "new.json", "--against", "old.json", *words]) == 2
    assert capsys.readouterr().err.startswith(f"groma: {said}\n")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def records_of_traces(*folders: str) -> None:
    """As groma trace leaves them: the records have tables and no quantities."""
    for folder in folders:
        Path(folder).mkdir()
        facts = TraceFacts(duration=1.0, threads=0, nodes=0, ranks=[])
        write_record(Path(folder) / "trace.json", analysis_record(TRACE, facts))


def test_records_without_quantities_are_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    records_of_traces("a", "b 2")
    assert run(["compare", "a", "b 2"]) == 2
    what, step = capsys.readouterr().err.splitlines()
    assert "these records of kind trace have no quantities to compare" in what
    assert step.endswith("side by side: groma report a 'b 2'")
    assert run(["report", "b 2", "--against", "a", "-o", "page.html"]) == 0
    assert Path("page.html").exists()


def test_a_gate_on_records_without_quantities_stays_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    records_of_traces("a", "b")
    words = ["compare", "a", "b", "--fail-if", "hpcc.hpl < 20 Gflop/s"]
    assert run(words) == 1
    assert "does not have it" in capsys.readouterr().out
    assert run([*words, "--allow-undecided"]) == 0


def test_every_run_of_an_old_output_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """They hold single samples, so every change is open; names are those of groma's own runs."""
    output = "\n".join(
        f"Begin of Summary section.\nCommWorldProcs=2\nStarSTREAM_Triad={rate}\nEnd of Summary section."
        for rate in (10.0, 9.0)
    )
    Path("hpccoutf.txt").write_text(f"HPC Challenge Benchmark\n{output}\n", encoding="utf-8")
    assert run(["compare", "hpccoutf.txt", "--json"]) == 0
    facts = msgspec.json.decode(capsys.readouterr().out)["facts"]
    assert [one["name"] for one in facts["quantities"]] == ["hpcc.stream.triad.star"]
    assert facts["quantities"][0]["others"][0]["verdict"] == "inconclusive"


def test_a_record_of_a_newer_schema_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("new.json").read_text(encoding="utf-8").replace("groma.record/1", "groma.record/9")
    Path("newer.json").write_text(text, encoding="utf-8")
    assert run(["compare", "old.json", "newer.json"]) == 2
    assert "groma.record/9" in capsys.readouterr().err


def test_a_report_shows_changes_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "new.json", "--against", "old.json", "-o", "page.html"]) == 0
    assert "against old" in Path("page.html").read_text(encoding="utf-8")


def test_an_older_record_of_another_kind_is_refused(
    example_profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "new.json", "--against", str(example_profile), "-o", "page.html"]) == 2
    assert "no record of the kind" in capsys.readouterr().err


def test_a_reference_that_cannot_be_written_names_its_own_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "--write-reference", "absent/node.toml"]) == 4
    shown = capsys.readouterr().err
    assert "cannot write absent/node.toml" in shown
    assert "write to another path with --write-reference" in shown


@pytest.mark.parametrize("verb", ["--list", "--write-reference=node.toml"])
@pytest.mark.parametrize(
    "other", ["-o=page.html", "--fail-if=hpcc.stream.triad < -5%", "--reference=kept.toml"]
)
def test_what_needs_a_comparison_is_refused_where_there_is_none(
    verb: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    option, _, value = other.partition("=")
    assert run(["compare", "old.json", "new.json", verb, option, value]) == 2
    assert f"{verb.partition('=')[0]} compares nothing: {option} has no effect" in capsys.readouterr().err
    assert not Path("page.html").exists()
    assert not Path("node.toml").exists()


def test_a_reference_is_not_left_unwritten_for_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "old.json", "--list", "--write-reference", "node.toml"]) == 2
    assert "--write-reference has no effect" in capsys.readouterr().err


def test_what_an_output_of_hpcc_cannot_say_is_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    """It names the host and the program, and neither processor, kernel nor compiler."""
    ours = read_record(Path("old.json"))
    host = ours.environment["host"]
    ours.environment["software"] = {"python": "3.11", "mpi": ["Open MPI 4.1.4"]}
    write_record(Path("old.json"), ours)
    text = (
        f"{HEADER}\nHostname: '{host}'\n"
        "Begin of Summary section.\nStarSTREAM_Triad=10\nEnd of Summary section.\n"
    )
    Path("theirs.txt").write_text(text, encoding="utf-8")
    assert run(["compare", "old.json", "theirs.txt", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["facts"]["differences"]
    assert [(one["of"], one["what"]) for one in found] == [("software", "groma")]


def test_the_summary_of_a_run_of_groma_is_of_the_same_version(capsys: pytest.CaptureFixture[str]) -> None:
    version = read_record(Path("old.json")).build.version
    text = (
        f"{HEADER}\nProduced by groma {version}, in the format of that version\n"
        "Begin of Summary section.\nStarSTREAM_Triad=10\nEnd of Summary section.\n"
    )
    Path("hpccoutf.txt").write_text(text, encoding="utf-8")
    assert run(["compare", "old.json", "hpccoutf.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["facts"]["differences"] == []
