"""Ctrl-C and its like while something measures: the first ends it in good order, the second at once."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.run.signals import handling

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from types import FrameType


@dataclass
class Interruption:
    """Set once the user asked to stop; the running child is terminated as well."""

    requested: bool = False
    child: subprocess.Popen[bytes] | None = None

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        if self.requested:  # a second Ctrl-C means at once
            raise KeyboardInterrupt
        self.requested = True
        if self.child is not None:
            with suppress(ProcessLookupError):
                self.child.terminate()


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Within, SIGINT, SIGTERM and SIGHUP end the running probe in good order instead of this program."""
    interruption = Interruption()
    with handling(interruption):
        yield interruption
