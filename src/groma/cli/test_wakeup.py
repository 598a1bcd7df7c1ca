"""A signal that has not interrupted a wait is heeded all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from groma.cli.wakeup import interrupting_waits

UNNOTICED = """
import os, signal, threading, time
from groma.cli.ending import interrupting
reader, writer = os.pipe()
def of_another_thread():
    time.sleep(0.3)
    signal.pthread_kill(threading.get_ident(), {number})
threading.Thread(target=of_another_thread, daemon=True).start()
try:
    with interrupting():
        os.read(reader, 1)
except KeyboardInterrupt as by:
    print("ended", by, flush=True)
"""
"""The main thread waits and is not interrupted, although Python has noted a signal: as after one that came
just before the wait.
"""


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGINT, "ended \n"), (signal.SIGTERM, "ended  (SIGTERM)\n")]
)
def test_a_signal_that_interrupts_no_system_call_ends_the_wait(number: signal.Signals, said: str) -> None:
    words = [sys.executable, "-c", UNNOTICED.format(number=int(number))]
    assert subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout == said


def of_this_process() -> tuple[object, int, int]:
    open_files = len(list(Path("/proc/self/fd").iterdir()))
    return signal.getsignal(signal.SIGURG), threading.active_count(), open_files


def test_nothing_of_it_is_left() -> None:
    before = of_this_process()
    with interrupting_waits():
        assert of_this_process() != before
    assert of_this_process() == before
    assert signal.set_wakeup_fd(-1) == -1


def test_it_ends_at_once_although_a_signal_was_not_answered() -> None:
    taken: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: taken.append(number))
    try:
        with interrupting_waits():
            for _ in range(100_000):  # more than the pipe holds
                os.kill(os.getpid(), signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(taken) == 100_000
