"""What the lines of a summary say: measured, not measured, or failed. Pure.

A test that did not run leaves marks of many kinds: -1, "-", 0 for a rate, or whatever the memory held, mostly
numbers like 2.4e-310. Here alone is decided what they mean. Rules and their reasons: docs/hpcc/formats.md.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from groma.hpccoutf.keys import BY_NAME, SIZE_OF, Key

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

MEASURED = "measured"
ABSENT = "not measured"
FAILED = "failed"

# No float() alone: it takes 1_000 and digits of any script, which no program prints.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,30}", re.ASCII)
_COUNT = re.compile(r"\d{1,30}", re.ASCII)

_LONGEST = 400
"""Characters of a number: the largest double has 309 digits before its point."""

# No measurement is smaller or greater: fields that HPCC 1.5.0 never sets print as what the memory held.
LEAST, MOST = 1e-300, 1e300

_BEYOND_COUNTS = 2**63
"""Programs count in 64 bits, one of them for the sign."""

_OF_ARITHMETIC = "HPL_dMACH_"
"""Keys with the limits of double precision, which are no measurements."""


class SummaryValue(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the summary. `value` is None where `state` says that nothing was measured, or failed."""

    value: int | float | str | None
    unit: str
    state: str
    text: str


def decimal_commas(texts: Mapping[str, str]) -> list[str]:
    """Keys whose number was printed with a decimal comma; none where a comma may part thousands.

    A program prints one locale: a number with a point beside them, or none that a comma can only begin the
    fraction of, leaves open what the commas mean.
    """
    found = [key for key, text in texts.items() if _kind_of(key) == "float" and _COMMA.fullmatch(text)]
    points = [key for key, text in texts.items() if _kind_of(key) == "float" and "." in text]
    is_plain = any(not _THOUSANDS.fullmatch(texts[key]) for key in found)
    return found if is_plain and not points else []


def _kind_of(key: str) -> str:
    return BY_NAME[key].kind if key in BY_NAME else "any"


def summary_values(
    texts: Mapping[str, str], commas: Container[str] = (), failed: Container[str] = ()
) -> dict[str, SummaryValue]:
    """Of all lines of one summary, by key: what belongs to a test that has no size was not measured.

    `commas` are keys with a decimal comma. Of `failed` no value counts: they have several, or a check of
    their test failed.
    """
    values = {
        name: _value(BY_NAME.get(name) or Key(name, "any"), _pointed(text) if name in commas else text)
        for name, text in texts.items()
    }
    for name, value in values.items():
        if name in failed:
            values[name] = msgspec.structs.replace(value, value=None, state=FAILED)
    return {name: _unless_skipped(name, value, values) for name, value in values.items()}


def _pointed(text: str) -> str:
    return text.replace(",", ".")


def _unless_skipped(name: str, value: SummaryValue, values: Mapping[str, SummaryValue]) -> SummaryValue:
    size = values.get(SIZE_OF[name]) if name in SIZE_OF else None
    if size is None or size.state != ABSENT:
        return value
    return msgspec.structs.replace(value, value=None, state=ABSENT)


def finite(text: str) -> float | None:
    """A number as C prints it; None for words, nan, inf, what is too large, and more digits than C prints.

    What is a number here is one for Decimal, too.
    """
    if len(text) > _LONGEST or _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def count_of(text: str) -> int | None:
    """A count as C prints it, of at most 63 bits; None for anything else."""
    count = int(text) if _COUNT.fullmatch(text) else None
    return count if count is not None and count < _BEYOND_COUNTS else None


def finite_of_any_locale(text: str) -> float | None:
    """As `finite`, also with a decimal comma where no comma can part thousands: `0,5`, not `1,234`."""
    is_decimal = _COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text)
    return finite(_pointed(text) if is_decimal else text)


def _value(key: Key, text: str) -> SummaryValue:
    value, state = _text_state(text) if key.kind == "text" else _number_state(key, text)
    return SummaryValue(value=value, unit=key.unit, state=state, text=text)


def _text_state(text: str) -> tuple[str | None, str]:
    return (None, ABSENT) if text in {"", "-", "-1"} else (text, MEASURED)


def _number_state(key: Key, text: str) -> tuple[int | float | str | None, str]:
    if text in {"", "-"}:
        return None, ABSENT
    number = finite(text)
    if number is None:
        return (text, MEASURED) if key.kind == "any" and not _is_no_number(text) else (None, FAILED)
    if _is_unset(key, number):
        return None, ABSENT
    if number < 0 and _is_positive(key):
        return None, FAILED
    return _typed(key, text, number), MEASURED


def _is_no_number(text: str) -> bool:
    """What float() takes although it counts nothing: nan, inf, 1e999."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def _is_unset(key: Key, number: float) -> bool:
    if key.name.startswith(_OF_ARITHMETIC):
        return number == -1
    if number == 0:
        return _is_positive(key)
    return number == -1 or is_garbage(key.name, number)


def is_garbage(name: str, number: float) -> bool:
    """Whether it is memory that was printed as a number: neither 0 nor -1, and yet no measurement."""
    if _kind_of(name) == "int" and abs(number) >= _BEYOND_COUNTS:
        return True
    return number not in {0, -1} and not LEAST <= abs(number) <= MOST


def _is_positive(key: Key) -> bool:
    """Rates, latencies and sizes: 0 is none of them."""
    return key.unit == "us" or key.unit.endswith("/s") or key.name in SIZE_OF.values()


def _typed(key: Key, text: str, number: float) -> int | float:
    """Counts as whole numbers, exact beyond 2^53."""
    if key.kind == "float":
        return number
    if _WHOLE.fullmatch(text) and abs(int(text)) < _BEYOND_COUNTS:
        return int(text)
    return int(number) if key.kind == "int" and number.is_integer() else number
