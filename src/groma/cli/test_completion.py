"""A shell completes names of files, probes and algorithms."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from groma.cli.main import run
from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _probes(monkeypatch: pytest.MonkeyPatch) -> None:
    def named(*names: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(name=name, title=name.upper()) for name in names]

    monkeypatch.setattr("groma.launch.native.native_program", lambda **_: "groma-probe")
    monkeypatch.setattr("groma.launch.native.catalogue", lambda _: named("clock", "core_to_core"))
    monkeypatch.setattr("groma.launch.benchmarks.network_probes_here", lambda _: named("net_curve"))
    monkeypatch.setattr("groma.launch.benchmarks.benchmarks_here", lambda _: named("dgemm", "stream"))


def completed(line: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> list[str]:
    monkeypatch.setenv("_GROMA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    assert run([]) == ExitCode.OK
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("groma survey --only c", ["plain,clock", "plain,core_to_core"]),
        ("groma survey --skip clock,c", ["plain,clock,core_to_core"]),
        ("groma survey --network --only c", ["plain,curve"]),
        ("groma survey -o pro", ["file,pro"]),
        ("groma hpcc --only s", ["plain,stream"]),
        ("groma hpcc --input x", ["file,x"]),
        ("groma hpcc --hostfile x", ["file,x"]),
        ("groma randomaccess run --algorithm s", ["plain,shared", "plain,specialise"]),
    ],
)
def test_values_of_options_are_completed(
    line: str, answers: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert completed(line, monkeypatch, capsys) == answers


def test_nothing_is_completed_where_no_program_is_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def refuse(**_: object) -> None:
        raise GromaError("no groma-probe", "make setup")

    monkeypatch.setattr("groma.launch.native.native_program", refuse)
    assert completed("groma survey --only c", monkeypatch, capsys) == []
