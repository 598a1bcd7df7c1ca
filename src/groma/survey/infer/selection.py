"""Samples of a probe, picked by the labels of its cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.record import ProbeSamples


def values_of(samples: ProbeSamples, **labels: Any) -> list[float]:
    """Values of all cases that carry every one of `labels`, in the order of the cases."""
    return [value for _, values in matching(samples, **labels) for value in values]


def by_label(samples: ProbeSamples, label: str, **labels: Any) -> dict[Any, list[float]]:
    """Values of the matching cases, keyed by their value of another label; cases without samples left out.

    Where several cases have the same key their values are joined.
    """
    found: dict[Any, list[float]] = {}
    for case, values in matching(samples, **labels):
        if label in case and values:
            found.setdefault(case[label], []).extend(values)
    return found


def times_in(values: Sequence[float]) -> list[float]:
    """Those that are times: finite and above 0. A repetition that failed is NaN."""
    return [value for value in values if math.isfinite(value) and value > 0]


def matching(samples: ProbeSamples, **labels: Any) -> Iterator[tuple[dict[str, Any], list[float]]]:
    """The cases that carry every one of `labels`, each with its values."""
    for case, values in zip(samples.cases, samples.values, strict=True):
        if all(case.get(label) == wanted for label, wanted in labels.items()):
            yield case, values
