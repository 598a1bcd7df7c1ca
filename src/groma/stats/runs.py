"""Several runs of one measurement: the run is what was repeated, not the sample.

The samples of a run share the pages, the placement and the clock that it got. Three runs of twenty samples
are three independent values of the quantity, not sixty: taken as sixty, they make sets of runs differ that do
not. So every run counts as one value, and the spread between runs gives the interval (a blocked design;
Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013).

The ratio of a change is always that of the values of its sides, so that no change contradicts the values
beside it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.record.quantity import Quantity
from groma.record.units import is_one_sample
from groma.stats.change import (
    CONFIDENCE,
    FEWEST_RANKED,
    Change,
    change_of_samples,
    change_of_values,
    exact_change,
    factor,
    least_error,
    log_error,
    log_ratio,
)
from groma.stats.quantiles import summarize
from groma.stats.quantities import median_quantity
from groma.stats.student import critical, two_sided

if TYPE_CHECKING:
    from collections.abc import Sequence


POOLED = "ratio of the values of the sides; interval and test of Student on logarithms, spread between runs"


def quantity_of_runs(runs: Sequence[Quantity]) -> Quantity:
    """The geometric mean of the runs that determined it, with an interval from the spread between them.

    Of many runs the median, which single runs that are far from the others do not move. A single one as it
    is. ValueError without any.
    """
    if not runs:
        raise ValueError("a quantity of runs needs at least one run")
    known = determined(runs)
    if len(known) < 2:
        return (known or runs)[0]
    values = [one.value for one in known]
    if min(values) <= 0 or len(known) >= FEWEST_RANKED:
        return median_quantity(values, known[0].unit, f"median of {len(known)} runs")
    logs = np.log(values)
    middle, reach = float(logs.mean()), critical(1.0 - CONFIDENCE, len(known) - 1) * _error([known])
    return Quantity(
        value=factor(middle),
        unit=known[0].unit,
        low=factor(middle - reach),
        high=factor(middle + reach),
        confidence=CONFIDENCE,
        method=f"geometric mean of {len(known)} runs, interval of Student on logarithms",
        samples=summarize(values),
    )


def change_of_runs(old: Sequence[Quantity], new: Sequence[Quantity]) -> Change | None:
    """From the same quantity in several runs of each side, in the order in which they were made.

    None if a ratio is not known. Runs of both sides are taken to scatter alike, so a side may also be one
    run: its scatter is that of the others. Of two single runs nobody knows it: they are compared by their
    intervals. `counts` of the result are runs.
    """
    sides = [determined(old), determined(new)]
    every = [*sides[0], *sides[1]]
    if not all(sides) or min(one.value for one in every) <= 0 or len({one.unit for one in every}) > 1:
        return None
    counts = len(sides[0]), len(sides[1])
    values = [[one.value for one in side] for side in sides]
    if min(counts) >= FEWEST_RANKED:
        return change_of_samples(values[0], values[1])
    degrees = sum(counts) - 2
    if degrees == 0:
        return change_of_values(sides[0][0], sides[1][0])
    apart = float(np.log(values[1]).mean() - np.log(values[0]).mean())
    before, after = (math.log(quantity_of_runs(side).value) for side in sides)
    shown = after - before
    error = _error(sides)
    if error == 0.0:
        return exact_change(apart, POOLED)._replace(counts=counts)
    reach = critical(1.0 - CONFIDENCE, degrees) * error
    probability = two_sided(apart / error, degrees)
    below, above = max(0.0, shown - apart + reach), max(0.0, apart - shown + reach)
    return Change(log_ratio(shown, below, above, POOLED), probability, counts)


def determined(runs: Sequence[Quantity]) -> list[Quantity]:
    """Runs that have a value; a single sample is one."""
    return [one for one in runs if one.confidence > 0 or is_one_sample(one)]


def _error(sides: Sequence[Sequence[Quantity]]) -> float:
    """Standard error of the mean of a side, or of the difference of two."""
    return _spread(sides) * math.sqrt(sum(1.0 / len(side) for side in sides))


def _spread(sides: Sequence[Sequence[Quantity]]) -> float:
    """Standard deviation of the logarithms from run to run, common to the sides.

    Few runs may agree by chance better than they can: it is no less than what the samples within them leave
    open.
    """
    logs = [np.log([one.value for one in side]) for side in sides]
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in logs)
    degrees = sum(len(side) - 1 for side in sides)
    within = [_error_within(one) ** 2 for side in sides for one in side]
    return math.sqrt(max(squares / degrees, float(np.mean(within))))


def _error_within(run: Quantity) -> float:
    """Standard error of the logarithm of the value of one run, from its own interval."""
    if is_one_sample(run) or min(run.low, run.high) <= 0:
        return least_error(run.unit)
    return math.sqrt((log_error(run, run.low) ** 2 + log_error(run, run.high) ** 2) / 2.0)
