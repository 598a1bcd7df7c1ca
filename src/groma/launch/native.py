"""Find and run groma's native programs on this machine.

A probe speaks JSON lines (docs/measuring.md); `gather` turns them into ProbeSamples whatever way it ends.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from groma import __version__
from groma.errors import ExitCode, GromaError
from groma.launch.signals import handling
from groma.record import Advice, Build, ProbeSamples, Round, Topology
from groma.record.cgroup import oom_kills
from groma.record.host import Host

if TYPE_CHECKING:
    from types import FrameType

T = TypeVar("T")

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
    """Path of a native program of this version of groma, found as `find_program` does.

    Raises GromaError (exit code 4) where there is none, or only one of another version.
    """
    program = find_program(name, folder)
    refuse_other_version(program, build_of(program))
    return program


def find_program(name: str = PROBE_PROGRAM, folder: str | None = None) -> Path:
    """Path of a native program: in the configured folder and nowhere else, or beside this Python, then PATH.

    Raises GromaError (exit code 4) where it is in none of them.
    """
    for place in places_of_programs(folder):
        found = shutil.which(name, path=place)
        if found:
            return Path(found)
    raise (
        not_in(folder, name)
        if configured(folder)
        else GromaError(
            f"{name} is not installed",
            "build it with: make setup (groma doctor says more)",
            ExitCode.ENVIRONMENT,
        )
    )


def configured(folder: str | None) -> str | None:
    """The folder that settings or GROMA_NATIVE_PATH name."""
    return folder or os.environ.get("GROMA_NATIVE_PATH") or None


def places_of_programs(folder: str | None) -> list[str]:
    """Folders, or lists of them as in PATH. What is configured stands alone: nothing else takes its place."""
    chosen = configured(folder)
    if chosen is None:
        return [str(Path(sys.executable).parent), os.environ.get("PATH") or os.defpath]
    return [chosen, *_bin_above(chosen)]


def _bin_above(folder: str) -> list[str]:
    """Programs for one MPI lie in PREFIX/lib/groma/MPI/bin, those that need none in PREFIX/bin."""
    path = Path(folder)
    is_of_one_mpi = path.name == "bin" and path.parts[-4:-2] == ("lib", "groma")
    return [str(path.parents[3] / "bin")] if is_of_one_mpi else []


def not_in(folder: str | None, name: str) -> GromaError:
    """The refusal of a configured folder without that program."""
    place = configured(folder) or ""
    parts = [Path(part) for part in place.split(os.pathsep)]
    if not any(part.is_dir() for part in parts):
        cause = f"{place} is no folder"
    elif any((part / name).is_file() for part in parts):
        cause = f"{name} in {place} is not executable"
    else:
        cause = f"there is no {name} in {place}"
    return GromaError(
        f"{cause}, which native.path or GROMA_NATIVE_PATH names",
        "correct or unset it: groma config show --origin",
        ExitCode.ENVIRONMENT,
    )


def refuse_other_version(program: Path, build: Build) -> None:
    """Raises GromaError (exit code 4) for a program that was not built with this Python code."""
    if build.version != __version__:
        raise GromaError(
            f"{program} is version {build.version}, groma itself is {__version__}",
            "build it again with: make setup",
            ExitCode.ENVIRONMENT,
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


def decoded(answer: bytes, as_type: type[T], program: Path) -> T:
    """An answer of a native program. Raises GromaError (exit code 4) for one that is not of this type."""
    try:
        return msgspec.json.decode(answer, type=as_type)
    except (msgspec.DecodeError, RecursionError) as error:
        raise GromaError(
            f"{program} answers in a way that groma does not know ({error})",
            "build it again with: make setup",
            ExitCode.ENVIRONMENT,
        ) from None


def catalogue(program: Path) -> list[ProbeInfo]:
    """All probes that were built in, in the order of a survey. Raises GromaError (exit code 4)."""
    return [decoded(line, ProbeInfo, program) for line in ask(program, "list").splitlines()]


def declared_topology(program: Path) -> Topology:
    """Raises GromaError (exit code 4)."""
    return decoded(ask(program, "topology"), Topology, program)


def build_of(program: Path) -> Build:
    """Raises GromaError (exit code 4)."""
    return decoded(ask(program, "build"), Build, program)


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
    discarded: int = 0
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
                discarded=event.discarded,
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
    started, killed = time.monotonic(), oom_kills(Host())
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
    if child.returncode == -signal.SIGKILL and oom_kills(Host()) != killed:
        samples.error = _out_of_memory(probe)
    _explain_death(samples, child.returncode, complaints, interruption)
    return samples


def _out_of_memory(probe: str) -> Advice:
    return Advice(
        code="probe.out_of_memory",
        what=f"{probe} was killed by the system: the control group ran out of memory",
        next=f"raise the memory limit of the group, or leave it out: groma survey --skip {probe}",
    )


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
