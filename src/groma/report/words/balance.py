"""What ratios of the balance are called, and thresholds in words, on the terminal and on the page alike."""

from __future__ import annotations

from groma.balance.ratios import MESSAGE_RATIOS, RATIOS
from groma.balance.statements import HPL_OVER_DGEMM
from groma.report.words.text import format_share

RATIO_TITLES = {
    **{one.name: f"{one.title} / HPL" for one in RATIOS},
    **{one.name: one.title for one in MESSAGE_RATIOS},
    HPL_OVER_DGEMM: "HPL / DGEMM",
}


def threshold_words(side: str, threshold: float, unit: str) -> str:
    """`below 20 B/kflop`, `below 60 %`."""
    return f"{side} {format_share(threshold) if unit == 'ratio' else f'{threshold:g} {unit}'}"
