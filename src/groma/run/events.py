"""The JSON lines that a probe speaks (docs/measuring.md), as ProbeSamples, whatever way it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from groma.launch.native import UNREADABLE
from groma.record import Advice, ProbeSamples, Round

ENDINGS = frozenset({"stable", "rounds", "budget", "interrupted"})


Label = str | int | float | bool | list[int] | None


class Event(msgspec.Struct):
    """One line of the protocol, of whatever kind; later versions may say more. No label is an object."""

    event: str
    case: int = -1
    round: int = 0
    value: float | None = None
    cases: list[dict[str, Label]] = []
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


def _refuse_mixed_labels(cases: Iterable[Mapping[str, Label]]) -> None:
    """Raises ProtocolError where a label is a number in one case and something else in another."""
    found: dict[str, str] = {}
    for name, value in (item for case in cases for item in case.items() if item[1] is not None):
        kind = "float" if type(value) is int else type(value).__name__
        if found.setdefault(name, kind) != kind:
            raise ProtocolError(f"label {name} is of type {found[name]} in one case and {kind} in another")


Progress = Callable[[ProbeSamples], None]


def collect_samples(probe: str, lines: Iterable[bytes], progress: Progress = lambda _: None) -> ProbeSamples:
    """Samples from the lines of one probe; `progress` is called after each round.

    Lines that are cut short or foreign end the collection: what came before is kept as "failed".
    """
    collector = SampleCollector(ProbeSamples(probe=probe, cases=[], values=[], ended="failed"), progress)
    decoder = msgspec.json.Decoder(Event)
    for line in lines:
        try:
            collector.take(decoder.decode(line))
        except (*UNREADABLE, ProtocolError) as error:
            shown = line[:60].decode(errors="replace").strip()
            collector.fail(f"{probe} wrote a line that is not an event: {shown!r} ({error})")
            break
    return collector.samples


@dataclass
class SampleCollector:
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
            next="the programs may have different versions; rebuild them with: make setup",
        )

    def _begin(self, event: Event) -> None:
        _refuse_mixed_labels(event.cases)
        self.samples.cases = [dict[str, Any](case) for case in event.cases]
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
