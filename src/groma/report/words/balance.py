"""What ratios of the balance are called, and thresholds in words, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.ratios import MESSAGE_RATIOS, RATIOS
from groma.balance.statements import HPL_OVER_DGEMM
from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.balance import System

RATIO_TITLES = {
    **{one.name: f"{one.title} / HPL" for one in RATIOS},
    **{one.name: one.title for one in MESSAGE_RATIOS},
    HPL_OVER_DGEMM: "HPL / DGEMM",
}


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
