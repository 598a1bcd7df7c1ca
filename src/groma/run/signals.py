"""Signals that end what was started, wherever groma waits for another program.

The command line imports this before it heeds a signal: nothing here may take long to import, such as typing.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any

    Handler = Callable[[int, FrameType | None], Any] | int | None

FROM_USER = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

FROM_BATCH_SYSTEM = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGQUIT)
"""They announce the end of a job: Slurm by --signal=USR1@60, LSF by SIGUSR2, the system by SIGXCPU where CPU
time is limited. SIGQUIT comes from a terminal or a container runtime.
"""

ENDING = FROM_USER + FROM_BATCH_SYSTEM

IGNORED_BY_CALLER = frozenset(one for one in ENDING if signal.getsignal(one) is signal.SIG_IGN)
"""What whoever started this process had ignored, also where it is handled by now."""

_ALWAYS_MEANT = {signal.SIGINT, signal.SIGTERM}


def is_heeded(number: signal.Signals) -> bool:
    """Whether a signal is to end a run: what is ignored stays so, for that is what nohup is for.

    SIGINT and SIGTERM do not: a shell without job control ignores SIGINT for all that it starts behind
    itself, but whoever sends it to such a run means it.
    """
    return number in _ALWAYS_MEANT or signal.getsignal(number) is not signal.SIG_IGN


def handle(handler: Handler) -> dict[signal.Signals, Handler]:
    """Give the signals that end a run to `handler`; who had them before.

    But for those that a preloaded library handles in C: Python could not give them back.
    """
    before: dict[signal.Signals, Handler] = {one: signal.getsignal(one) for one in filter(is_heeded, ENDING)}
    heeded: dict[signal.Signals, Handler] = {one: now for one, now in before.items() if now is not None}
    for number in heeded:
        signal.signal(number, handler)
    return heeded


@contextmanager
def handling(handler: Handler) -> Iterator[None]:
    """Within, the signals that end a run go to `handler`; programs started within begin with the defaults.

    Only for the main thread.
    """
    before = handle(handler)
    try:
        yield
    finally:
        for one, previous in before.items():
            signal.signal(one, previous)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within, a signal that ends a run is noted; it takes effect at the end. Python interrupts its main
    thread, whichever thread gets a signal: blocking it there would not do, and other threads need none of it.
    """
    import threading  # noqa: PLC0415

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: dict[int, None] = {}
    try:
        with handling(lambda number, _frame: noted.setdefault(number)):
            yield
    finally:
        for number in noted:
            signal.raise_signal(number)


def named(number: int) -> str:
    """To put behind "interrupted": " (SIGUSR1)". Nothing for SIGINT, since who pressed Ctrl-C knows, and for
    0, where it is not known.
    """
    return "" if number in {0, signal.SIGINT} else f" ({signal.Signals(number).name})"
