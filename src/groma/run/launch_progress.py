"""Which step of a launch is on, and which are done, for whoever follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.run.launch_results import LaunchResults
    from groma.run.listener import Listener, Step


class _Replanned(NamedTuple):
    """A step with the time that its ranks expect."""

    probe: str
    title: str
    budget: float


class LaunchProgress:
    """`after` is the time (s) of all later launches."""

    def __init__(self, steps: Mapping[str, Step], after: float, listener: Listener) -> None:
        self.steps: Mapping[str, Step] = steps
        self.after, self.listener = after, listener
        self.current: str | None = None
        self.finished: set[str] = set()
        self.is_replanned = False
        self._start(next(iter(self.steps), None))

    def follow(self, known: LaunchResults) -> None:
        if known.run is not None and not self.is_replanned:
            self._replan(known.run.plan.estimated_seconds)
        for probe in known.outcomes:
            self._finish(probe, known)
        current = known.current
        if current is not None and current != self.current:
            self._start(current)
        elif current in self.steps and current in known.samples:
            self.listener.progressed(self.steps[current], known.samples[current])

    def end(self, known: LaunchResults) -> None:
        """Also what did not come to its end is shown."""
        for probe in known.samples:
            self._finish(probe, known)

    def _replan(self, estimates: Mapping[str, float]) -> None:
        """Ranks that have started know what their messages cost; who planned without them did not."""
        self.is_replanned = True
        if not estimates:
            return
        before = sum(step.budget for step in self.steps.values())
        self.steps = {
            name: _Replanned(step.probe, step.title, estimates.get(name, step.budget))
            for name, step in self.steps.items()
        }
        self.listener.replanned(before + self.after, self._left(next(iter(self.steps), None)))
        self._start(self.current)

    def _left(self, probe: str | None) -> float:
        names = list(self.steps)
        first = names.index(probe) if probe is not None and probe in self.steps else len(names)
        return sum(self.steps[name].budget for name in names[first:]) + self.after

    def _start(self, probe: str | None) -> None:
        self.current = probe
        if probe is not None and probe in self.steps:
            self.listener.started(self.steps[probe], self._left(probe))

    def _finish(self, probe: str, known: LaunchResults) -> None:
        if probe in self.steps and probe in known.samples and probe not in self.finished:
            self.finished.add(probe)
            self.listener.finished(self.steps[probe], known.samples[probe])
