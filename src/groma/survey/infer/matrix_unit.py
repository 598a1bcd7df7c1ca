"""The unit that the title of a matrix names: `Latency (us)`, `times are in microseconds`, `latency_us`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.survey.infer.pair_columns import IN_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

CYCLES = "cycles"

_UNITS = "|".join(sorted([*IN_NS, "cycles?", "clocks?", "ticks?"], key=len, reverse=True))
_WHOLE_UNITS = "|".join(unit for unit in _UNITS.split("|") if unit != "s")
_NAMED = re.compile(
    rf"[(\[]\s*(?:in\s+)?({_UNITS})\s*[)\]]"
    rf"|\b(?:in|units?\W{{1,3}}(?:is\s+)?)\s*({_WHOLE_UNITS})\b"
    rf"|(?:latency|lat|time)[_, ]+({_WHOLE_UNITS})\b"
)
_OF_LATENCIES = re.compile(
    r"latenc|\blat\b|matrix|round.?trip|one.?way|ping.?pong|delay|\bunits?\b|\btimes\b"
)
_SETTING = re.compile(r"[:=]\s*[\d.]+")
"""`Time per pair (ms): 100` names no unit of the matrix."""


def named_unit(corner: str, titles: Iterable[str]) -> str | None:
    """The unit in the corner of a matrix, or in the first of the titles that names one."""
    alone = _plain(corner).strip(" ()[]")
    if re.fullmatch(_UNITS, alone):
        return _shared(alone)
    for title in (corner, *titles):
        plain = _plain(title)
        found = _NAMED.search(plain)
        if found and (title is corner or _is_title(plain)):
            return _shared(next(filter(None, found.groups())))
    return None


def _is_title(plain: str) -> bool:
    return _OF_LATENCIES.search(plain) is not None and _SETTING.search(plain) is None


def _plain(text: str) -> str:
    return re.sub("[µμ]", "u", text.casefold())


def _shared(unit: str) -> str:
    return unit if unit in IN_NS else CYCLES
