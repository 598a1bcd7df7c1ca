"""Programs that groma starts and whose output it reads while they run."""

from __future__ import annotations

import os
import subprocess
import threading
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_COMPLAINTS = 400
"""Lines of standard error that are kept, the last ones."""

LONGEST_COMPLAINT = 1 << 16
"""Bytes that are kept of each."""


def start(
    words: Sequence[str | os.PathLike[str]], step: str = "rebuild it with: make setup", **options: Any
) -> subprocess.Popen[bytes]:
    """A program with pipes for its output and its complaints; `options` are further ones of Popen.

    Raises GromaError (exit code 4) with `step` where the system cannot start it, such as a program of another
    architecture.
    """
    try:
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    except OSError as error:
        cause = os.strerror(error.errno).lower() if error.errno else str(error)
        what = f"{os.fspath(words[0])} cannot be started: {cause}"
        raise GromaError(what, step, ExitCode.ENVIRONMENT) from error


class StderrTail:
    """Reads standard error in a thread of its own, so that a talkative child never blocks on a full pipe.

    Where a limit on memory or threads allows no thread, it is read when it is asked for.
    """

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        self._kept: deque[bytes] = deque(maxlen=MOST_COMPLAINTS)
        self._thread: threading.Thread | None = threading.Thread(target=self._read, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None

    def _read(self) -> None:
        assert self._child.stderr is not None  # noqa: S101 - opened with PIPE
        with suppress(ValueError):  # closed while we read
            for line in self._child.stderr:
                self._kept.append(line[:LONGEST_COMPLAINT])

    def lines(self, within: float | None = None) -> list[bytes]:
        """What is there at the end of standard error, or after `within` seconds: a child of the child may
        hold it open.
        """
        if self._thread is None:
            self._read()
        else:
            self._thread.join(within)
        return list(self._kept)


@contextmanager
def running(
    words: Sequence[str | os.PathLike[str]],
) -> Iterator[tuple[subprocess.Popen[bytes], StderrTail]]:
    """A program that ends here: it is waited for, or killed where an exception leaves the block."""
    with start(words) as child:
        try:
            yield child, StderrTail(child)
        except BaseException:
            child.kill()
            raise
