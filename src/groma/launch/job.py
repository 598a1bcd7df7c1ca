"""Run one launched job to its end, whatever that is: finished, died, stuck or interrupted."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.launch.command import Command
    from groma.launch.native import Interruption

Ending = Literal["finished", "stuck", "lingering", "interrupted"]

MOST_COMPLAINTS = 400
"""Lines of stderr that are kept, the last ones."""


@dataclass(frozen=True)
class Patience:
    """Seconds without a word after which a job counts as stuck: until its first line, and between lines.

    `end` are those that it has to end by itself once all was said, `kill` those once it was told to.
    """

    start: float = 120.0
    silence: float = 600.0
    end: float = 10.0
    kill: float = 10.0


@dataclass
class Ended:
    """How it went. `returncode` is the launcher's; `complaints` are the last lines of its stderr."""

    ending: Ending
    returncode: int
    complaints: list[str] = field(default_factory=list)
    spoke: bool = False
    silence: float = 0.0


def run_job(
    command: Command,
    on_line: Callable[[bytes], bool | None],
    interruption: Interruption,
    patience: Patience,
) -> Ended:
    """Start `command` and pass each line of its standard output on, until it ends.

    `on_line` tells whether all was said; a job that then does not end is ended, as "lingering".

    It has a session of its own, so that Ctrl-C reaches it through `interruption` only and nothing of it is
    left behind. Raises GromaError (exit code 4) where it cannot be started.
    """
    with _started(command) as child:
        watch = _Watch(child, interruption, patience)
        complaints = _Tail(child)
        with watch:
            assert child.stdout is not None  # noqa: S101 - opened with PIPE
            for line in child.stdout:
                watch.heard()
                watch.all_said = bool(on_line(line))
            watch.wait()
        return Ended(watch.ending, child.returncode, complaints.lines(), watch.spoke, watch.limit)


@contextmanager
def _started(command: Command) -> Iterator[subprocess.Popen[bytes]]:
    try:
        child = subprocess.Popen(
            command.words,
            env=os.environ | command.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        cause = os.strerror(error.errno).lower() if error.errno else str(error)
        raise GromaError(
            f"{command.words[0]} cannot be started: {cause}",
            "see groma doctor, or give --launcher",
            ExitCode.ENVIRONMENT,
        ) from error
    try:
        yield child
    finally:
        kill_session(child.pid)
        child.wait()
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                stream.close()


class _Tail:
    """Reads stderr beside, so that a talkative job never blocks on a full pipe."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.kept: list[str] = []
        self.child = child
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        assert self.child.stderr is not None  # noqa: S101 - opened with PIPE
        with suppress(ValueError):  # closed while we read
            for line in self.child.stderr:
                self.kept.append(line.decode(errors="replace").rstrip())
                del self.kept[:-MOST_COMPLAINTS]

    def lines(self) -> list[str]:
        self.thread.join(1.0)
        return [line for line in self.kept if line.strip()]


class _Watch:
    """Ends the job when it is silent for too long, and when it does not heed an interruption."""

    def __init__(
        self, child: subprocess.Popen[bytes], interruption: Interruption, patience: Patience
    ) -> None:
        self.child, self.interruption, self.patience = child, interruption, patience
        self.ending: Ending = "finished"
        self.spoke = False
        self.all_said = False
        self.last = time.monotonic()
        self.told: float | None = None
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look_on, daemon=True)

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
            return self.patience.end
        return self.patience.silence if self.spoke else self.patience.start

    def wait(self) -> None:
        """For the end of a job that has closed its output; the watch goes on meanwhile."""
        self.child.wait()

    def _look_on(self) -> None:
        while not self.over.wait(0.1):
            now = time.monotonic()
            if self.interruption.requested and self.told is None:
                self.told = now
            elif self.told is None and now - self.last > self.limit:
                self.ending, self.told = "lingering" if self.all_said else "stuck", now
                with suppress(ProcessLookupError):
                    self.child.terminate()
            elif self.told is not None and now - self.told > self.patience.kill:
                kill_session(self.child.pid)


def kill_session(leader: int) -> None:
    """Kill what is left of the session that we started: launchers put ranks into groups of their own."""
    for pid in _members(leader):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _members(session: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                # The name in parentheses may hold anything; session is the fourth field after it.
                after_name = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if int(after_name[3]) == session and after_name[0] != "Z":
                    yield int(entry.name)


# ---- why it ended ------------------------------------------------------------------------------------------

# What launchers and libraries say of the cause, the most telling first. Searched in all lines joined, because
# launchers wrap theirs.
_CAUSES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<cause>error while loading shared libraries: .*?No such file or directory)",
        r"(?P<cause>(?:[Oo]ut [Oo]f [Mm]emory|oom-kill|Cannot allocate memory)[^.;]*)",
        r"noticed that process (?P<cause>rank \d+).*? (?P<how>exited on signal \d+ \([^)]*\))",
        r"EXIT STRING: (?P<cause>[^(]*\(signal \d+\))",
        r"(?P<cause>srun: error: .*?)(?= srun: | slurmstepd: |$)",
        r"(?P<cause>There are not enough slots available.*?)\s*:",
        r"(?P<cause>execvp error on file .*?\([^)]*\))",
        r"(?P<cause>was unable to launch the specified application .*?Executable: \S+)",
        r"(?P<cause>MPI_ABORT was invoked[^.]*|Fatal error in [^:]*|Segmentation fault[^.]*)",
    )
)

# What a remote shell says of a host that it does not reach: whole lines, which nobody wraps.
_REMOTE_SHELL = re.compile(r"ssh: |Host key verification failed|Permission denied \(")

# Lines that say no more than that something went wrong.
_EMPTY_WORDS = re.compile(
    r"[-=*#\s|]*$|Primary job|a non-zero exit code|thus causing the job|prterun detected|\[mpiexec@|\[proxy:"
    r"|=   |YOUR APPLICATION TERMINATED"
)


def cause_of(complaints: list[str]) -> str:
    """What says best why a job ended; "" where nothing does."""
    unreached = said_by_shell(complaints)
    if unreached:
        return unreached
    joined = " ".join(line.strip() for line in complaints)
    for pattern in _CAUSES:
        found = pattern.search(joined)
        if found:
            return _tidy(" ".join(filter(None, found.groupdict().values())))
    telling = [line for line in complaints if not _EMPTY_WORDS.match(line.strip())]
    return _tidy(telling[-1]) if telling else ""


def said_by_shell(complaints: list[str]) -> str:
    """What a remote shell said of a host that it did not reach; "" where nothing."""
    return next((_tidy(line) for line in complaints if _REMOTE_SHELL.match(line)), "")


def ending_of(returncode: int) -> str:
    """A return code in words; shells and launchers add 128 to the signal that ended a program."""
    if returncode < 0 or 128 < returncode < 128 + 65:
        return f"signal {-returncode if returncode < 0 else returncode - 128}"
    return f"exit code {returncode}"


def _tidy(line: str) -> str:
    return " ".join(line.split())[:200]


def said_by(program: str, complaints: list[str]) -> tuple[str, str] | None:
    """What our own program said on stderr: `program: what is wrong` and, in the next line, what to do."""
    for number, line in enumerate(complaints):
        head, found, what = line.partition(f"{program}: ")
        if found and not head.strip():
            following = complaints[number + 1] if number + 1 < len(complaints) else ""
            return what.strip(), following.strip() if following.startswith("  ") else ""
    return None
