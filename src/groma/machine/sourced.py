"""Numbers with their unit and their source.

The unit is a part of the type: a file with another unit is refused, never converted.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e30)]
NotNegative = Annotated[float, msgspec.Meta(ge=0, lt=1e30)]
Count = Annotated[int, msgspec.Meta(ge=1, lt=2**40)]
Name = Annotated[str, msgspec.Meta(min_length=1)]

ASSUMED = "assumed: "
"""How the source of a number begins that no paper gives."""


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelt key is refused, not ignored."""


class SourcedValue(Strict, frozen=True):
    """`source` names the paper and the place, or how the number was derived, or why it is assumed.

    `surveyed` is true where a survey of this very machine measured it.
    """

    source: Name
    surveyed: bool = False

    @property
    def is_assumed(self) -> bool:
        return self.source.startswith(ASSUMED)


class Sourced(SourcedValue, frozen=True, kw_only=True):
    """A number of a paper."""

    value: Positive


class Hertz(Sourced, frozen=True, kw_only=True):
    unit: Literal["Hz"]


class Cycles(Sourced, frozen=True, kw_only=True):
    unit: Literal["cycles"]


class Cost(Cycles, frozen=True, kw_only=True):
    """What a processor spends on something. Hardware that does it costs it nothing: 0."""

    value: NotNegative


class Delay(Cycles, frozen=True, kw_only=True):
    """A time of the network, which counts in whole cycles."""

    def __post_init__(self) -> None:
        _refuse_part(self.value, self.unit)


class Bytes(Sourced, frozen=True, kw_only=True):
    unit: Literal["B"]

    def __post_init__(self) -> None:
        _refuse_part(self.value, self.unit)


class Overhead(Bytes, frozen=True, kw_only=True):
    """Bytes that come on top of others; 0 where there are none."""

    value: NotNegative


def _refuse_part(value: float, unit: str) -> None:
    if value != int(value):
        raise ValueError(f"{value:g} {unit} is no whole number")


class BytesPerSecond(Sourced, frozen=True, kw_only=True):
    unit: Literal["B/s"]


class Counted(SourcedValue, frozen=True, kw_only=True):
    """A whole number of things; the unit names them."""

    value: Count
    unit: str


class Cores(Counted, frozen=True, kw_only=True):
    unit: Literal["cores"]


class Dimensions(Counted, frozen=True, kw_only=True):
    unit: Literal["dimensions"]


class Updates(Counted, frozen=True, kw_only=True):
    unit: Literal["updates"]


class Nodes(Counted, frozen=True, kw_only=True):
    unit: Literal["nodes"]


class Packets(Counted, frozen=True, kw_only=True):
    unit: Literal["packets"]


class Channels(Counted, frozen=True, kw_only=True):
    """Virtual channels that a router may have besides others, or not."""

    value: Annotated[int, msgspec.Meta(ge=0, lt=2**40)]
    unit: Literal["channels"]


class Places(SourcedValue, frozen=True, kw_only=True):
    """Places of a FIFO; 0 stands for one in memory that has room for all."""

    value: Annotated[int, msgspec.Meta(ge=0, lt=2**30)]
    unit: Literal["packets"]


class FixedBuckets(SourcedValue, frozen=True, kw_only=True):
    """Buckets that do not depend on the shape of the torus; -3 is the node itself in three dimensions."""

    value: int
    unit: Literal["buckets"]


class RoutingUsed(SourcedValue, frozen=True, kw_only=True):
    value: Literal["adaptive", "deterministic"]
