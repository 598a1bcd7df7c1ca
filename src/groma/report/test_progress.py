"""Progress tells what happens, whatever is in the words of programs and machines."""

from __future__ import annotations

import io
import itertools
import sys
from typing import TYPE_CHECKING, NamedTuple

from groma.record import Advice, ProbeSamples
from groma.report.progress import PlainProgress, TerminalProgress, format_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

HOSTILE = "died [/red] [bold]x \x1b[2J \x9b1m \u202e"


class Step(NamedTuple):
    probe: str
    title: str
    budget: float


class Plan(NamedTuple):
    steps: tuple[Step, ...]
    budget: float


def reported(progress: PlainProgress | TerminalProgress, step: Step) -> None:
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
        reported(kind(Plan((step,), 1.0)), step)
        shown = " ".join(stream.getvalue().split())
        assert r"died [/red] [bold]x \x1b[2J \x9b1m \u202e" in shown
        assert "\x1b[2J" not in shown


def plain_progress(clock: Iterator[float]) -> tuple[PlainProgress, io.StringIO]:
    stream = io.StringIO()
    plan = Plan((Step("messages", "Messages", 60.0),), 60.0)
    return PlainProgress(plan, stream, lambda: next(clock)), stream


def test_a_long_step_says_now_and_then_how_far_it_is() -> None:
    progress, stream = plain_progress(iter([0.0, 0.0, 3.0, 11.0, 14.0, 22.0]))
    samples = ProbeSamples(probe="messages", cases=[], values=[[1.0, 2.0], [3.0]])
    progress.started(Step("messages", "Messages", 60.0), 60.0)
    for _ in range(4):
        progress.progressed(Step("messages", "Messages", 60.0), samples)
    assert stream.getvalue().splitlines() == [
        "[1/1] messages  3 samples so far, about 49 s left",
        "[1/1] messages  3 samples so far, about 38 s left",
    ]


def test_a_time_that_the_ranks_do_not_confirm_is_announced_anew() -> None:
    progress, stream = plain_progress(itertools.repeat(0.0))
    progress.replanned(20.0, 21.0)
    progress.replanned(1.0, 20.0)
    assert stream.getvalue().splitlines() == ["messages between the ranks were measured: about 20 s"]


def test_a_duration_below_a_second_is_not_none() -> None:
    assert [format_duration(one) for one in (0.0, 0.4, 0.97, 45.2, 170.0)] == [
        "0 s",
        "0.4 s",
        "1 s",
        "45 s",
        "3 min",
    ]
