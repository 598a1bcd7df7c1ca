"""The raw samples behind a quantity, found in any kind of record without knowing the kind.

A quantity carries a summary of its samples. Samples whose summary is the same, in a unit that can be
converted to that of the quantity, are those samples: with four or fewer the summary even fixes their values.
So no kind of record has to say where its samples are.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from functools import lru_cache
from operator import attrgetter, mul
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from groma.record.amounts import Amount, in_unit
from groma.stats.quantiles import by_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from groma.record import ProbeSamples, Quantity, Record

_TOLERANCE = 1e-9
"""By how much summaries may differ, in medians: a factor between units costs the last of sixteen digits."""

_WEIGHTS = (1.0, 2.0, 3.0, 5.0)
"""Of the parts of a summary in the sum by which sets are sorted."""

_MEMBER = "rank"
"""Cases that differ in nothing but this are members of one measurement, of which facts take the mean."""

_ALSO_CALLED = {"GUP/s": "Gupdate/s"}

_Summary = tuple[float, ...]
"""The minimum, the 5th percentile, the median and the 95th percentile."""


class _SampleSet(NamedTuple):
    """Samples with their median and their summary: in their unit, or in medians where they have none."""

    position: float
    middle: float
    summary: _Summary
    values: NDArray[np.float64]


_BY_POSITION = attrgetter("position")


class RawSamples:
    """The samples of a record, by their summaries."""

    def __init__(self, samples: Iterable[ProbeSamples]) -> None:
        self._sets: dict[int, dict[str, list[_SampleSet]]] = {}
        """Of each size and unit, in the order of their positions."""
        sets = [one for probe in samples for one in _sets_of(probe)]
        for indexes, rows in by_size([values for _, values in sets]):
            if rows.shape[1] > 1:
                self._sets[rows.shape[1]] = _by_unit(rows, [sets[index][0] for index in indexes])

    @classmethod
    def of_record(cls, record: Record[Any]) -> RawSamples:
        return cls(record.samples.values())

    def behind(self, quantity: Quantity) -> NDArray[np.float64] | None:
        """The samples of which `quantity` is the median, in its unit and in the order of rounds.

        None if the record lacks them, or if the quantity is another statistic of them.
        """
        one = quantity.samples
        if one is None or not math.isclose(quantity.value, one.p50, rel_tol=_TOLERANCE) or not one.p50 > 0:
            return None
        wanted = (one.min, one.p5, one.p50, one.p95)
        for unit, sets in self._sets.get(one.n, {}).items():
            factor = _factor(unit, quantity.unit) if unit else one.p50
            found = _alike(sets, tuple(part / factor for part in wanted)) if factor else None
            if found is not None:
                scaled: NDArray[np.float64] = found.values * (one.p50 / found.middle)
                return scaled
        return None


@lru_cache
def _factor(unit: str, wanted: str) -> float | None:
    """How many of the unit `wanted` the other one is; None where they measure different things."""
    one, other = (_ALSO_CALLED.get(name, name) for name in (unit, wanted))
    return in_unit(Amount(1.0, one), other)


def _by_unit(rows: NDArray[np.float64], units: Sequence[str]) -> dict[str, list[_SampleSet]]:
    """Samples around zero have no place: nothing is a share of their median."""
    sets: dict[str, list[_SampleSet]] = {}
    parts = [rows.min(axis=1), *np.quantile(rows, [0.05, 0.5, 0.95], axis=1)]
    for unit, values, summary in zip(
        units, rows, zip(*(one.tolist() for one in parts), strict=True), strict=True
    ):
        middle = summary[2]
        if math.isfinite(middle) and middle > 0:
            own = summary if unit else tuple(part / middle for part in summary)
            sets.setdefault(unit, []).append(_SampleSet(_position(own), middle, own, values))
    for every in sets.values():
        every.sort(key=_BY_POSITION)
    return sets


def _position(summary: _Summary) -> float:
    """Summaries that are alike have positions that are alike, and few others do."""
    position: float = sum(map(mul, _WEIGHTS, summary))
    return position


def _alike(sets: Sequence[_SampleSet], summary: _Summary) -> _SampleSet | None:
    """The first set with the same summary."""
    position, room = _position(summary), sum(_WEIGHTS) * _TOLERANCE * summary[2]
    for place in range(bisect_left(sets, position - room, key=_BY_POSITION), len(sets)):
        one = sets[place]
        if one.position > position + room:
            return None
        if _is_alike(one.summary, summary):
            return one
    return None


def _is_alike(one: _Summary, other: _Summary) -> bool:
    return all(abs(a - b) <= _TOLERANCE * other[2] for a, b in zip(one, other, strict=True))


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
