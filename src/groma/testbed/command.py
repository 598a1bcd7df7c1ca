"""One command in a bed: started, told of signals, and answered with its exit code."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.record.host import Host
from groma.testbed.bed import Bed, path_in_bed
from groma.testbed.events import Event, Timetable
from groma.testbed.launchers import launching_by
from groma.testbed.plan import Plan

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from types import FrameType

_TOLD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

TERMINAL = 0


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run on which bed; `mpi` None is the first that is installed."""

    plan: Plan
    words: tuple[str, ...]
    mpi: str | None = None
    shared_boot_id: bool = False
    events: tuple[Event, ...] = ()


class Course(msgspec.Struct, frozen=True):
    """How it went: the exit code of the command, 128 + n after signal n, and seconds until the bed was up."""

    code: int
    up_seconds: float


def run_in_bed(wish: Wish) -> Course:
    """Set a bed up, run the command on its first host, take the bed down.

    Standard input, output and errors are those of this process. Signals to this process are passed on, and
    after one of them the code is 130. Raises GromaError: exit code 2 for a command that is not there, 4 where
    the bed or its launcher cannot be had.
    """
    refuse_missing(wish.words[0])
    with Bed(wish.plan, shared_boot_id=wish.shared_boot_id) as bed:
        launching = launching_by(wish.mpi, Host(), bed)
        bed.tell(launching.script)
        child = bed.popen([*launching.words, *wish.words], variables=launching.variables)
        with child, _passing_on_signals(child) as told, _at_the_terminal(child), Timetable(bed, wish.events):
            code = child.wait()
        return Course(ExitCode.INTERRUPTED if told else _as_a_shell_tells(code), bed.up_seconds)


def refuse_missing(program: str) -> None:
    """Raises GromaError (exit code 2) for a program that is not on PATH."""
    if shutil.which(program, path=path_in_bed()) is None:
        raise GromaError(f"there is no program {program}", "see PATH, or give its path")


def _as_a_shell_tells(code: int) -> int:
    return 128 - code if code < 0 else code


@contextmanager
def _passing_on_signals(child: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """The signals that came; each goes to all processes of the command, which may end in their own way."""
    told: list[int] = []

    def pass_on(number: int, _frame: FrameType | None) -> None:
        told.append(number)
        with suppress(ProcessLookupError):
            os.killpg(child.pid, number)

    before = {number: signal.signal(number, pass_on) for number in _TOLD}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _at_the_terminal(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Where there is a terminal, its keys are for the command until it ends."""
    if not os.isatty(TERMINAL) or os.tcgetpgrp(TERMINAL) != os.getpgrp():
        yield
        return
    os.tcsetpgrp(TERMINAL, child.pid)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGCONT)  # it may have been stopped as it read too early
    try:
        yield
    finally:
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(TERMINAL, os.getpgrp())
        signal.signal(signal.SIGTTOU, before)
