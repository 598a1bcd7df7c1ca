"""Warnings of what a time-independent trace does not hold of its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.launch.replay_losses import LONGEST_REMARK, losses_in
from groma.launch.trace_store import TraceWarning

if TYPE_CHECKING:
    import gzip
    from collections.abc import Iterator
    from typing import IO

_TEXTS = {
    "other_calls": "one-sided or I/O calls: only the time that they took is exported",
    "left_out": "collectives that are persistent, of a topology or of two groups: left out",
    "unplaced": "messages that belong to no call: left out",
    "cut": "collectives in which ranks are missing: left out",
    "divided": "collectives whose sizes differ: derived from the sums of the ranks",
}
"""By the names of `Losses`."""


class KeptEnd:
    """Writes to a file and keeps the end of what it wrote, which a pipe does not give back."""

    def __init__(self, file: IO[bytes] | gzip.GzipFile) -> None:
        self._file = file
        self._end = b""

    def write(self, text: bytes) -> int:
        self._end = (self._end + text[-LONGEST_REMARK:])[-LONGEST_REMARK:]
        return self._file.write(text)

    def losses(self) -> Iterator[TraceWarning]:
        losses = losses_in(self._end)
        for name, what in _TEXTS.items():
            count = getattr(losses, name)
            if count:
                yield TraceWarning(f"replay_{name}", what, count, 0)
