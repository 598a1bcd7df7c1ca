"""Words, names and shares: what every sentence needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.record.units import NO_BREAK, format_quantity, format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Quantity

DASH = "\u2013"
MINUS = "\u2212"
ABSENT = DASH


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def sentence(words: str) -> str:
    """Words of a record, as `ranks far apart may be near each other`, with capital and full stop."""
    ended = words if words.endswith((".", "!", "?")) else f"{words}."
    return ended[0].upper() + ended[1:] if re.match(r"[a-z]+[ ,]", ended) else ended


def id_of(*names: str) -> str:
    """A name for a figure that can stand in a link: `ranks-stream-triad`."""
    return re.sub(r"[^a-z0-9]+", "-", " ".join(names).lower())


def quantity_text(quantity: Quantity | None) -> str:
    """A quantity whose interval is not broken between lines; a dash for none."""
    if quantity is None:
        return ABSENT
    value, bracket, interval = format_quantity(quantity).partition("[")
    return value + bracket + interval.replace(" ", NO_BREAK)


def unbroken(words: str) -> str:
    """Words on one line, such as an interval in a narrow column."""
    return words.replace(" ", NO_BREAK)


def value_text(quantity: Quantity) -> str:
    """The value alone, with its unit."""
    return format_quantity(quantity, interval=False)


def shortened(words: str, most: int) -> str:
    """At most so many letters: whole words as far as they go, and an ellipsis for the rest."""
    words = " ".join(words.split())
    if len(words) <= most:
        return words
    kept = words[: most - 1]
    whole = kept.rpartition(" ")[0]
    return f"{whole} …" if len(whole) > most // 2 else f"{kept}…"


def joined(*parts: str | None, by: str = ", ") -> str:
    """The parts that say something."""
    return by.join(part for part in parts if part)


def spread(low: float, high: float, unit: str) -> str:
    """`1 ns to 2 ns`."""
    return f"{format_value(low, unit)} to {format_value(high, unit)}"
