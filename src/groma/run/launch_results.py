"""What is known of a launch from the lines of its native MPI program, whatever way they end.

Standard output is shared: a library may write its own lines there, a launcher may put a label before each,
and the last line may be cut short. What is no event is passed over; an event that cannot be read is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from groma.launch.causes import LONGEST_LINE, Process
from groma.launch.native import UNREADABLE
from groma.record import Advice, Build, ProbeSamples
from groma.record.launch import CheckResult, Plan, RankPlace
from groma.run.events import Event, ProtocolError, SampleCollector

if TYPE_CHECKING:
    from collections.abc import Callable

P = TypeVar("P", bound=Plan)

_MARK = b'{"event"'


class RunInfo(msgspec.Struct, Generic[P], kw_only=True):
    """The first event: who runs, where, with which sizes."""

    ranks: int
    mpi: str = ""
    blas: str = ""
    build: Build
    plan: P
    placement: list[RankPlace] = []


class _ProcessList(msgspec.Struct):
    """The processes of the first event, which no record keeps."""

    placement: tuple[Process, ...] = ()


class Outcome(msgspec.Struct, kw_only=True):
    """What a test says when it is through."""

    benchmark: str
    checks: list[CheckResult] = []
    summary: dict[str, str] = {}
    facts: dict[str, Any] = {}
    warnings: list[Advice] = []


class _BeganEvent(msgspec.Struct):
    probe: str


class _FailedEvent(msgspec.Struct):
    code: str = "launch.failed"
    what: str = "the program failed"
    next: str = ""


@dataclass
class LaunchResults:
    """What is known so far. `starts` counts first events: with several, ranks do not know each other."""

    run: RunInfo[Plan] | None = None
    samples: dict[str, ProbeSamples] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    failure: Advice | None = None
    starts: int = 0
    unread: int = 0
    foreign: list[str] = field(default_factory=list)
    processes: tuple[Process, ...] = ()

    @property
    def current(self) -> str | None:
        """The test that is being run, None before the first and after the last."""
        if self.run is None:
            return None
        return next((name for name in self.run.plan.tests if name not in self.outcomes), None)

    @property
    def complete(self) -> bool:
        return self.run is not None and self.current is None and self.failure is None

    def interrupt(self) -> None:
        """What did not end was interrupted: a launcher may end ranks before they say so."""
        for samples in self.samples.values():
            if not samples.done and samples.error is None:
                samples.ended = "interrupted"


class EventParser:
    """Takes lines one by one; `listen` is called after every one that says something new.

    `plan` is what the program plans.
    """

    def __init__(
        self, listen: Callable[[LaunchResults], None] = lambda _: None, plan: type[Plan] = Plan
    ) -> None:
        self._plan = plan
        self.results = LaunchResults()
        self._listen = listen
        self._collector: SampleCollector | None = None
        self._decoder = msgspec.json.Decoder(Event)
        self._is_cut = False

    def take(self, line: bytes) -> bool:
        """Whether all is known."""
        self._count_cut()
        start = line.find(_MARK)
        if start < 0:
            self._keep_foreign(line)
        else:
            self._read(line[start:])
        return self.results.complete

    def _read(self, line: bytes) -> None:
        try:
            self._event(line)
        except (*UNREADABLE, ProtocolError):
            self._is_cut = not line.endswith(b"\n")
            self.results.unread += not self._is_cut

    def _count_cut(self) -> None:
        """A line without an end that others follow was damaged; the last one was cut short."""
        self.results.unread += self._is_cut
        self._is_cut = False

    def _keep_foreign(self, line: bytes) -> None:
        text = line[:LONGEST_LINE].decode(errors="replace").strip()
        if text:
            self.results.foreign = [*self.results.foreign[-19:], text]

    def _event(self, line: bytes) -> None:
        event = self._decoder.decode(line)
        special = {
            "run": self._run,
            "begin": self._begin,
            "outcome": self._outcome,
            "failed": self._failed,
        }
        if event.event in special:
            special[event.event](line)
        if self._collector is not None and event.event in {"begin", "sample", "round", "end"}:
            self._collector.take(event)
            if event.event == "round":
                self._collector.samples.elapsed += event.elapsed
        if event.event != "sample":
            self._listen(self.results)

    def _run(self, line: bytes) -> None:
        self.results.starts += 1
        if self.results.run is None:
            self.results.run = msgspec.json.decode(line, type=RunInfo[self._plan])  # type: ignore[name-defined]
            self.results.processes = msgspec.json.decode(line, type=_ProcessList).placement

    def _begin(self, line: bytes) -> None:
        name = msgspec.json.decode(line, type=_BeganEvent).probe
        samples = ProbeSamples(probe=name, cases=[], values=[], ended="failed")
        # A test with several loops of measurement begins several times: later ones are further cases of it.
        key = name if name not in self.results.samples else f"{name}.{self._loops(name) + 1}"
        self.results.samples[key] = samples
        self._collector = SampleCollector(samples, lambda _: None)

    def _loops(self, name: str) -> int:
        return sum(one.probe == name for one in self.results.samples.values())

    def _outcome(self, line: bytes) -> None:
        outcome = msgspec.json.decode(line, type=Outcome)
        self.results.outcomes[outcome.benchmark] = outcome
        self._collector = None

    def _failed(self, line: bytes) -> None:
        failed = msgspec.json.decode(line, type=_FailedEvent)
        self.results.failure = Advice(code=failed.code, what=failed.what, next=failed.next)
