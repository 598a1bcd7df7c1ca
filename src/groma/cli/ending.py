"""Signals that end the command line with exit code 130, whenever they come.

Before, groma.cli.starting answers them; while something measures, groma.run.interruption.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from groma.cli.wakeup import interrupting_waits
from groma.run.signals import handling, named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


@contextmanager
def interrupting() -> Iterator[None]:
    """Within, these signals raise KeyboardInterrupt, so that whatever was begun is ended in good order."""
    with interrupting_waits(), handling(_interrupt):
        yield


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(named(number))
