"""The progress of reading many files: a line now and then."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SILENT = 3.0
"""Seconds between two lines, and before the first one."""


@dataclass
class ReadingProgress:
    """Called with the files that are read, and with all that are to be read."""

    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    said: float = field(init=False)

    def __post_init__(self) -> None:
        self.said = self.clock()

    def __call__(self, done: int, every: int) -> None:
        now = self.clock()
        if done < every and now - self.said >= SILENT:
            self.said = now
            self.say(f"{done:,} of {every:,} files read")
