"""Multiple tests at once: which discoveries to accept (false discovery rate)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def adjusted(probabilities: Sequence[float]) -> list[float]:
    """The least share of false discoveries at which each test would be one of the discoveries.

    To believe the tests whose adjusted probability is at most q keeps the expected share of false ones among
    them at q; if nothing differs at all, the chance of any is at most q. Reference: Benjamini and Hochberg,
    "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995); it also holds for tests that
    depend on each other positively, as those of one run do (Benjamini and Yekutieli, 2001).
    """
    if not probabilities:
        return []
    values = np.asarray(probabilities, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * len(values) / np.arange(1, len(values) + 1)
    found = np.empty(len(values))
    found[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    adjusted_values: list[float] = found.tolist()
    return adjusted_values
