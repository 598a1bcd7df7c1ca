"""A signal that comes just before the program waits in the system ends that wait as well.

Python notes a signal at once, but runs its handler only at the next instruction. If a system call begins in
between, such as one that reads from a pipe, the signal has not interrupted it, and the handler would wait for
its end.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_REMINDER = signal.SIGURG
"""The system ignores it unless it is handled, and so do programs that are started within."""

_SECONDS = 0.05


class _Reminder:
    """Interrupts the system calls of the thread that made it until handlers have run there."""

    def __init__(self) -> None:
        self.main = threading.get_ident()
        self.answered = False
        self.over = threading.Event()

    def answer(self, _number: int, _frame: FrameType | None) -> None:
        """Runs after or beside the handlers of all signals that came before."""
        self.answered = True

    def remind(self, noted: int) -> None:
        """Python writes the number of each signal into this pipe."""
        while number := os.read(noted, 1):
            if number[0] != _REMINDER:
                self.answered = False
                while not self.over.wait(_SECONDS) and not self.answered:
                    signal.pthread_kill(self.main, _REMINDER)


@contextmanager
def interrupting_waits() -> Iterator[None]:
    """Within, the handler of a signal runs soon, whatever the main thread waits for. Only for that thread.

    Nothing changes where a preloaded library handles the reminder in C: Python could not give it back.
    """
    if signal.getsignal(_REMINDER) is None:
        yield
        return
    reminder = _Reminder()
    noted, note = os.pipe()
    os.set_blocking(note, False)
    thread = threading.Thread(target=reminder.remind, args=(noted,), daemon=True)
    before = signal.signal(_REMINDER, reminder.answer)
    former = signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(former)
        reminder.over.set()
        os.close(note)
        thread.join()
        os.close(noted)
        signal.signal(_REMINDER, before)
