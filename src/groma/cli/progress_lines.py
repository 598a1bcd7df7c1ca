"""The progress of long work: a line now and then."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class ProgressLines:
    """Called with each line, of which it says few.

    `silent` are the seconds between two lines that it says, and before the first one.
    """

    say: Callable[[str], None]
    silent: float
    clock: Callable[[], float] = time.monotonic
    said: float = field(init=False)

    def __post_init__(self) -> None:
        self.said = self.clock()

    def __call__(self, line: str) -> None:
        now = self.clock()
        if now - self.said >= self.silent:
            self.said = now
            self.say(line)
