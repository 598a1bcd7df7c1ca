"""Progress tells what happens, whatever is in the words of programs and machines."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, NamedTuple

from groma.record import Advice, ProbeSamples
from groma.report.progress import PlainProgress, TerminalProgress

if TYPE_CHECKING:
    import pytest

HOSTILE = "died [/red] [bold]x \x1b[2J \x9b1m \u202e"


class Step(NamedTuple):
    probe: str
    title: str
    budget: float


class Plan(NamedTuple):
    steps: tuple[Step, ...]
    budget: float


def told(progress: PlainProgress | TerminalProgress, step: Step) -> None:
    error = Advice(code="probe.died", what=HOSTILE, next="")
    samples = ProbeSamples(probe="p", cases=[], values=[], ended="failed", error=error)
    with progress:
        progress.started(step, step.budget)
        progress.progressed(step, samples)
        progress.finished(step, samples)
        progress.noted(HOSTILE)


def test_words_of_programs_neither_steer_the_terminal_nor_are_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Step("p", HOSTILE, 1.0)
    for kind in (PlainProgress, TerminalProgress):
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        told(kind(Plan((step,), 1.0)), step)
        shown = " ".join(stream.getvalue().split())
        assert r"died [/red] [bold]x \x1b[2J \x9b1m \u202e" in shown
        assert "\x1b[2J" not in shown
