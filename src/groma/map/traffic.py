"""What one rank sends another."""

from __future__ import annotations

from typing import NamedTuple


class Traffic(NamedTuple):
    """Bytes from one rank to another, in so many messages; None where only bytes are known."""

    source: int
    target: int
    bytes: float
    messages: float | None = None
