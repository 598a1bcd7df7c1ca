"""A probe of this node as a task of a run: the native program, run to its end or to the interruption."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from groma.errors import ExitCode, GromaError
from groma.host.cgroup import oom_kills
from groma.host.host import Host
from groma.launch.children import StderrTail, start
from groma.record import Advice, ProbeSamples
from groma.run.events import Progress, collect_samples
from groma.run.interruption import Interruption
from groma.run.listener import Step
from groma.run.signals import named, undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from groma.record import Record
    from groma.run.partial import PartialRecord
    from groma.run.run import Follower

F = TypeVar("F")

# A probe that is silent for this long beyond its own budget hangs and is ended.
GRACE_SECONDS = 60.0


class ProbeStep(Step, Protocol):
    """A probe with its parameters."""

    @property
    def parameters(self) -> Mapping[str, str]: ...


# (step, interruption, progress) -> samples; a run's only way to measure a node, so that tests can fake it.
Measure = Callable[[ProbeStep, Interruption, Progress], ProbeSamples]


@dataclass(frozen=True)
class ProbeTask(Generic[F]):
    step: ProbeStep
    measured_by: Measure
    name = ""

    @property
    def budget(self) -> float:
        return self.step.budget

    def is_done(self, record: Record[F]) -> bool:
        return is_done(self.step, record)

    def measure(self, partial: PartialRecord[F], follower: Follower) -> None:
        """What is shown as done is on disk."""
        step, listener = self.step, follower.listener
        listener.started(step, step.budget + follower.after)
        samples = self.measured_by(step, follower.interruption, lambda seen: listener.progressed(step, seen))
        partial.record.samples[step.probe] = samples
        partial.flush()
        listener.finished(step, samples)
        if follower.interruption.requested:
            by = named(follower.interruption.signal_number)
            raise GromaError(f"interrupted during {step.probe}{by}", "", ExitCode.INTERRUPTED)


def is_done(step: ProbeStep, record: Record[Any]) -> bool:
    """Whether the record holds finished samples of this step, taken with the same parameters.

    Another seed makes no difference: it orders the samples and does not change what is sampled.
    """
    samples = record.samples.get(step.probe)
    return samples is not None and samples.done and _is_alike(step, samples.parameters)


def _is_alike(step: ProbeStep, parameters: Mapping[str, str]) -> bool:
    return {
        key: value for key, value in step.parameters.items() if key != "seed"
    }.items() <= parameters.items()


def measured_with(program: Path) -> Measure:
    """By running the native program."""

    def measure(step: ProbeStep, interruption: Interruption, progress: Progress) -> ProbeSamples:
        return run_probe(program, step.probe, step.parameters, interruption, progress)

    return measure


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
    started, killed, used = time.monotonic(), oom_kills(Host()), _cpu_of_children()
    arguments = [f"{key}={value}" for key, value in sorted(parameters.items())]
    with _started([program, "run", probe, *arguments], interruption) as child:
        output = _Output(child, _allowed_time(parameters))
        complaints = StderrTail(child)
        with output.limited():
            samples = collect_samples(probe, output.lines(), progress)
            output.drain()
            last = complaints.lines()
            child.wait()
    samples.elapsed = time.monotonic() - started
    if output.cut_short and child.returncode < 0:  # it died amid a line, which is no fault of the line
        samples.error = None
    if child.returncode == -signal.SIGKILL and oom_kills(Host()) != killed:
        samples.error = _out_of_memory(probe)
    elif output.overdue and not samples.done and samples.error is None:
        samples.error = _overdue(probe, parameters, samples.elapsed)
    ending = _ending(child.returncode, _cpu_of_children() - used)
    _explain_death(samples, ending, last, interruption)
    return samples


@contextmanager
def _started(words: Sequence[str | Path], interruption: Interruption) -> Iterator[subprocess.Popen[bytes]]:
    """A child whose end the block awaits. Where an exception leaves it, such as at a second Ctrl-C, the child
    is killed with all that it started.
    """
    with start(words, stdin=subprocess.DEVNULL, process_group=0) as child:
        try:
            interruption.child = child
            if interruption.requested:
                child.terminate()
            yield child
        except BaseException:
            with undisturbed():
                _kill(child)
                child.wait()
            raise
        finally:
            interruption.child = None


def _kill(child: subprocess.Popen[bytes]) -> None:
    """With the children that it may have: they are in its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def _out_of_memory(probe: str) -> Advice:
    return Advice(
        code="probe.out_of_memory",
        what=f"{probe} was killed by the system: the control group ran out of memory",
        next=f"raise the memory limit of the group, or skip the probe: groma survey --skip {probe}",
    )


def _allowed_time(parameters: Mapping[str, str]) -> float:
    return 3.0 * float(parameters.get("budget", "0")) + GRACE_SECONDS


class _Output:
    """The lines of a child, which is killed where it outlives `allowed` seconds."""

    def __init__(self, child: subprocess.Popen[bytes], allowed: float) -> None:
        assert child.stdout is not None  # noqa: S101 - opened with PIPE
        self.child, self.allowed, self.stream = child, allowed, child.stdout
        self.cut_short = False  # the last line has no end
        self.overdue = False

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Within, the time of the child is limited, whether its lines are of use or not."""
        import threading  # noqa: PLC0415 - only measuring needs it

        watchdog = threading.Timer(self.allowed, self._end)
        with suppress(RuntimeError):  # a limit on memory or threads: then nothing ends a probe that hangs
            watchdog.start()
        try:
            yield
        finally:
            watchdog.cancel()

    def lines(self) -> Iterator[bytes]:
        for line in self.stream:
            self.cut_short = not line.endswith(b"\n")
            yield line

    def drain(self) -> None:
        """Read to the end what nobody asked for: a child never blocks on a full pipe."""
        while self.stream.read(1 << 16):
            pass

    def _end(self) -> None:
        self.overdue = True
        _kill(self.child)


def _overdue(probe: str, parameters: Mapping[str, str], elapsed: float) -> Advice:
    budget = parameters.get("budget", "0")
    return Advice(
        code="probe.overdue",
        what=f"{probe} did not end, although its budget is {budget} s: groma ended it after {elapsed:.0f} s",
        next=f"use smaller sizes, or more time: groma survey --only {probe} --budget TIME",
    )


def _explain_death(
    samples: ProbeSamples, ending: str, complaints: Sequence[bytes], interruption: Interruption
) -> None:
    """A probe that was interrupted or died without a word still says in its samples how it ended."""
    if samples.done or samples.error is not None:
        return
    if interruption.requested:
        samples.ended = "interrupted"
        return
    if samples.ended == "interrupted":
        return
    last = b"".join(complaints).decode(errors="replace").strip().splitlines()[-1:]
    samples.error = Advice(
        code="probe.died",
        what=f"{samples.probe} ended early ({', '.join([ending, *last])})",
        next="run it alone for details: groma survey --only " + samples.probe,
    )


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ending(returncode: int, cpu: float) -> str:
    """`cpu` is what it used (s). Where the hard limit is the soft one, as by ulimit, SIGKILL comes first."""
    if returncode >= 0:
        return f"exit code {returncode}"
    limit = resource.getrlimit(resource.RLIMIT_CPU)[1]
    by_limit = limit != resource.RLIM_INFINITY and cpu > limit - 0.5 and returncode == -signal.SIGKILL
    if by_limit or returncode == -signal.SIGXCPU:
        return f"signal {-returncode}: the limit on CPU time, ulimit -t"
    return f"signal {-returncode}"
