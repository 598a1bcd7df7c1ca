"""Signals that end the command line with exit code 130, whenever they come.

While something measures, groma.run.signals takes them over.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

from groma.cli.wakeup import interrupting_waits
from groma.run.signals import ENDING, is_heeded, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any

    Handler = Callable[[int, FrameType | None], Any] | int | None

_PROGRAMS = ("/groma", "/groma/__main__.py")


def protect_start() -> None:
    """Until `interrupting` takes over, nothing has begun: end at once, without the trace of some import.

    Only in a process that is the command line; whoever imports a part of it keeps its signals.
    """
    if os.path.abspath(sys.argv[0]).endswith(_PROGRAMS):  # noqa: PTH100 - pathlib is slow to import
        _handle(_end_at_once)


@contextmanager
def interrupting() -> Iterator[None]:
    """Within, these signals raise KeyboardInterrupt, so that whatever was begun is ended in good order."""
    with interrupting_waits():
        before = _handle(_interrupt)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _handle(handler: Handler) -> dict[signal.Signals, Handler]:
    """As while something measures, but for those that a preloaded library handles in C: Python could not give
    them back.
    """
    before: dict[signal.Signals, Handler] = {one: signal.getsignal(one) for one in filter(is_heeded, ENDING)}
    heeded: dict[signal.Signals, Handler] = {one: now for one, now in before.items() if now is not None}
    for number in heeded:
        signal.signal(number, handler)
    return heeded


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(named(number))


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, f"groma: interrupted{named(number)}\n".encode())
    os._exit(130)
