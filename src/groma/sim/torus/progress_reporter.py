"""The progress of a running simulation: a line now and then."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groma.record.units import format_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.sim.torus.protocol import Progress

SILENT = 10.0
"""Seconds between two lines, and before the first one."""


@dataclass
class ProgressReporter:
    """Called with each progress event of the simulator."""

    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    said: float = field(init=False)

    def __post_init__(self) -> None:
        self.said = self.clock()

    def __call__(self, progress: Progress) -> None:
        now = self.clock()
        if now - self.said < SILENT:
            return
        self.said = now
        self.say(
            f"simulated {format_number(progress.time)} cycles, {progress.packets} packets "
            f"in {progress.wall:.0f} s"
        )
