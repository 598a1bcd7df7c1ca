"""The processes of one launch, and what they leave in shared memory and in session directories when killed.

A launcher that ends in good order removes all of it; one that is killed removes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from groma.run.signals import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where POSIX shared memory is

# Session directories by the process that made them: of ORTE (Open MPI to 4) and of PRRTE (from 5 on).
_DIRECTORIES = ("ompi.*/pid.{pid}", "prte.*.{pid}.*", "prterun.*.{pid}.*")

# What every process of a launch inherits; a launch within a launch bears the marks of both.
_MARK = "GROMA_LAUNCH"

# Files of PMIx within them bear the number of the job; segments of Open MPI bear it in hexadecimal digits.
_JOB = re.compile(r"sm(?:data|lock)?seg-(\d+)")


def new_mark() -> str:
    """Tells the processes of one launch from all others."""
    return os.urandom(8).hex()


def marked(variables: Mapping[str, str], mark: str) -> dict[str, str]:
    """The variables with this mark, which processes that they are given to pass on."""
    return {**variables, _MARK: " ".join(filter(None, [variables.get(_MARK), mark]))}


@dataclass
class Session:
    """All processes on this machine that `leader` started.

    Open MPI puts ranks into groups of their own, all in one session. Hydra and Slurm start ranks in sessions
    of their own: those are known by `mark`, unless it is "". Whatever is removed belonged to
    them alone.
    """

    leader: int
    shared_memory: Path = SHARED_MEMORY
    temporary: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))
    pids: set[int] = field(default_factory=set)
    held: set[Path] = field(default_factory=set)
    mark: str = ""

    def __post_init__(self) -> None:
        self.pids.add(self.leader)

    def kill(self) -> None:
        """All that are left, after noting what they hold; stopped first, so that they hold nothing new."""
        with undisturbed():  # else some would stay stopped for ever
            members = self._stopped()
            self.pids.update(members)
            for one in members:
                self.held.update(_held_by(one, self.shared_memory))
            for one in members:
                _send(one, signal.SIGKILL)

    def _stopped(self) -> set[int]:
        """All members, each stopped: until none is found that another one started meanwhile."""
        members: set[int] = set()
        while new := {pid for pid in _processes() if self._has(pid)} - members:
            for one in new:
                _send(one, signal.SIGSTOP)
            members |= new
        return members

    def _has(self, pid: int) -> bool:
        return _is_in_session(pid, self.leader) or (bool(self.mark) and _is_marked(pid, self.mark))

    def clear(self) -> None:
        """Remove what they left; nothing where the launcher did so itself."""
        with undisturbed():
            directories = list(self._directories())
            left = self.held | {path for one in directories for path in self._segments(one)}
            for path in _unused(filter(_is_ours, left), self.shared_memory, self.pids):
                path.unlink(missing_ok=True)
            for directory in directories:
                shutil.rmtree(directory, ignore_errors=True)
                with suppress(OSError):  # others may have theirs beside it
                    directory.parent.rmdir()

    def _directories(self) -> Iterator[Path]:
        for pid in self.pids:
            for pattern in _DIRECTORIES:
                yield from filter(_is_ours, self.temporary.glob(pattern.format(pid=pid)))

    def _segments(self, directory: Path) -> Iterator[Path]:
        """Of the jobs of a session directory."""
        for job in {
            int(found[1]) for path in directory.rglob("sm*seg-*") if (found := _JOB.match(path.name))
        }:
            yield from self.shared_memory.glob(f"*.{job:08x}.*")


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.geteuid()
    except OSError:
        return False


def _is_in_session(pid: int, session: int) -> bool:
    with suppress(OSError, ValueError, IndexError):
        # The name in parentheses may hold anything; session is the fourth field after it.
        after_name = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return int(after_name[3]) == session and after_name[0] != "Z"
    return False


def _is_marked(pid: int, mark: str) -> bool:
    with suppress(OSError):  # of another user, or gone
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    return False


def _processes() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _held_by(pid: int, folder: Path) -> Iterator[Path]:
    """Files of a folder that a process has mapped or open."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
            _, found, name = line.partition(f" {folder}/")
            if found and not name.endswith(" (deleted)"):
                yield folder / name
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                path = link.readlink()
                if path.parent == folder and not path.name.endswith(" (deleted)"):
                    yield path


def _unused(paths: Iterator[Path], folder: Path, apart_from: set[int]) -> set[Path]:
    """Those that no other process holds."""
    left = set(paths)
    others = (pid for pid in _processes() if pid not in apart_from) if left else iter(())
    return left.difference(*(_held_by(pid, folder) for pid in others))
