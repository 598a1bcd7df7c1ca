"""Amounts as people write them: `30 GB/s`, `150 ns`, `-5%`; and changes as groma writes them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from groma.record.units import is_one_sample

if TYPE_CHECKING:
    from groma.record.quantity import Quantity

_NUMBER = re.compile(
    r"\s*(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>[^\s\d<>=.,;_][^\s<>=]*)?\s*"
)

_PREFIXES = {
    "": 1.0,
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "m": 1e-3,
    "u": 1e-6,
    "µ": 1e-6,
    "μ": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
    "Pi": 2.0**50,
}

_RATIOS = ("", "1", "ratio", "x")


class Amount(NamedTuple):
    number: float
    unit: str = ""

    @property
    def is_share(self) -> bool:
        return self.unit == "%"

    def __str__(self) -> str:
        return f"{self.number:g}%" if self.is_share else f"{self.number:g} {self.unit}".rstrip()


def amount_of(text: str) -> Amount | None:
    """None if the text does not begin with a finite number."""
    found = _NUMBER.fullmatch(text.replace("\u2212", "-"))
    if found is None or not math.isfinite(number := float(found["number"])):
        return None
    return Amount(number, found["unit"] or "")


def in_unit(amount: Amount, unit: str) -> float | None:
    """The number of the amount in `unit`, None if it is an amount of something else."""
    if amount.unit == unit or {amount.unit, unit} <= set(_RATIOS):
        return amount.number
    for prefix, factor in _PREFIXES.items():
        for own, own_factor in _PREFIXES.items():
            if amount.unit.removeprefix(prefix) == unit.removeprefix(own) and _has(
                amount.unit, prefix, unit, own
            ):
                return amount.number * factor / own_factor
    return None


def _has(written: str, prefix: str, unit: str, own: str) -> bool:
    """Whether both begin with their prefix and something is left: `m` is no thousandth of nothing."""
    return (
        written.startswith(prefix)
        and unit.startswith(own)
        and len(written) > len(prefix)
        and len(unit) > len(own)
    )


def change_text(ratio: Quantity) -> str:
    """`-7.1 % [-9.0, -5.2]`; of a single sample without an interval."""
    shown = percent(ratio.value)
    if is_one_sample(ratio):
        return f"{shown}, one sample"
    low, high = (percent(one).removesuffix(" %") for one in (ratio.low, ratio.high))
    return f"{shown} [{low}, {high}]"


_LARGEST_PERCENT = 1e7
"""Larger changes have an exponent: nobody counts their digits."""


def percent(ratio: float) -> str:
    change = 100.0 * (ratio - 1.0)
    if not math.isfinite(change):
        return "unknown"
    if abs(change) >= _LARGEST_PERCENT:
        return f"{change:+.2e} %"
    digits = 1 if abs(change) < 99.95 else 0
    shown = f"{change:+.{digits}f}"
    return f"{shown if float(shown) else shown.lstrip('+-')} %"
