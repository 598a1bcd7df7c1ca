"""Find and run groma's native programs on this machine.

A probe speaks JSON lines (docs/measuring.md); `gather` turns them into ProbeSamples whatever way it ends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.signals import handling
from groma.record import Advice, Build, ProbeSamples, Round, Topology

if TYPE_CHECKING:
    from types import FrameType

PROBE_PROGRAM = "groma-probe"

ENDINGS = frozenset({"stable", "rounds", "budget", "interrupted"})

# A probe that is silent for this long beyond its own budget hangs and is ended.
GRACE_SECONDS = 60.0


class ParameterInfo(msgspec.Struct, frozen=True):
    name: str
    quick: str
    standard: str
    thorough: str
    help: str

    def at(self, depth: str) -> str:
        return str(getattr(self, depth))


class ProbeInfo(msgspec.Struct, frozen=True):
    """What a probe says of itself; `order` is its place in a survey."""

    name: str
    title: str
    measures: str
    method: str
    moves: str
    reference: str
    order: int
    parameters: tuple[ParameterInfo, ...]

    def defaults(self, depth: str) -> dict[str, str]:
        return {one.name: one.at(depth) for one in self.parameters}


def native_program(name: str = PROBE_PROGRAM, folder: str | None = None) -> Path:
    """Path of a native program: the configured folder, beside this Python, then PATH.

    Raises GromaError (exit code 4) where it is in none of them.
    """
    beside_python = str(Path(sys.executable).parent)
    for place in (folder, os.environ.get("GROMA_NATIVE_PATH"), beside_python, os.environ.get("PATH")):
        found = shutil.which(name, path=place) if place else None
        if found:
            return Path(found)
    raise GromaError(
        f"{name} is not installed", "build it with: make setup (groma doctor says more)", ExitCode.ENVIRONMENT
    )


def ask(program: Path, question: str) -> bytes:
    """What `program question` prints. Raises GromaError (exit code 4)."""
    try:
        done = subprocess.run([program, question], capture_output=True, timeout=GRACE_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise GromaError(
            f"{program.name} {question} failed: {error}",
            "build it again with: make setup",
            ExitCode.ENVIRONMENT,
        ) from error
    return done.stdout


def catalogue(program: Path) -> list[ProbeInfo]:
    """All probes that were built in, in the order of a survey."""
    return [msgspec.json.decode(line, type=ProbeInfo) for line in ask(program, "list").splitlines()]


def declared_topology(program: Path) -> Topology:
    return msgspec.json.decode(ask(program, "topology"), type=Topology)


def build_of(program: Path) -> Build:
    return msgspec.json.decode(ask(program, "build"), type=Build)


class Event(msgspec.Struct):
    """One line of the protocol, of whatever kind; later versions may say more."""

    event: str
    case: int = -1
    round: int = 0
    value: float | None = None
    cases: list[dict[str, Any]] = []
    parameters: dict[str, str] = {}
    seed: int = 0
    elapsed: float = 0.0
    fixed_work: float = 0.0
    wall_over_cpu: float = 1.0
    steal: float = 0.0
    ended: str = ""
    code: str = ""
    what: str = ""
    next: str = ""


class ProtocolError(Exception):
    """An event that contradicts those before it."""


Progress = Callable[[ProbeSamples], None]


def gather(probe: str, lines: Iterable[bytes], progress: Progress = lambda _: None) -> ProbeSamples:
    """Samples from the lines of one probe; `progress` is called after each round.

    Lines that are cut short or foreign end the gathering: what came before is kept as "failed".
    """
    gathering = Gathering(ProbeSamples(probe=probe, cases=[], values=[], ended="failed"), progress)
    decoder = msgspec.json.Decoder(Event)
    for line in lines:
        try:
            gathering.take(decoder.decode(line))
        except (msgspec.DecodeError, ProtocolError) as error:
            shown = line[:60].decode(errors="replace").strip()
            gathering.fail(f"{probe} wrote a line that is no event: {shown!r} ({error})")
            break
    return gathering.samples


@dataclass
class Gathering:
    """Samples of one probe as they come in."""

    samples: ProbeSamples
    progress: Progress

    def take(self, event: Event) -> None:
        handlers = {
            "begin": self._begin,
            "sample": self._sample,
            "round": self._round,
            "end": self._end,
            "failed": self._failed,
        }
        if event.event in handlers:  # later versions may say more
            handlers[event.event](event)

    def fail(self, what: str) -> None:
        self.samples.ended = "failed"
        self.samples.error = Advice(
            code="probe.protocol",
            what=what,
            next="programs of different versions? build again with: make setup",
        )

    def _begin(self, event: Event) -> None:
        self.samples.cases = event.cases
        self.samples.values = [[] for _ in event.cases]
        self.samples.parameters = event.parameters
        self.samples.seed = event.seed

    def _sample(self, event: Event) -> None:
        if not 0 <= event.case < len(self.samples.values):
            raise ProtocolError(f"no case {event.case} was announced")
        values = self.samples.values[event.case]
        if event.value is not None:
            values.append(event.value)

    def _round(self, event: Event) -> None:
        self.samples.rounds.append(
            Round(
                elapsed=event.elapsed,
                fixed_work=event.fixed_work,
                wall_over_cpu=event.wall_over_cpu,
                steal=event.steal,
            )
        )
        self.progress(self.samples)

    def _end(self, event: Event) -> None:
        if event.ended not in ENDINGS:
            raise ProtocolError(f"unknown ending {event.ended!r}")
        self.samples.ended = event.ended

    def _failed(self, event: Event) -> None:
        self.samples.ended = "failed"
        self.samples.error = Advice(code=event.code, what=event.what, next=event.next)


@dataclass
class Interruption:
    """Set once the user asked to stop; the running child is told as well."""

    requested: bool = False
    child: subprocess.Popen[bytes] | None = None

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        if self.requested:  # a second Ctrl-C means at once
            raise KeyboardInterrupt
        self.requested = True
        if self.child is not None:
            with suppress(ProcessLookupError):
                self.child.terminate()


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Within, SIGINT, SIGTERM and SIGHUP end the running probe in good order instead of this program."""
    interruption = Interruption()
    with handling(interruption):
        yield interruption


def run_probe(
    program: Path,
    probe: str,
    parameters: Mapping[str, str],
    interruption: Interruption,
    progress: Progress = lambda _: None,
) -> ProbeSamples:
    """Run one probe to its end, or to the interruption, and return what it measured.

    The child has its own process group, so that Ctrl-C reaches it through `interruption` only.
    """
    started = time.monotonic()
    arguments = [f"{key}={value}" for key, value in sorted(parameters.items())]
    with subprocess.Popen(
        [program, "run", probe, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as child:
        interruption.child = child
        if interruption.requested:
            child.terminate()
        samples = gather(probe, _lines_of(child, _allowed_time(parameters)), progress)
        _, complaints = child.communicate()
    interruption.child = None
    samples.elapsed = time.monotonic() - started
    _explain_death(samples, child.returncode, complaints, interruption)
    return samples


def _allowed_time(parameters: Mapping[str, str]) -> float:
    return 3.0 * float(parameters.get("budget", "0")) + GRACE_SECONDS


def _lines_of(child: subprocess.Popen[bytes], allowed: float) -> Iterator[bytes]:
    """The child's lines; a child that outlives `allowed` seconds is killed."""
    import threading  # noqa: PLC0415 - only measuring needs it

    watchdog = threading.Timer(allowed, child.kill)
    watchdog.start()
    try:
        assert child.stdout is not None  # noqa: S101 - opened with PIPE
        yield from child.stdout
    finally:
        watchdog.cancel()


def _explain_death(
    samples: ProbeSamples, returncode: int, complaints: bytes, interruption: Interruption
) -> None:
    """A probe that was interrupted or died without a word still says in its samples how it ended."""
    if samples.done or samples.error is not None:
        return
    if interruption.requested:
        samples.ended = "interrupted"
        return
    if samples.ended == "interrupted":
        return
    cause = f"signal {-returncode}" if returncode < 0 else f"exit code {returncode}"
    last = complaints.decode(errors="replace").strip().splitlines()[-1:]
    samples.error = Advice(
        code="probe.died",
        what=f"{samples.probe} ended early ({', '.join([cause, *last])})",
        next="run it alone to see more: groma survey --only " + samples.probe,
    )
