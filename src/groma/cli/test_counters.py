"""What `groma counters check` answers a script."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from groma.cli.main import run
from groma.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

    Captured = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("nothing_configured")

REASON = "not supported by this virtual machine"


@pytest.fixture
def answering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for groma-counters; what it answers stands in `answer.json`."""
    program = tmp_path / "native" / "groma-counters"
    program.parent.mkdir()
    build = '{"version": "0.1.0"}'
    answer = program.with_name("answer.json")
    program.write_text(f"#!/bin/sh\n[ $1 = build ] && echo '{build}' || cat {answer}\n")
    program.chmod(0o755)
    monkeypatch.setenv("GROMA_NATIVE_PATH", str(program.parent))
    return answer


def write_plan(answer: Path, counted: list[list[str]], missing: list[str]) -> None:
    unavailable = [{"event": one, "reason": REASON} for one in missing]
    plan = {"unavailable": unavailable, "collisions": [], "runs": counted, "remarks": [], "unknown": []}
    answer.write_text(json.dumps(plan))


def test_a_check_fails_if_no_event_can_be_counted(answering: Path, capsys: Captured) -> None:
    write_plan(answering, [], ["cycles", "instructions"])
    assert run(["counters", "check", "cycles", "instructions"]) == ExitCode.ENVIRONMENT
    shown = capsys.readouterr()
    assert REASON in shown.out
    assert shown.err.splitlines()[0] == "groma: no event can be counted"


def test_a_program_gets_the_plan_of_a_check_that_fails(answering: Path, capsys: Captured) -> None:
    write_plan(answering, [], ["cycles"])
    assert run(["counters", "check", "cycles", "--json"]) == ExitCode.ENVIRONMENT
    assert json.loads(capsys.readouterr().out)["unavailable"] == [{"event": "cycles", "reason": REASON}]


@pytest.mark.parametrize("runs", [[["page-faults"]], [["page-faults"], ["tsc"]]])
def test_a_check_succeeds_if_some_events_can_be_counted(runs: list[list[str]], answering: Path) -> None:
    write_plan(answering, runs, ["cycles"])
    assert run(["counters", "check", "page-faults", "tsc", "cycles"]) == ExitCode.OK
