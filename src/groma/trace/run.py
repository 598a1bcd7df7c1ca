"""Runs a program with the tracer in it. Its input, output and exit code stay its own."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NOT_FOUND = 127  # as shells say it
_NOT_STARTED = 126


@contextmanager
def _left_to_the_program() -> Iterator[None]:
    """The terminal interrupts the program as well: it ends by that, and what it left is merged."""
    kept = {one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)


@contextmanager
def _handed_on(program: subprocess.Popen[bytes]) -> Iterator[None]:
    """Who ends groma means the program, which may clean up first; its trace is merged afterwards."""
    meant = (signal.SIGTERM, signal.SIGHUP)
    kept = {one: signal.getsignal(one) for one in meant}
    for one in meant:
        if kept[one] is signal.SIG_DFL:
            signal.signal(one, lambda number, _frame: program.send_signal(number))
    try:
        yield
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)


def _default_signals() -> None:
    for one in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(one, signal.SIG_DFL)


def run(words: Sequence[str], variables: dict[str, str]) -> int:
    """The exit code of a command; 128 and the signal for one that a signal ended, as in shells.

    Raises GromaError (exit code 2) for a command that cannot be started.
    """
    try:
        with _left_to_the_program():
            started = subprocess.Popen(words, env=os.environ | variables, preexec_fn=_default_signals)  # noqa: PLW1509
            with _handed_on(started):
                code = started.wait()
    except OSError as error:
        raise GromaError(
            f"{words[0]} cannot be started: {error.strerror}",
            "check the command after --",
            ExitCode.USAGE,
        ) from None
    return code if code >= 0 else 128 - code
