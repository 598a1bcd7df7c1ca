"""Signals that end what was started, wherever groma waits for another program."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Handler = Callable[[int, FrameType | None], None]


@contextmanager
def handling(handler: Handler) -> Iterator[None]:
    """Within, SIGINT, SIGTERM and SIGHUP go to `handler`; programs started within begin with the defaults.

    SIGHUP stays ignored where it was, for that is what nohup is for. SIGINT does not: a shell without job
    control ignores it for all that it starts behind itself, but whoever sends it to such a run means it.
    Only for the main thread.
    """
    wanted = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        wanted.append(signal.SIGHUP)
    before = {one: signal.signal(one, handler) for one in wanted}
    try:
        yield
    finally:
        for one, previous in before.items():
            signal.signal(one, previous)
