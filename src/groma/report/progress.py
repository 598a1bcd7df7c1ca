"""Progress of a running survey: live on a terminal, one line per finished step elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol, Self, TextIO

from groma.printable import printable
from groma.run.listener import Listener

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from groma.record import ProbeSamples
    from groma.run.listener import Step


class Plan(Protocol):
    """What will be run, of a survey or of a suite."""

    @property
    def steps(self) -> Sequence[Step]: ...
    @property
    def budget(self) -> float: ...


def outcome(samples: ProbeSamples) -> str:
    """What became of a step, in a few words."""
    if samples.error is not None:
        return f"failed: {samples.error.what}"
    count = sum(len(values) for values in samples.values)
    how = {
        "stable": "settled",
        "budget": "budget spent",
        "rounds": "all rounds",
        "interrupted": "interrupted",
    }
    return f"{count} samples in {samples.elapsed:.1f} s ({how.get(samples.ended, samples.ended)})"


def format_duration(seconds: float) -> str:
    """A time in round numbers: 0.4 s, 45 s, 3 min."""
    if 0.0 < seconds < 0.95:
        return f"{seconds:.1g} s"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def replanned_words(before: float, now: float) -> str:
    """Nothing where the ranks confirm what was announced."""
    differs = abs(now - before) > max(_WORTH_SAYING * before, 1.0)
    return f"messages between the ranks were measured: about {format_duration(now)}" if differs else ""


_WORTH_SAYING = 0.1

_SILENT_AT_MOST = 10.0
"""Seconds without a line while a step measures."""


class NoProgress(Listener):
    """Says nothing; also the frame of the others."""

    def __init__(self, plan: Plan) -> None:
        self.total = len(plan.steps)
        self.widest = max(len(step.probe) for step in plan.steps)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class PlainProgress(NoProgress):
    """One line per finished step, and now and then one for a long step, for logs of batch jobs."""

    def __init__(
        self, plan: Plan, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(plan)
        self.stream = stream or sys.stderr
        self.clock = clock
        self.number = 0
        self.left = plan.budget
        self.step_started = self.said = clock()

    def started(self, step: Step, left: float) -> None:
        self.left = left - step.budget
        self.step_started = self.said = self.clock()

    def replanned(self, before: float, now: float) -> None:
        if words := replanned_words(before, now):
            self.noted(words)

    def progressed(self, step: Step, samples: ProbeSamples) -> None:
        now = self.clock()
        if now - self.said < _SILENT_AT_MOST:
            return
        self.said = now
        spent = now - self.step_started
        left = f", about {format_duration(max(step.budget - spent, 0.0))} left" if step.budget else ""
        count = sum(len(values) for values in samples.values)
        place = f"[{self.number + 1}/{self.total}] {step.probe:{self.widest}}"
        self.noted(f"{place}  {count} samples so far{left}")

    def finished(self, step: Step, samples: ProbeSamples) -> None:
        self.number += 1
        line = f"[{self.number}/{self.total}] {step.probe:{self.widest}}  {outcome(samples)}"
        left = f", about {format_duration(self.left)} left" if step.budget else ""
        self.noted(f"{line}{left}")

    def noted(self, what: str) -> None:
        print(printable(what), file=self.stream, flush=True)


class TerminalProgress(NoProgress):
    """A bar over the whole survey with the time left, and a line for each step that is done."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.budget = plan.budget
        self.left = plan.budget
        self.step_started = time.monotonic()
        self.bar, self.task = self._bar()

    def _bar(self) -> tuple[RichProgress, TaskID]:
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[left]}", markup=False),
        )
        bar = Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=4)
        return bar, bar.add_task("starting", total=self.budget or None, left=self._said(self.budget))

    def _said(self, left: float) -> str:
        return f"about {format_duration(max(left, 0.0))} left" if self.budget else ""

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def started(self, step: Step, left: float) -> None:
        self.left, self.step_started = left, time.monotonic()
        self._show(step, 0.0)

    def progressed(self, step: Step, samples: ProbeSamples) -> None:  # noqa: ARG002
        self._show(step, min(time.monotonic() - self.step_started, step.budget))

    def replanned(self, before: float, now: float) -> None:
        self.budget = now
        self.bar.update(self.task, total=now or None)
        if words := replanned_words(before, now):
            self.noted(words)

    def _show(self, step: Step, spent: float) -> None:
        left = self.left - spent
        self.bar.update(
            self.task, description=printable(step.title), completed=self.budget - left, left=self._said(left)
        )

    def finished(self, step: Step, samples: ProbeSamples) -> None:
        from rich.text import Text  # noqa: PLC0415

        mark = ("✗", "red") if samples.error is not None else ("✓", "green")
        title, said = printable(step.title), printable(outcome(samples))
        self.bar.console.print(Text.assemble(mark, f" {title}: ", (said, "dim")))

    def noted(self, what: str) -> None:
        from rich.text import Text  # noqa: PLC0415

        self.bar.console.print(Text(printable(what)))


def progress_for(plan: Plan, choice: str, *, quiet: bool) -> NoProgress:
    """The progress that fits: `choice` is auto, plain or none (setting output.progress)."""
    if quiet or choice == "none":
        return NoProgress(plan)
    if choice == "auto" and sys.stderr.isatty():
        return TerminalProgress(plan)
    return PlainProgress(plan)
