"""Who gets a signal while a program of the user runs."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from groma.run.foreground import HANDED_ON, OF_TERMINAL, handed_on, left_to_the_program

if TYPE_CHECKING:
    from types import FrameType

EVERY = OF_TERMINAL + HANDED_ON


class StartedProgram:
    """Keeps the signals that it is sent."""

    def __init__(self) -> None:
        self.signals: list[int] = []

    def send_signal(self, number: int, /) -> None:
        self.signals.append(number)


@pytest.mark.parametrize("number", HANDED_ON)
def test_a_signal_goes_to_the_program_before_and_after_it_is_named(number: signal.Signals) -> None:
    program = StartedProgram()
    with handed_on() as signals:
        os.kill(os.getpid(), number)
        signals.hand_on_to(program)
        os.kill(os.getpid(), number)
    assert program.signals == signals.came == [number, number]


@pytest.mark.parametrize("at", range(6))
def test_a_signal_that_comes_as_the_program_is_named_is_sent_once(at: int) -> None:
    program, lines = StartedProgram(), itertools.count()

    def follow(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_name != "hand_on_to":
            return None
        if event == "line" and next(lines) == at:
            signal.raise_signal(signal.SIGTERM)
        return follow

    with handed_on() as signals:
        sys.settrace(follow)
        try:
            signals.hand_on_to(program)
        finally:
            sys.settrace(None)
        if next(lines) <= at:  # all lines were run
            signal.raise_signal(signal.SIGTERM)
    assert program.signals == [signal.SIGTERM]


@pytest.mark.parametrize("number", OF_TERMINAL)
def test_signals_of_the_terminal_do_not_end_groma(number: signal.Signals) -> None:
    with left_to_the_program() as came:
        os.kill(os.getpid(), number)
    assert came == [number]


@pytest.mark.parametrize("number", EVERY)
def test_what_is_ignored_stays_ignored_also_in_the_program(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with left_to_the_program() as came, handed_on() as signals:
            os.kill(os.getpid(), number)
            assert code_after_own(number) == 0
        assert (came, signals.came) == ([], [])
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", EVERY)
@pytest.mark.parametrize("handler", [signal.SIG_DFL, lambda _number, _frame: None])
def test_what_is_handled_has_its_default_in_the_program(
    number: signal.Signals, handler: signal._HANDLER
) -> None:
    before = signal.signal(number, handler)
    try:
        with left_to_the_program(), handed_on():
            assert code_after_own(number) == -number
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


def code_after_own(number: signal.Signals) -> int:
    """Of a program that sends the signal to itself; 0 where it is ignored."""
    return subprocess.run(["sh", "-c", f"ulimit -c 0; kill -{int(number)} $$"], check=False).returncode


def test_a_handler_that_a_library_set_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(signal, "getsignal", lambda _: None)  # what Python says of handlers in C
    with left_to_the_program(), handed_on():
        monkeypatch.undo()
        assert signal.getsignal(signal.SIGTERM) is before
    assert signal.getsignal(signal.SIGTERM) is before


UNDER_GROMA = """
import subprocess
from groma.run.foreground import handed_on, left_to_the_program
from groma.run.signals import handle
handle(lambda number, _frame: None)  # as the command line does
with left_to_the_program(), handed_on():
    print(subprocess.run(["sh", "-c", "kill -{number} $$"]).returncode)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP])
def test_what_the_caller_ignored_is_ignored_in_the_program(number: signal.Signals) -> None:
    """As by a script that starts groma behind itself, though groma heeds some of it all the same."""
    script = f'trap "" {int(number)}; exec "$0" -c "$1"'
    words = ["sh", "-c", script, sys.executable, UNDER_GROMA.format(number=int(number))]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == "0\n"
