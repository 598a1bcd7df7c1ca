"""What a time-independent trace does not hold of its trace: the remark in its last line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groma.launch.trace_store import TraceWarning

if TYPE_CHECKING:
    import gzip
    from collections.abc import Iterator
    from typing import IO

_REMARK = b"#"
_LONGEST = 1024  # of the remark
_TEXTS = {
    "other_calls": "one-sided or I/O calls: only the time that they took is exported",
    "left_out": "collectives that are persistent, of a topology or of two groups: left out",
    "unplaced": "messages that belong to no call: left out",
    "cut": "collectives in which ranks are missing: left out",
    "divided": "collectives whose sizes differ: derived from the sums of the ranks",
}


class KeptEnd:
    """Writes to a file and keeps the end of what it wrote, which a pipe does not give back."""

    def __init__(self, file: IO[bytes] | gzip.GzipFile) -> None:
        self._file = file
        self._end = b""

    def write(self, text: bytes) -> int:
        self._end = (self._end + text)[-_LONGEST:]
        return self._file.write(text)

    def losses(self) -> Iterator[TraceWarning]:
        last = self._end.rstrip(b"\n").rpartition(b"\n")[2]
        if not last.startswith(_REMARK):
            return
        for name, count in msgspec.json.decode(last.removeprefix(_REMARK), type=dict[str, int]).items():
            if count:
                yield TraceWarning(f"replay_{name}", _TEXTS.get(name, name), count, 0)
