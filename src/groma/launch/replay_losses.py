"""What a time-independent trace does not hold of its trace: the remark in its last line."""

from __future__ import annotations

import msgspec

LONGEST_REMARK = 1024  # bytes, more than native/trace/export/replay_writer.cpp writes
_REMARK = b"#"


class Losses(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay leaves out or guesses, in calls or messages (native/trace/export/replay_writer.hpp)."""

    other_calls: int = 0
    left_out: int = 0
    unplaced: int = 0
    cut: int = 0
    divided: int = 0


def losses_in(end: bytes) -> Losses:
    """From the end of a text; none where its last line is something else, as in texts of other programs."""
    last = end.rstrip(b"\r\n").rpartition(b"\n")[2]
    if not last.startswith(_REMARK):
        return Losses()
    try:
        return msgspec.json.decode(last.removeprefix(_REMARK), type=Losses)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Losses()
