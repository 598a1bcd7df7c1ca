"""Runs a program with the tracer in it. Its input, output and exit code stay its own."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.run.foreground import handed_on, left_to_the_program

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(words: Sequence[str], variables: dict[str, str]) -> int:
    """The exit code of a command; 128 and the signal for one that a signal ended, as in shells. What it left
    is merged afterwards, whatever ended it.

    Raises GromaError (exit code 2) for a command that cannot be started.
    """
    try:
        with left_to_the_program(), handed_on() as signals:
            started = subprocess.Popen(words, env=os.environ | variables)
            signals.hand_on_to(started)
            code = started.wait()
    except OSError as error:
        raise GromaError(
            f"{words[0]} cannot be started: {error.strerror}",
            "check the command after --",
            ExitCode.USAGE,
        ) from None
    return code if code >= 0 else 128 - code
