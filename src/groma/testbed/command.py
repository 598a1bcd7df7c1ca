"""One command in a bed: started, sent signals, and answered with its exit code."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.host.host import Host
from groma.run.signals import handling
from groma.testbed.bed import Bed, path_in_bed
from groma.testbed.events import Event, EventSchedule
from groma.testbed.launchers import launch_environment
from groma.testbed.plan import Plan

if TYPE_CHECKING:
    import subprocess
    from types import FrameType

TERMINAL = 0


class BedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run on which bed; `mpi` None is the first that is installed."""

    plan: Plan
    words: tuple[str, ...]
    mpi: str | None = None
    shared_boot_id: bool = False
    events: tuple[Event, ...] = ()


class BedResult(msgspec.Struct, frozen=True):
    """How it went: the exit code of the command, 128 + n after signal n, and seconds until the bed was up."""

    code: int
    up_seconds: float


def run_in_bed(request: BedRequest) -> BedResult:
    """Set a bed up, run the command on its first host, take the bed down.

    Standard input, output and errors are those of this process. Signals to this process are passed on, and
    after one of them the code is 130. Raises GromaError: exit code 2 for a command that is not there, 4 where
    the bed or its launcher cannot be had.
    """
    refuse_missing(request.words[0])
    with Bed(request.plan, shared_boot_id=request.shared_boot_id) as bed:
        environment = launch_environment(request.mpi, Host(), bed)
        bed.execute(environment.script)
        command = _SignalForwarder()
        with handling(command):
            child = bed.popen([*environment.words, *request.words], variables=environment.variables)
            command.group = child.pid
            with child, EventSchedule(bed, request.events):
                code = _wait(child)
        return BedResult(ExitCode.INTERRUPTED if command.signals else _shell_exit_code(code), bed.up_seconds)


def refuse_missing(program: str) -> None:
    """Raises GromaError (exit code 2) for a program that is not on PATH."""
    if shutil.which(program, path=path_in_bed()) is None:
        raise GromaError(f"program {program} not found", "check PATH, or give the path of the program")


def _shell_exit_code(code: int) -> int:
    return 128 - code if code < 0 else code


class _SignalForwarder:
    """Passes signals on to all processes of the command, which may end in their own way."""

    def __init__(self) -> None:
        self.group: int | None = None
        self.signals: list[int] = []

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        self.signals.append(number)
        if self.group is None:  # nothing has been started that could end in its own way
            raise KeyboardInterrupt
        with suppress(ProcessLookupError):
            os.killpg(self.group, number)


def _is_in_the_foreground() -> bool:
    """Whether this process has the keys of its terminal; standard input may be another terminal."""
    try:
        return os.tcgetpgrp(TERMINAL) == os.getpgrp()
    except OSError:
        return False


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Where this process has the terminal, its keys are for the command until it ends.

    A command that is stopped, as by Ctrl-Z, stops this process with it: the shell has the terminal then, and
    continues both.
    """
    if not _is_in_the_foreground():
        return child.wait()
    _continue(child.pid)  # it may have been stopped as it read too early
    try:
        while _is_stopped(child.pid):
            _take_terminal()
            os.killpg(0, signal.SIGTSTP)
            _continue(child.pid)
        return child.wait()
    finally:
        _take_terminal()


def _continue(group: int) -> None:
    """With the terminal, if this process was continued in the foreground."""
    if _is_in_the_foreground():
        os.tcsetpgrp(TERMINAL, group)
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGCONT)


def _is_stopped(nsenter: int) -> bool:
    """Waits until the command is stopped or nsenter, its parent, has ended; how can still be asked for.

    Ctrl-Z stops nsenter too, also where the command ignores it. And nsenter stops itself when it has seen the
    command stopped, even if that was continued meanwhile.
    """
    while _waited_for(nsenter).si_code in (os.CLD_STOPPED, os.CLD_TRAPPED):
        if not _has_running_child(nsenter):
            return True
        os.kill(nsenter, signal.SIGCONT)
    return False


def _waited_for(pid: int) -> os.waitid_result:
    state = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    assert state is not None  # noqa: S101 - it is without WNOHANG
    return state


def _has_running_child(pid: int) -> bool:
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
            if state not in ("T", "t"):
                return True
    return False


def _take_terminal() -> None:
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    with suppress(OSError):  # the terminal may be gone
        os.tcsetpgrp(TERMINAL, os.getpgrp())
    signal.signal(signal.SIGTTOU, before)
