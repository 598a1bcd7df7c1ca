"""Samples of a probe, picked by the labels of its cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record import ProbeSamples


class Cases(NamedTuple):
    """Some cases of a probe, each with its values; a `ProbeSamples` can stand wherever these are read."""

    cases: list[dict[str, Any]]
    values: list[list[float]]


def split(samples: ProbeSamples | Cases, *labels: str) -> dict[tuple[Any, ...], Cases]:
    """The cases that carry all of `labels`, parted by their values of them in one pass.

    Parts and the cases of each keep their order. Select from a part what would otherwise be sought among all
    cases again and again.
    """
    parts: dict[tuple[Any, ...], Cases] = {}
    for case, values in zip(samples.cases, samples.values, strict=True):
        if all(label in case for label in labels):
            part = parts.setdefault(tuple(case[label] for label in labels), Cases([], []))
            part.cases.append(case)
            part.values.append(values)
    return parts


def values_of(samples: ProbeSamples | Cases, **labels: Any) -> list[float]:
    """Values of all cases that carry every one of `labels`, in the order of the cases."""
    return [value for _, values in matching(samples, **labels) for value in values]


def by_label(samples: ProbeSamples | Cases, label: str, **labels: Any) -> dict[Any, list[float]]:
    """Values of the matching cases, keyed by their value of another label; cases without samples left out.

    Where several cases have the same key their values are joined.
    """
    found: dict[Any, list[float]] = {}
    for case, values in matching(samples, **labels):
        if label in case and values:
            found.setdefault(case[label], []).extend(values)
    return found


def discarded_share(samples: ProbeSamples) -> float:
    """The share (0 to 1) of the samples that were discarded because a thread lost its core in them."""
    discarded = sum(one.discarded for one in samples.rounds)
    kept = sum(map(len, samples.values))
    return discarded / (discarded + kept) if discarded else 0.0


_ABOVE_ZERO = frozenset({"s", "B/s", "Hz"})


def measured_only(samples: ProbeSamples) -> ProbeSamples:
    """Without values that no measurement gives: what is not finite, and times and rates of zero or less.

    A clock of coarse steps shows such times. The samples themselves where all are sound.
    """
    values = [_sound(case, some) for case, some in zip(samples.cases, samples.values, strict=True)]
    if all(found is some for found, some in zip(values, samples.values, strict=True)):
        return samples
    return msgspec.structs.replace(samples, values=values)


def _sound(case: Mapping[str, Any], values: list[float]) -> list[float]:
    least = 0.0 if case.get("unit") in _ABOVE_ZERO else -math.inf
    if not values or (math.isfinite(sum(values)) and min(values) > least):
        return values
    return [value for value in values if math.isfinite(value) and value > least]


def times_in(values: Sequence[float]) -> list[float]:
    """Those that are times: finite and above 0. A repetition that failed is NaN."""
    return [value for value in values if math.isfinite(value) and value > 0]


def matching(samples: ProbeSamples | Cases, **labels: Any) -> Iterator[tuple[dict[str, Any], list[float]]]:
    """The cases that carry every one of `labels`, each with its values."""
    for case, values in zip(samples.cases, samples.values, strict=True):
        if all(case.get(label) == wanted for label, wanted in labels.items()):
            yield case, values
