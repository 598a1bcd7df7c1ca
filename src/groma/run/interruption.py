"""Ctrl-C and its like while something measures: the first ends it in good order, the second at once."""

from __future__ import annotations

import signal
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.run.signals import handling, named

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from types import FrameType


@dataclass
class Interruption:
    """Set once a signal asked to stop; the running child is terminated as well."""

    requested: bool = False
    child: subprocess.Popen[bytes] | None = None
    signal_number: int = 0

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        if self.requested:
            self._insist(number)
            return
        self.requested, self.signal_number = True, number
        if self.child is not None:
            with suppress(ProcessLookupError):
                self.child.terminate()

    def _insist(self, number: int) -> None:
        """A second Ctrl-C means at once; the system repeats SIGXCPU every second."""
        if number != signal.SIGXCPU:
            raise KeyboardInterrupt(named(number))


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Within, signals that end a run end the running probe in good order instead of this program."""
    interruption = Interruption()
    with handling(interruption):
        yield interruption
