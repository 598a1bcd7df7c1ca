"""Access to all that varies outside: files of /sys and /proc, variables, clock, other programs.

What cannot be read is None or empty, never an exception. FakeHost stands for any machine in tests.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import shutil
import string
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.record.reading import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_BYTES = 64 << 20
"""More than /proc says of a machine of ten thousand processors."""


@dataclass
class Host:
    """The machine of this process. `root` is put in front of every absolute path that is read."""

    root: Path = Path("/")
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def read(self, path: str) -> str | None:
        """The stripped content of a text file, None if it cannot be read."""
        try:
            return _stripped(read_bytes(self._at(path), _MOST_BYTES).decode(errors="replace"))
        except GromaError:
            return None

    def names(self, path: str) -> list[str]:
        """Sorted names in a folder, none if it cannot be read."""
        try:
            return sorted(entry.name for entry in self._at(path).iterdir())
        except OSError:
            return []

    def exists(self, path: str) -> bool:
        try:
            return self._at(path).exists()
        except OSError:
            return False

    def number(self, path: str) -> int | None:
        """The content of a file that holds one whole number."""
        return as_int(self.read(path))

    def target(self, path: str) -> str:
        """The path behind all links; the path itself if it cannot be followed."""
        try:
            return str(self._at(path).resolve())
        except OSError:
            return path

    def now(self) -> dt.datetime:
        """The time in UTC."""
        return dt.datetime.now(dt.UTC)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def name(self) -> str:
        return platform.node()

    def kernel(self) -> str:
        return platform.release()

    def architecture(self) -> str:
        return platform.machine()

    def page_bytes(self) -> int | None:
        return _configured("SC_PAGE_SIZE")

    def ticks_per_second(self) -> int:
        return _configured("SC_CLK_TCK") or 100

    def pid(self) -> int:
        return os.getpid()

    def is_root(self) -> bool:
        return os.geteuid() == 0

    def is_writable(self, folder: str) -> bool:
        """Whether files can be created there; a read-only mount counts as not writable."""
        return os.access(self._at(folder), os.W_OK | os.X_OK)

    def free_bytes(self, folder: str) -> int | None:
        try:
            return shutil.disk_usage(self._at(folder)).free
        except OSError:
            return None

    def affinity(self) -> set[int] | None:
        """The processors this process may run on, numbered by the kernel."""
        try:
            return os.sched_getaffinity(0)
        except OSError:
            return None

    def find(self, program: str) -> str | None:
        return shutil.which(program, path=self.variables.get("PATH", os.defpath))

    def ask(self, arguments: Sequence[str], timeout: float = 5.0, *, or_stderr: bool = False) -> str | None:
        """What a program prints on stdout, None if it is missing, fails or takes longer than `timeout`
        (s). `or_stderr`: what it prints on stderr if it prints nothing on stdout.
        """
        try:
            done = subprocess.run(
                arguments,
                capture_output=True,
                timeout=timeout,
                check=True,
                stdin=subprocess.DEVNULL,
                env=dict(self.variables),
            )
        except (OSError, subprocess.SubprocessError):
            return None
        said = done.stdout.decode(errors="replace").strip()
        return said or (done.stderr.decode(errors="replace").strip() if or_stderr else said)

    def _at(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def _stripped(content: str) -> str:
    """Files of the device tree end with a zero byte, and with some kernels so do lists of processors."""
    return content.strip(f"{string.whitespace}\0")


def _configured(name: str) -> int | None:
    try:
        return os.sysconf(name)
    except (OSError, ValueError):
        return None


LARGEST = 2**63 - 1
"""Of the whole numbers that records keep: kernels say "no limit" with it, JSON readers know no larger one."""


def as_int(text: str | None, factor: int = 1) -> int | None:
    """The whole number times `factor`; None for other text and beyond 64 bits."""
    try:
        number = int(text, 0) * factor if text is not None else None
    except ValueError:
        return None
    return number if number is not None and abs(number) <= LARGEST else None


_PROCESSOR = re.compile(r"[0-9]{1,6}")


def processors_in(text: str | None) -> set[int]:
    """The numbers in a kernel list such as `0-3,8`; none for an empty or unreadable one."""
    found: set[int] = set()
    for part in (text or "").split(","):
        first, _, last = part.strip().partition("-")
        if _PROCESSOR.fullmatch(first) and (_PROCESSOR.fullmatch(last) or not last):
            found.update(range(int(first), int(last or first) + 1))
    return found


_MASK = re.compile(r"[0-9a-f]{1,8}(,[0-9a-f]{8})*")


def processors_in_mask(text: str | None) -> set[int]:
    """The numbers in a kernel mask such as `ff,00000001`; none for an empty or unreadable one."""
    if text is None or not _MASK.fullmatch(text):
        return set()
    bits = f"{int(text.replace(',', ''), 16):b}"
    return {number for number, bit in enumerate(reversed(bits)) if bit == "1"}


@dataclass
class FakeHost(Host):
    """A machine made of a mapping from absolute paths to contents; each `sleep` takes the next state.

    `states` are changes of files, one per sleep. `answers` maps the name of a program to what it prints.
    `free` is the free space of every file system in bytes, None if nothing can be written.
    """

    files: dict[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    allowed: set[int] | None = None
    answers: dict[str, str] = field(default_factory=dict)
    states: list[dict[str, str]] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    host_name: str = "walnut"
    free: int | None = 10**12
    moment: dt.datetime = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)

    def read(self, path: str) -> str | None:
        content = self.files.get(path)
        return None if content is None else _stripped(content)

    def names(self, path: str) -> list[str]:
        prefix = path.rstrip("/") + "/"
        return sorted({one[len(prefix) :].split("/")[0] for one in self.files if one.startswith(prefix)})

    def exists(self, path: str) -> bool:
        return path in self.files or bool(self.names(path))

    def target(self, path: str) -> str:
        return self.links.get(path, path)

    def now(self) -> dt.datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.moment += dt.timedelta(seconds=seconds)
        if self.states:
            self.files |= self.states.pop(0)

    def name(self) -> str:
        return self.host_name

    def kernel(self) -> str:
        return "6.1.0-fake"

    def architecture(self) -> str:
        return "x86_64"

    def page_bytes(self) -> int | None:
        return 4096

    def ticks_per_second(self) -> int:
        return 100

    def pid(self) -> int:
        return 1

    def is_root(self) -> bool:
        return False

    def is_writable(self, folder: str) -> bool:  # noqa: ARG002
        return self.free is not None

    def free_bytes(self, folder: str) -> int | None:  # noqa: ARG002
        return self.free

    def affinity(self) -> set[int] | None:
        return self.allowed

    def find(self, program: str) -> str | None:
        return f"/usr/bin/{program}" if program in self.answers else None

    def ask(self, arguments: Sequence[str], timeout: float = 5.0, *, or_stderr: bool = False) -> str | None:  # noqa: ARG002
        return self.answers.get(Path(arguments[0]).name)
