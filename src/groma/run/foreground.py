"""Signals while a program of the user runs in place of groma: they are for the program, and groma waits."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from groma.run.signals import ENDING, IGNORED_BY_CALLER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

OF_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""The terminal sends them to the program as well."""

HANDED_ON = tuple(one for one in ENDING if one not in OF_TERMINAL)


class Program(Protocol):
    """What is sent signals, as a `subprocess.Popen` is."""

    def send_signal(self, number: int, /) -> None: ...


class HandedOn:
    """Hands signals on to a program once it is named; `came` are all that came."""

    def __init__(self) -> None:
        self.came: list[int] = []
        self._waiting: list[int] = []
        self._programs: list[Program] = []

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        self.came.append(number)
        if not self._programs:
            self._waiting.append(number)
        for program in self._programs:
            program.send_signal(number)

    def hand_on_to(self, program: Program) -> None:
        """The program gets the signals that came before as well."""
        self._programs.append(program)  # from here on no more come before
        for number in self._waiting:
            program.send_signal(number)
        self._waiting = []


@contextmanager
def handed_on() -> Iterator[HandedOn]:
    """Within, signals that end a run go to the program, which may clean up first, and groma waits for it."""
    handler = HandedOn()
    with _handling(HANDED_ON, handler):
        yield handler


@contextmanager
def left_to_the_program() -> Iterator[list[int]]:
    """Within, Ctrl-C and its like do not end groma: the terminal sends them to the program as well.

    Gives the list of those that came.
    """
    came: list[int] = []
    with _handling(OF_TERMINAL, lambda number, _frame: came.append(number)):
        yield came


@contextmanager
def _handling(
    numbers: tuple[signal.Signals, ...], handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """What the caller ignored is ignored, for that is what nohup is for, also in a program that is started
    within: so it is for a program that a script starts behind itself.

    What is handled has its default there: so nothing else is ignored here. Handlers that a library set in C
    stay, because Python could not give them back. Only for the main thread.
    """
    known = {one: signal.getsignal(one) for one in numbers}
    replaced = {one: before for one, before in known.items() if before not in {None, signal.SIG_IGN}}
    for one in replaced:
        signal.signal(one, signal.SIG_IGN if one in IGNORED_BY_CALLER else handler)
    try:
        yield
    finally:
        for one, before in replaced.items():
            signal.signal(one, before)
