"""Runs a program with the tracer in it. Its input, output and exit code stay its own."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError
from groma.run.signals import ENDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

_NOT_FOUND = 127  # as shells say it
_NOT_STARTED = 126

_OF_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""The terminal sends them to the program as well."""

_HANDED_ON = tuple(one for one in ENDING if one not in _OF_TERMINAL)


def _restore(kept: Mapping[signal.Signals, Any]) -> None:
    """Python does not know handlers that a library set; they cannot be restored, and those of signals that
    are handed on were never replaced.
    """
    for one, handler in kept.items():
        if handler is not None:
            signal.signal(one, handler)


@contextmanager
def _left_to_the_program() -> Iterator[Callable[[], None]]:
    """The program ends by what the terminal sends, and what it left is merged.

    Gives what the program is to call before it begins: what its caller ignores, it ignores as well.
    """
    kept = {one: signal.signal(one, signal.SIG_IGN) for one in _OF_TERMINAL}
    heeded = [one for one, handler in kept.items() if handler is not signal.SIG_IGN]

    def heed() -> None:
        for one in heeded:
            signal.signal(one, signal.SIG_DFL)

    try:
        yield heed
    finally:
        _restore(kept)


@contextmanager
def handed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Who ends groma means the program, which may clean up first; its trace is merged afterwards.

    Gives what names the program once it is started: it gets the signals that came before as well. What is
    ignored stays ignored, for that is what nohup is for.
    """
    came: list[int] = []
    programs: list[subprocess.Popen[bytes]] = []

    def hand_on(number: int, _frame: FrameType | None) -> None:
        if not programs:
            came.append(number)
        for program in programs:
            program.send_signal(number)

    def hand_on_to(program: subprocess.Popen[bytes]) -> None:
        programs.append(program)  # from here on no more come before
        for number in came:
            program.send_signal(number)

    kept = {one: signal.getsignal(one) for one in _HANDED_ON}
    for one in _HANDED_ON:
        if kept[one] not in (None, signal.SIG_IGN):  # None: a library handles it
            signal.signal(one, hand_on)
    try:
        yield hand_on_to
    finally:
        _restore(kept)


def run(words: Sequence[str], variables: dict[str, str]) -> int:
    """The exit code of a command; 128 and the signal for one that a signal ended, as in shells.

    Raises GromaError (exit code 2) for a command that cannot be started.
    """
    try:
        with _left_to_the_program() as heed, handed_on() as hand_on_to:
            started = subprocess.Popen(words, env=os.environ | variables, preexec_fn=heed)  # noqa: PLW1509
            hand_on_to(started)
            code = started.wait()
    except OSError as error:
        raise GromaError(
            f"{words[0]} cannot be started: {error.strerror}",
            "check the command after --",
            ExitCode.USAGE,
        ) from None
    return code if code >= 0 else 128 - code
