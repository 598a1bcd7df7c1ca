"""What groma-hpcc refuses is said in the words of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.cli.main import run
from groma.errors import ExitCode, GromaError

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("refused", "shown"),
    [
        ("--n takes N,…, not '0'", "-N takes N,…, not '0'"),
        ("--nb takes NB,…, not '0'", "--nb takes NB,…, not '0'"),
        ("--n-fold takes nothing", "--n-fold takes nothing"),
    ],
)
def test_an_option_is_named_as_it_was_typed(
    refused: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def prepare(*_: object) -> None:
        raise GromaError(refused, "orders of the HPL matrix")

    monkeypatch.setattr("groma.hpcc.setup.prepare", prepare)
    assert run(["hpcc", "-N", "0", "--dry-run"]) == ExitCode.USAGE
    assert capsys.readouterr().err.splitlines()[0] == f"groma: {shown}"


@pytest.mark.parametrize("names", ["", " , "])
def test_a_choice_without_a_test_is_not_the_choice_of_all(names: str, capsys: Captured) -> None:
    assert run(["hpcc", "--only", names, "--dry-run"]) == ExitCode.USAGE
    assert capsys.readouterr().err.splitlines()[0] == "groma: --only names no test"


@pytest.mark.parametrize("verb", [["hpcc"], ["randomaccess", "run"], ["survey", "--network"]])
def test_a_timeout_that_ends_every_launch_is_refused(verb: list[str], capsys: Captured) -> None:
    assert run([*verb, "--timeout", "0", "--dry-run"]) == ExitCode.USAGE
    assert capsys.readouterr().err.startswith("groma: --timeout 0 ends every launch at once")


@pytest.mark.parametrize("name", ["mine.json", "folder/MINE.JSON"])
def test_a_summary_is_not_written_as_if_it_were_the_record(name: str, capsys: Captured) -> None:
    assert run(["hpcc", "--output", name, "--dry-run"]) == ExitCode.USAGE
    what, step = capsys.readouterr().err.splitlines()
    assert what == f"groma: --output {name}: the summary is text in the form of hpccoutf.txt, not JSON"
    assert step.endswith(f"name the record with -o {name}")


@pytest.mark.parametrize("usual", [True, False])
@pytest.mark.parametrize("option", ["--record", "--output"])
@pytest.mark.usefixtures("nothing_configured")
def test_an_output_never_takes_the_place_of_the_input(option: str, capsys: Captured, *, usual: bool) -> None:
    name = "hpccinf.txt" if usual else "sizes.txt"
    Path(name).write_text("sizes\n")
    assert run(["hpcc", *([] if usual else ["--input", name]), option, name]) == ExitCode.USAGE
    assert capsys.readouterr().err.startswith(f"groma: {option} would overwrite the input {name}")
    assert Path(name).read_text() == "sizes\n"


@pytest.mark.usefixtures("nothing_configured")
def test_record_and_summary_are_two_files(capsys: Captured) -> None:
    assert run(["hpcc", "-o", "both.txt", "--output", "./both.txt"]) == ExitCode.USAGE
    assert "--record and --output would both write both.txt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verb", "option"),
    [
        (["hpcc"], "--record"),
        (["randomaccess", "run"], "--record"),
        (["randomaccess", "bottleneck"], "--record"),
        (["survey", "--network"], "-o"),
    ],
)
@pytest.mark.usefixtures("nothing_configured")
def test_an_output_never_takes_the_place_of_the_host_file(
    verb: list[str], option: str, capsys: Captured
) -> None:
    Path("hosts").write_text("n0\n")
    assert run([*verb, "--hostfile", "hosts", "-o", "hosts"]) == ExitCode.USAGE
    assert f"{option} would overwrite the input hosts" in capsys.readouterr().err
    assert Path("hosts").read_text() == "n0\n"
