"""What ratios of the balance are called, and thresholds in words, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.ratios import MESSAGE_RATIOS, RATIOS, TITLES
from groma.balance.statements import HPL_OVER_DGEMM
from groma.facts.balance import SystemRatios, TableRow
from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.balance import BalanceFacts, System

_RATIO_TITLES = {
    **{one.name: f"{one.title} / HPL" for one in RATIOS},
    **{one.name: one.title for one in MESSAGE_RATIOS},
    HPL_OVER_DGEMM: "HPL / DGEMM",
}


def ratio_title(name: str) -> str:
    """`STREAM triad / HPL`; that of a newer version by its name."""
    return _RATIO_TITLES.get(name, name)


def title_over_hpl(name: str) -> str:
    """`STREAM triad`, what stands over HPL, likewise."""
    return TITLES.get(name, name)


def with_ratios(facts: BalanceFacts) -> list[tuple[System, SystemRatios]]:
    """Each system with its ratios; by name, because a file that somebody edited may lack some."""
    known = {one.system: one for one in facts.ratios}
    return [(one, known.get(one.name) or SystemRatios(system=one.name)) for one in facts.systems]


def with_rows(facts: BalanceFacts) -> list[tuple[System, TableRow]]:
    """Each system with its row of table 1, likewise."""
    known = {one.system: one for one in facts.table1}
    return [(one, known.get(one.name) or TableRow(system=one.name)) for one in facts.systems]


def statement_name(code: str) -> str:
    """`network starved`, `HPL weak`."""
    return code.replace("-", " ").replace("hpl", "HPL")


def without_ratios(systems: Sequence[System]) -> list[str]:
    """In place of statements on ratios to HPL: why there are none, of the first systems with such an HPL."""
    found = [one for one in systems if one.no_ratios]
    lines = [f"{one.name}: no ratio to HPL is given: {one.no_ratios}" for one in found[:MOST_REASONS]]
    left_out = len(found) - len(lines)
    return (
        [*lines, f"No ratio to HPL is given for {left_out} more: the warnings say why"] if left_out else lines
    )


MOST_REASONS = 5


def threshold_words(side: str, threshold: float, unit: str) -> str:
    """`below 20 B/kflop`, `below 0.6 x`."""
    return f"{side} {format_value(threshold, unit)}"
