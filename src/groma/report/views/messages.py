"""Messages over their size, as time and as bandwidth."""

from __future__ import annotations

from typing import NamedTuple

from groma.report.blocks import Axis


class MessageKind(NamedTuple):
    name: str
    title: str
    y: Axis
    x: Axis = Axis(title="message", unit="B", scale="log2")


MESSAGE_KINDS = (
    MessageKind(
        "time", "Time of a message over its size", Axis(title="one-way time", unit="s", scale="log10")
    ),
    MessageKind(
        "bandwidth", "Bandwidth over message size", Axis(title="bandwidth", unit="B/s", scale="log10")
    ),
)
