"""A child never blocks on what it complains of, and none outlives what started it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.children import LONGEST_COMPLAINT, MOST_COMPLAINTS, StderrTail, running, start

if TYPE_CHECKING:
    from pathlib import Path

CHATTY = "import sys\nfor i in range(20000): print('line', i, file=sys.stderr)\nprint('done')"


def python(script: str) -> list[str]:
    return [sys.executable, "-c", script]


@pytest.mark.parametrize("limited", [False, True])
def test_the_last_complaints_are_kept(limited: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a thread no more than a pipe holds."""

    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    if limited:
        monkeypatch.setattr("threading.Thread.start", refuse)
    with running(python(CHATTY.replace("20000", "1000") if limited else CHATTY)) as (child, complaints):
        assert child.stdout is not None
        assert child.stdout.read() == b"done\n"
        lines = complaints.lines()
    assert child.returncode == 0
    assert (len(lines), lines[-1]) == (MOST_COMPLAINTS, b"line 999\n" if limited else b"line 19999\n")


def test_a_complaint_without_an_end_is_kept_in_part() -> None:
    with running(python("import sys; sys.stderr.write('x' * 1_000_000)")) as (_, complaints):
        assert [len(line) for line in complaints.lines()] == [LONGEST_COMPLAINT]


def test_complaints_are_not_waited_for_longer_than_allowed() -> None:
    script = (
        "import sys, time; print('first', file=sys.stderr, flush=True); print(flush=True); time.sleep(60)"
    )
    with start(python(script)) as child:
        assert child.stdout is not None
        complaints = StderrTail(child)
        child.stdout.readline()
        while not (lines := complaints.lines(within=0.01)):
            time.sleep(0.01)
        child.kill()
    assert lines == [b"first\n"]


def test_an_exception_ends_the_child() -> None:
    with pytest.raises(KeyboardInterrupt), running(python("import time; time.sleep(600)")) as (child, _):
        raise KeyboardInterrupt
    assert child.poll() == -9


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x01\x00garbage", b"\x00\x01"])
def test_a_program_of_another_architecture_is_an_environment_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_bytes(content)
    path.chmod(0o755)
    with pytest.raises(GromaError, match="cannot be started: exec format error") as refusal:
        start([path, "run"], "rebuild it")
    assert (refusal.value.exit_code, refusal.value.next_step) == (ExitCode.ENVIRONMENT, "rebuild it")
