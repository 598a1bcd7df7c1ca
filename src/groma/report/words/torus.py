"""Words for simulated tori, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_number
from groma.report.words.text import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.torus import SimulatedWith, TorusFacts

LONGEST = 4
"""More numbers under one name are shown by their extremes."""


def run_title(facts: TorusFacts) -> str:
    """E.g. "randomaccess (multi-core) on bluegene-p, torus 8x8x8"."""
    algorithm = f" ({facts.algorithm})" if facts.algorithm else ""
    return f"{facts.workload}{algorithm} on {facts.machine}, {facts.title}"


def direction_names(axes: Sequence[str]) -> list[str]:
    """In the order of the ports: x+, x-, y+, y- and so on."""
    return [f"{axis}{sign}" for axis in axes for sign in "+-"]


def share_text(share: float) -> str:
    """E.g. "12.3 %"; "0 %" only for nothing at all."""
    return f"{format_number(100 * share)} %"


def parameter_text(one: SimulatedWith) -> str:
    if one.value is None:
        return "-"
    value = one.value if isinstance(one.value, str) else format_number(one.value)
    return joined(value, one.unit, by=" ")


def source_text(one: SimulatedWith) -> str:
    return one.source.removeprefix("assumed: ")


def value_rows(facts: TorusFacts) -> list[list[str]]:
    """Names with their numbers, many of them by their number and extremes."""
    return [[name, _numbers(some)] for name, some in facts.values.items() if some]


def _numbers(some: Sequence[float]) -> str:
    if len(some) <= LONGEST:
        return " ".join(map(format_number, some))
    return f"{len(some)} from {format_number(min(some))} to {format_number(max(some))}"
