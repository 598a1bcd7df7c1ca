"""What ratios of the balance are called, and thresholds in words, on the terminal and on the page alike."""

from __future__ import annotations

from groma.balance.ratios import MESSAGE_RATIOS, RATIOS
from groma.balance.statements import HPL_OVER_DGEMM
from groma.record.units import format_value

RATIO_TITLES = {
    **{one.name: f"{one.title} / HPL" for one in RATIOS},
    **{one.name: one.title for one in MESSAGE_RATIOS},
    HPL_OVER_DGEMM: "HPL / DGEMM",
}


def threshold_words(side: str, threshold: float, unit: str) -> str:
    """`below 20 B/kflop`, `below 0.6 x`."""
    return f"{side} {format_value(threshold, unit)}"
