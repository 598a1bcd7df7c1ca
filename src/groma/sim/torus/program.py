"""Start groma-torus, send it one request, read its answer in JSON lines."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.native import UNREADABLE
from groma.sim.torus.protocol import Progress, Result, TraceOutput, event_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from groma.run.interruption import Interruption
    from groma.sim.torus.protocol import Request

PROGRAM = "groma-torus"

_AFTER_SIGNAL: dict[int, str] = {
    signal.SIGKILL: "it may have lacked memory: simulate fewer nodes",
    signal.SIGSEGV: "this is a defect of the simulator: report it with the command",
    signal.SIGABRT: "this is a defect of the simulator: report it with the command",
}


def simulated(
    program: Path,
    request: Request,
    interruption: Interruption,
    follow: Callable[[Progress], None] = lambda _: None,
) -> Result:
    """The result; one of an interrupted run is not finished.

    Raises GromaError: exit code 2 for a request that the simulator refuses, 3 where its check of the result
    fails, 4 where it does not come to an end, 130 where a signal ended it before it began.
    """
    with tempfile.TemporaryFile() as complaints, _started(program, complaints) as child:
        interruption.child = child
        if interruption.requested:
            child.terminate()
        _ask(child, request)
        assert child.stdout is not None  # noqa: S101 - opened with PIPE
        result = _last(child.stdout, program, follow)
        code = child.wait()
        interruption.child = None
        if result is not None and code in {0, ExitCode.INTERRUPTED}:
            return result
        if interruption.requested:
            raise GromaError("interrupted before anything was simulated", "", ExitCode.INTERRUPTED)
        complaints.seek(0)
        raise _refusal(code, complaints.read().decode(errors="replace"))


def _started(program: Path, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    """In a process group of its own, so that Ctrl-C reaches it through the interruption only."""
    try:
        return subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, process_group=0
        )
    except OSError as error:
        raise GromaError(
            f"{PROGRAM} cannot be started: {error}", "rebuild it with: make setup", ExitCode.ENVIRONMENT
        ) from error


def _ask(child: subprocess.Popen[bytes], request: Request) -> None:
    """A program that ended before it read says why on its standard error."""
    assert child.stdin is not None  # noqa: S101 - opened with PIPE
    try:
        child.stdin.write(msgspec.json.encode(request) + b"\n")
        child.stdin.close()
    except BrokenPipeError:
        pass


def _last(lines: Iterable[bytes], program: Path, follow: Callable[[Progress], None]) -> Result | None:
    """The result among the lines of a run, None where it did not come to one. It comes after its trace."""
    result: Result | None = None
    traced: TraceOutput | None = None
    for line in lines:
        try:
            event = event_of(line)
        except UNREADABLE as error:
            raise GromaError(
                f"{program} gave an answer that groma does not understand ({error})",
                "rebuild it with: make setup",
                ExitCode.ENVIRONMENT,
            ) from None
        if isinstance(event, Progress):
            follow(event)
        elif isinstance(event, TraceOutput):
            traced = event
        elif event is not None:
            result = msgspec.structs.replace(event, trace=traced)
    return result


def _refusal(code: int, complaints: str) -> GromaError:
    """Two lines of a native program: what is wrong after its name, and after an arrow what to do."""
    lines = complaints.strip().splitlines()
    cause = f"signal {-code}" if code < 0 else f"exit code {code}"
    if not lines:
        step = _AFTER_SIGNAL.get(-code, "rebuild it with: make setup")
        return GromaError(f"{PROGRAM} failed ({cause})", step, ExitCode.ENVIRONMENT)
    what = lines[0].removeprefix(f"{PROGRAM}: ")
    step = lines[1].strip().removeprefix("-> ") if len(lines) > 1 else "change the parameter with --set"
    passed_on = code in {ExitCode.USAGE, ExitCode.VALIDATION_FAILED}
    return GromaError(what, step, ExitCode(code) if passed_on else ExitCode.ENVIRONMENT)
