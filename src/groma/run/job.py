"""Run one launched job to its end, whatever that is: finished, died, stuck or interrupted."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from groma.launch.causes import LONGEST_LINE
from groma.launch.children import StderrTail, start
from groma.run.session import Session, marked, new_mark
from groma.run.signals import undisturbed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.launch.command import Command
    from groma.launch.prepare import Timeouts
    from groma.run.interruption import Interruption

Ending = Literal["finished", "stuck", "lingering", "interrupted"]

REPEAT_SECONDS = 1.0
"""After these a termination signal is sent again: Hydra loses one that comes while it starts its proxy. Open
MPI ends at once on a second signal; it has ended all ranks on this machine by then.
"""

LAST_WORDS_SECONDS = 1.0
"""For its last lines on stderr, which ranks on other machines may hold open."""

KILLED_SECONDS = 10.0
"""For its end after SIGKILL, which a file server that does not answer delays without end."""


@dataclass
class JobResult:
    """How a job ended. `returncode` is the launcher's; `complaints` are the last lines of its stderr.
    `signal_number` is that of the signal which interrupted it, 0 where none did.
    """

    ending: Ending
    returncode: int
    complaints: list[str] = field(default_factory=list)
    spoke: bool = False
    silence: float = 0.0
    signal_number: int = 0


class Job(Protocol):
    """Runs a launch; tests replace it by a recording."""

    def __call__(
        self,
        command: Command,
        on_line: Callable[[bytes], bool | None],
        interruption: Interruption,
        timeouts: Timeouts,
    ) -> JobResult: ...


def run_job(
    command: Command,
    on_line: Callable[[bytes], bool | None],
    interruption: Interruption,
    timeouts: Timeouts,
) -> JobResult:
    """Start `command` and pass each line of its standard output on, until it ends.

    `on_line` returns whether the output is complete; a job that does not end then is ended as "lingering".

    It has a session of its own, so that Ctrl-C reaches it through `interruption` only. It has a mark of its
    own as well, so that nothing of it is left behind, neither a process nor shared memory. Raises GromaError
    (exit code 4) where it cannot be started.
    """
    with _started(command) as (child, session):
        watchdog = _Watchdog(child, session, interruption, timeouts)
        complaints = StderrTail(child)
        with watchdog:
            assert child.stdout is not None  # noqa: S101 - opened with PIPE
            for line in child.stdout:
                watchdog.heard()
                watchdog.all_said = bool(on_line(line))
            watchdog.wait()
        return JobResult(
            watchdog.ending,
            child.returncode,
            [_text(line) for line in complaints.lines(LAST_WORDS_SECONDS)],
            watchdog.spoke,
            watchdog.limit,
            interruption.signal_number,
        )


@contextmanager
def _started(command: Command) -> Iterator[tuple[subprocess.Popen[bytes], Session]]:
    # Standard input without an end: Hydra passes the end on to rank 0, and dies of SIGPIPE where that has
    # ended already (MPICH 4.0).
    mark = new_mark()
    child = start(
        command.words,
        "run groma doctor, or use another --launcher",
        env=marked(os.environ | command.variables, mark),
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    session = Session(child.pid, mark=mark)
    try:
        yield child, session
    finally:
        with undisturbed():
            session.kill()
            with suppress(subprocess.TimeoutExpired):
                child.wait(KILLED_SECONDS)
            session.clear()
            for stream in (child.stdin, child.stdout, child.stderr):
                if stream is not None:
                    stream.close()


def _text(line: bytes) -> str:
    return line[:LONGEST_LINE].decode(errors="replace").rstrip()


class _Watchdog:
    """Ends the job when it is silent for too long, and when it does not heed an interruption."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        session: Session,
        interruption: Interruption,
        timeouts: Timeouts,
    ) -> None:
        self.child, self.session = child, session
        self.interruption, self.timeouts = interruption, timeouts
        self.ending: Ending = "finished"
        self.spoke = False
        self.all_said = False
        self.last = time.monotonic()
        self.stopping_since: float | None = None
        self.asked = 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._monitor, daemon=True)

    def __enter__(self) -> None:
        # The handler of the signal passes it on; one that came before there was a child is passed on here.
        self.interruption.child = self.child
        if self.interruption.requested:
            self.child.terminate()
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()
        self.interruption.child = None
        if self.interruption.requested:
            self.ending = "interrupted"

    def heard(self) -> None:
        self.spoke, self.last = True, time.monotonic()

    @property
    def limit(self) -> float:
        if self.all_said:
            return self.timeouts.end
        return self.timeouts.silence if self.spoke else self.timeouts.start

    def wait(self) -> None:
        """For the end of a job that has closed its output; the watchdog goes on meanwhile."""
        self.child.wait()

    def _monitor(self) -> None:
        while not self.over.wait(0.1):
            now = time.monotonic()
            if self.stopping_since is not None:
                self._insist(now, now - self.stopping_since)
            elif self.interruption.requested:  # whose handler has asked it to end
                self.stopping_since = self.asked = now
            elif now - self.last > self.limit:
                self.ending = "lingering" if self.all_said else "stuck"
                self.stopping_since = now
                self._ask(now)

    def _insist(self, now: float, waited: float) -> None:
        if waited > self.timeouts.kill:
            self.session.kill()
        elif now - self.asked > REPEAT_SECONDS:
            self._ask(now)

    def _ask(self, now: float) -> None:
        self.asked = now
        with suppress(ProcessLookupError):
            self.child.terminate()
