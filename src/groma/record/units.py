"""How numbers leave groma: always with a unit, an interval where there is one, and a fitting prefix."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from groma.record.quantity import Quantity

_SI = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
_IEC = ((2.0**50, "Pi"), (2.0**40, "Ti"), (2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"), (1.0, ""))

NOT_DETERMINED = "not determined"
NO_BREAK = "\u00a0"

_LEAST_FIXED = -4
"""Decimal exponent of the smallest numbers that are written without an exponent."""

_LONGEST_FIXED = 1e15
"""Larger bounds have an exponent: nobody counts their digits."""

_LEAST_DIGITS = 3
_RESOLVED = (100.0000001, 1000.000001)
"""What a value over the width of its interval is above, where a digit more shows it. A hundred or a thousand
with the dust of a division needs none, so that page and terminal decide alike."""


def _prefixes(unit: str) -> tuple[tuple[float, str], ...]:
    """Sizes in powers of two, times in fractions, rates in powers of ten, anything else as it is."""
    if unit == "B":
        return _IEC
    if unit == "s" or unit.startswith("s/"):
        return _SMALL
    if unit == "Hz" or unit.endswith("/s"):
        return _SI
    return ((1.0, ""),)


def scale_of(value: float, unit: str) -> tuple[float, str]:
    """The divisor and the prefixed unit in which `value` reads best."""
    if not value:
        return 1.0, unit
    prefixes = _prefixes(unit)
    # Half a unit in the last shown digit is allowed for: 999.9999 ns reads as 1.00 µs.
    size = abs(value) * (1 + 5e-4)
    for divisor, prefix in prefixes:
        if size >= divisor:
            return divisor, prefix + unit
    divisor, prefix = prefixes[-1]
    return divisor, prefix + unit


def format_number(number: float, digits: int = 3) -> str:
    """`number` with at least `digits` significant digits, whole numbers below 10 000 without a fraction."""
    if not math.isfinite(number):
        return "unknown"
    magnitude = _magnitude(number, digits)
    if number and not _LEAST_FIXED <= magnitude <= 6:
        return _scientific(number, digits)
    return _fixed(number, max(0, digits - 1 - magnitude))


def _bound(number: float, value: float, digits: int) -> str:
    """A bound of `value` to as many decimals as that has with `digits` significant digits."""
    magnitude = _magnitude(value, digits)
    if value and (magnitude < _LEAST_FIXED or abs(number) >= _LONGEST_FIXED):
        return _scientific(number, digits)
    return _fixed(number, max(0, digits - 1 - magnitude))


def _scientific(number: float, digits: int) -> str:
    return f"{number:.{digits - 1}e}" if math.isfinite(number) else "unknown"


def _magnitude(number: float, digits: int) -> int:
    """The decimal exponent after rounding: 0.9999 is shown as 1.00, not as 1.000."""
    return int(f"{number:.{digits - 1}e}".partition("e")[2])


def _fixed(number: float, decimals: int) -> str:
    if not math.isfinite(number):
        return "unknown"
    # A prefix divides with rounding: 3e-8 s must still be 30 ns.
    is_whole = math.isclose(number, round(number), rel_tol=1e-12)
    return str(round(number)) if is_whole else f"{number:.{decimals}f}"


def unit_label(unit: str) -> str:
    """The unit as printed; a plain ratio is marked as one, so that no number stands alone."""
    return "x" if unit in {"", "1", "ratio"} else unit


def format_value(value: float, unit: str) -> str:
    """E.g. `1.30 ns`, `32 KiB`, `10.8 GB/s`."""
    divisor, prefixed = scale_of(value, unit)
    return f"{format_number(value / divisor)} {unit_label(prefixed)}"


def format_beside(value: float, quantity: Quantity) -> str:
    """A value that is read beside a quantity, with as many digits as that shows."""
    divisor, prefixed = scale_of(value, quantity.unit)
    return f"{format_number(value / divisor, _digits_to_resolve(quantity))} {unit_label(prefixed)}"


def format_share(share: float) -> str:
    """A share in per cent: `95 %`, `31.3 %`; of a damaged record `unknown`."""
    if not math.isfinite(1000 * share):
        return "unknown"
    return f"{math.floor(1000 * share + 0.5) / 10:g}{NO_BREAK}%"


def _digits_to_resolve(quantity: Quantity) -> int:
    return digits_to_resolve(quantity.value, quantity.high - quantity.low)


def digits_to_resolve(value: float, width: float) -> int:
    """Significant digits that show an interval of that width, at least three and at most five."""
    if not (math.isfinite(width) and width > 0):
        return _LEAST_DIGITS
    return _LEAST_DIGITS + sum(abs(value) / width > border for border in _RESOLVED)


class Parts(NamedTuple):
    """The pieces of a quantity in one unit; `interval` is empty where the value is exact or has none."""

    value: str
    unit: str
    interval: str


def parts_of(quantity: Quantity) -> Parts:
    """A value without an interval has three digits; of confidence 0 only a single sample has a value."""
    if not is_determined(quantity):
        return Parts(NOT_DETERMINED, "", "")
    if is_one_sample(quantity):
        return _parts_of_one_sample(quantity)
    divisor, prefixed = scale_of(quantity.value, quantity.unit)
    value, digits = quantity.value / divisor, _digits_to_resolve(quantity)
    shown, unit = format_number(value, digits), unit_label(prefixed)
    if quantity.low == quantity.high or not math.isfinite(value):
        return Parts(shown, unit, "")
    low, high = (_bound(bound / divisor, value, digits) for bound in (quantity.low, quantity.high))
    return Parts(shown, unit, f"[{low}, {high}]")


def _parts_of_one_sample(quantity: Quantity) -> Parts:
    value, _, unit = format_value(quantity.value, quantity.unit).partition(" ")
    return Parts(value, unit, "")


def is_one_sample(quantity: Quantity) -> bool:
    """Whether one sample is all there is: it has a value, but no interval."""
    return quantity.confidence <= 0 and quantity.samples is not None and quantity.samples.n == 1


def is_determined(quantity: Quantity) -> bool:
    """Whether it has a value: with an interval, or as a single sample."""
    return quantity.confidence > 0 or is_one_sample(quantity)


def format_quantity(quantity: Quantity | None, *, interval: bool = True) -> str:
    """E.g. `1.30 ns [1.29, 1.31]`, `1.30 ns, one sample`; None is a dash.

    Any other quantity of confidence 0 is "not determined".
    """
    if quantity is None:
        return "-"
    value, unit, bounds = parts_of(quantity)
    shown = f"{value} {unit}".rstrip()
    if not interval:
        return shown
    return f"{shown}, one sample" if is_one_sample(quantity) else f"{shown} {bounds}".rstrip()


def format_ids(ids: list[int]) -> str:
    """Ids as ranges: `0-3,8`."""
    parts: list[str] = []
    ordered = sorted(set(ids))
    while ordered:
        run = 1
        while run < len(ordered) and ordered[run] == ordered[0] + run:
            run += 1
        parts.append(str(ordered[0]) if run == 1 else f"{ordered[0]}-{ordered[run - 1]}")
        ordered = ordered[run:]
    return ",".join(parts)


def format_time(stamp: str) -> str:
    """A moment in ISO 8601 as `2026-01-02 03:04:05 UTC`; any other text as it is."""
    try:
        moment = dt.datetime.fromisoformat(stamp)
        return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC" if moment.tzinfo else stamp
    except (ValueError, OverflowError):
        return stamp
