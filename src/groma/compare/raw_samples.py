"""The raw samples behind a quantity, found in any kind of record without knowing the kind.

A quantity carries a summary of its samples. Samples whose summary is the same up to a unit are those samples:
with five or fewer the summary even fixes their values. So no kind of record has to say where its samples are.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from groma.stats.quantiles import by_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from groma.record import ProbeSamples, Quantity, Record, SampleSummary

_DIGITS = 6
"""Significant digits in which summaries must agree: a factor between units costs the last of sixteen."""

_MEMBER = "rank"
"""Cases that differ in nothing but this are members of one measurement, of which facts take the mean."""

Key = tuple[int, str]


class _SampleSet(NamedTuple):
    """Samples, their median, and their 5th and 95th percentile in medians."""

    unit: str
    middle: float
    tails: tuple[float, float]
    values: NDArray[np.float64]


class RawSamples:
    """The samples of a record, by their summaries."""

    def __init__(self, samples: Iterable[ProbeSamples]) -> None:
        self._sets: dict[Key, list[_SampleSet]] = {}
        sets = [one for probe in samples for one in _sets_of(probe)]
        for indexes, rows in by_size([values for _, values in sets]):
            if rows.shape[1] > 1:
                self._add(rows, [sets[index][0] for index in indexes])

    @classmethod
    def of_record(cls, record: Record[Any]) -> RawSamples:
        return cls(record.samples.values())

    def _add(self, rows: NDArray[np.float64], units: Sequence[str]) -> None:
        p5, p50, p95 = np.quantile(rows, [0.05, 0.5, 0.95], axis=1)
        least = rows.min(axis=1)
        for number, unit in enumerate(units):
            middle = float(p50[number])
            key = _key(rows.shape[1], middle, least[number])
            if key is not None:
                tails = (float(p5[number]) / middle, float(p95[number]) / middle)
                self._sets.setdefault(key, []).append(_SampleSet(unit, middle, tails, rows[number]))

    def behind(self, quantity: Quantity) -> NDArray[np.float64] | None:
        """The samples of which `quantity` is the median, in its unit and in the order of rounds.

        None if the record lacks them, or if the quantity is another statistic of them.
        """
        summary = quantity.samples
        if summary is None or not math.isclose(quantity.value, summary.p50, rel_tol=10**-_DIGITS):
            return None
        key = _key(summary.n, summary.p50, summary.min)
        found = self._sets.get(key, []) if key is not None else []
        same = [one for one in found if one.unit == quantity.unit and _alike(one.middle, summary.p50)]
        other = [one for one in found if one.unit != quantity.unit]
        best = min(same or other, key=lambda one: _apart(one, summary), default=None)
        return None if best is None else _scaled(best, summary.p50)


def _scaled(one: _SampleSet, middle: float) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = one.values * (middle / one.middle)
    return scaled


def _apart(one: _SampleSet, summary: SampleSummary) -> float:
    """By how much the tails differ: of samples read off a coarse timer, many have one minimum and median."""
    low, high = one.tails
    return abs(low - summary.p5 / summary.p50) + abs(high - summary.p95 / summary.p50)


def _alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=10**-_DIGITS)


def _key(n: int, middle: float, least: float) -> Key | None:
    """The shape of a summary, whatever its unit; samples around zero have none."""
    if not (math.isfinite(middle) and middle > 0):
        return None
    return n, f"{least / middle:.{_DIGITS}e}"


def _sets_of(probe: ProbeSamples) -> Iterator[tuple[str, Sequence[float]]]:
    """The unit and the samples of every case, and the means over all cases that are members of one."""
    groups: dict[str, list[int]] = {}
    # A file that was edited may have more cases than samples.
    for index, (case, values) in enumerate(zip(probe.cases, probe.values, strict=False)):
        if not values:
            continue
        yield str(case.get("unit", "")), values
        if _MEMBER in case:
            shared = {name: value for name, value in case.items() if name != _MEMBER}
            groups.setdefault(json.dumps(shared, sort_keys=True, default=str), []).append(index)
    for members in groups.values():
        if len(members) > 1:
            yield _mean_of(probe, members)


def _mean_of(probe: ProbeSamples, members: Sequence[int]) -> tuple[str, Sequence[float]]:
    """In each repetition that all members finished."""
    several = [probe.values[index] for index in members]
    shortest = min(map(len, several))
    means: list[float] = np.mean([values[:shortest] for values in several], axis=0).tolist()
    return str(probe.cases[members[0]].get("unit", "")), means
