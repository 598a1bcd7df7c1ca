"""How a survey of the network goes, told while it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.launch.gather import Gathered
    from groma.launch.listener import Listener
    from groma.survey.network.plan import PlannedLaunch


class Course:
    """Which probe of a launch is on, told to the listener; `after` is the time (s) of all later launches."""

    def __init__(self, launch: PlannedLaunch, after: float, listener: Listener) -> None:
        self.steps = dict(zip((call.probe for call in launch.calls), launch.steps, strict=True))
        self.after, self.listener = after, listener
        self.current: str | None = None
        self.finished: set[str] = set()
        self._start(launch.calls[0].probe)

    def follow(self, known: Gathered) -> None:
        for probe in known.outcomes:
            self._finish(probe, known)
        current = known.current
        if current is not None and current != self.current:
            self._start(current)
        elif current is not None and current in known.samples:
            self.listener.progressed(self.steps[current], known.samples[current])

    def end(self, known: Gathered) -> None:
        """Also what did not come to its end is told."""
        for probe in known.samples:
            self._finish(probe, known)

    def _start(self, probe: str) -> None:
        self.current = probe
        names = list(self.steps)
        left = sum(self.steps[name].budget for name in names[names.index(probe) :])
        self.listener.started(self.steps[probe], left + self.after)

    def _finish(self, probe: str, known: Gathered) -> None:
        if probe not in self.finished and probe in known.samples:
            self.finished.add(probe)
            samples = known.samples[probe]
            samples.elapsed = sum(one.elapsed for one in samples.rounds)
            self.listener.finished(self.steps[probe], samples)
