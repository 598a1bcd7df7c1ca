"""Runs groma-counters with the program that it counts, which gets the signals that reach groma."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from groma.run.foreground import HandedOn

_APPEARS_SECONDS = 0.5
_LOOK_SECONDS = 0.005


def run_counted(words: Sequence[str | PathLike[str]], signals: HandedOn) -> int:
    """The exit code of groma-counters, which `words` start; minus the signal that ended it."""
    with subprocess.Popen(words) as counters:
        signals.hand_on_to(_Counted(counters))
        return counters.wait()


class _Counted:
    """The program that groma-counters starts.

    Signals are for it alone: groma-counters waits for its end and writes the counts.
    """

    def __init__(self, counters: subprocess.Popen[bytes]) -> None:
        self._counters = counters

    def send_signal(self, number: int, /) -> None:
        """It is started within milliseconds. What does not start it, or lingers after its end, is ended."""
        before = time.monotonic() + _APPEARS_SECONDS
        while self._counters.poll() is None:
            started = list(_children(self._counters.pid))
            if started or time.monotonic() > before:
                _send([*started] or [self._counters.pid], number)
                return
            time.sleep(_LOOK_SECONDS)


def _send(pids: Sequence[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _children(pid: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _parent(entry) == pid:
            yield int(entry.name)


def _parent(process: Path) -> int | None:
    with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
        # The name in parentheses may hold anything; the parent is the second field after it.
        return int((process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    return None
