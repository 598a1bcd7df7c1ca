"""From the lines of a native MPI program to what was measured, whatever way they end.

Standard output is shared: a library may write its own lines there, a launcher may put a label before each,
and the last line may be cut short. What is no event is passed over; an event that cannot be read is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from groma.launch.causes import Process
from groma.launch.native import UNREADABLE
from groma.record import Advice, Build, ProbeSamples
from groma.record.launch import CheckResult, Plan, RankPlace
from groma.run.events import Event, Gathering, ProtocolError

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


class _Places(msgspec.Struct):
    """The processes of the first event, which no record keeps."""

    placement: tuple[Process, ...] = ()


class Outcome(msgspec.Struct, kw_only=True):
    """What a test says when it is through."""

    benchmark: str
    checks: list[CheckResult] = []
    summary: dict[str, str] = {}
    facts: dict[str, Any] = {}
    warnings: list[Advice] = []


class _Began(msgspec.Struct):
    probe: str


class _Failed(msgspec.Struct):
    code: str = "launch.failed"
    what: str = "the program failed"
    next: str = ""


@dataclass
class Gathered:
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


class Gatherer:
    """Takes lines one by one; `listen` is called after every one that says something new.

    `plan` is what the program plans.
    """

    def __init__(self, listen: Callable[[Gathered], None] = lambda _: None, plan: type[Plan] = Plan) -> None:
        self._plan = plan
        self.gathered = Gathered()
        self._listen = listen
        self._gathering: Gathering | None = None
        self._decoder = msgspec.json.Decoder(Event)

    def take(self, line: bytes) -> bool:
        """Whether all is known."""
        start = line.find(_MARK)
        if start < 0:
            self._pass_over(line)
        else:
            self._read(line[start:])
        return self.gathered.complete

    def _read(self, line: bytes) -> None:
        try:
            self._event(line)
        except (*UNREADABLE, ProtocolError):
            self.gathered.unread += 1

    def _pass_over(self, line: bytes) -> None:
        text = line.decode(errors="replace").strip()
        if text:
            self.gathered.foreign = [*self.gathered.foreign[-19:], text]

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
        if self._gathering is not None and event.event in {"begin", "sample", "round", "end"}:
            self._gathering.take(event)
            if event.event == "round":
                self._gathering.samples.elapsed += event.elapsed
        if event.event != "sample":
            self._listen(self.gathered)

    def _run(self, line: bytes) -> None:
        self.gathered.starts += 1
        if self.gathered.run is None:
            self.gathered.run = msgspec.json.decode(line, type=RunInfo[self._plan])  # type: ignore[name-defined]
            self.gathered.processes = msgspec.json.decode(line, type=_Places).placement

    def _begin(self, line: bytes) -> None:
        name = msgspec.json.decode(line, type=_Began).probe
        samples = ProbeSamples(probe=name, cases=[], values=[], ended="failed")
        # A test with several loops of measurement begins several times: later ones are further cases of it.
        key = name if name not in self.gathered.samples else f"{name}.{self._loops(name) + 1}"
        self.gathered.samples[key] = samples
        self._gathering = Gathering(samples, lambda _: None)

    def _loops(self, name: str) -> int:
        return sum(one.probe == name for one in self.gathered.samples.values())

    def _outcome(self, line: bytes) -> None:
        outcome = msgspec.json.decode(line, type=Outcome)
        self.gathered.outcomes[outcome.benchmark] = outcome
        self._gathering = None

    def _failed(self, line: bytes) -> None:
        failed = msgspec.json.decode(line, type=_Failed)
        self.gathered.failure = Advice(code=failed.code, what=failed.what, next=failed.next)
