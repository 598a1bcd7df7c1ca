"""What the quantities of two records say: better, worse, same, or open. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from groma.compare.autocorrelation import common_coefficient
from groma.facts.comparison import Changed
from groma.record.amounts import Amount, in_unit
from groma.record.units import is_one_sample
from groma.stats.change import Change, change_of_samples, change_of_values
from groma.stats.discoveries import adjusted
from groma.stats.quotient import scaled
from groma.stats.runs import change_of_runs, quantity_of_runs
from groma.stats.sample_size import samples_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from groma.compare.raw_samples import RawSamples
    from groma.facts.comparison import Thresholds, Verdict
    from groma.record import Quantity
    from groma.record.naming import Better, NamedQuantity

    Samples = NDArray[np.float64]

POSSIBLY_CHANCE = "a change that may be chance"
"""Why a verdict is open where the interval leaves no change out, but the test among all quantities does."""


class Run(NamedTuple):
    """The quantities of a record by name, and the samples behind them."""

    quantities: Mapping[str, NamedQuantity]
    samples: RawSamples


class Side(NamedTuple):
    """One record, or several runs that stand for one; `quantities` are those of all of them together."""

    runs: Sequence[Run]
    quantities: Mapping[str, NamedQuantity]

    def having(self, name: str) -> list[Run]:
        """The runs that have a quantity of that name."""
        return [run for run in self.runs if name in run.quantities]

    def every(self, name: str) -> list[Quantity]:
        """The quantity of that name in those runs."""
        return [run.quantities[name].quantity for run in self.having(name)]


def in_common_units(runs: Sequence[Run]) -> list[Run]:
    """Each quantity in the unit that the first run has it in, where they differ by a prefix only."""
    units = {name: one.quantity.unit for run in reversed(runs) for name, one in run.quantities.items()}
    return [
        run._replace(quantities={name: _in(units[name], one) for name, one in run.quantities.items()})
        for run in runs
    ]


def _in(unit: str, one: NamedQuantity) -> NamedQuantity:
    factor = in_unit(Amount(1.0, one.quantity.unit), unit) if one.quantity.unit != unit else None
    return one if factor is None else one._replace(quantity=scaled(one.quantity, factor, unit))


def side_of(runs: Sequence[Run]) -> Side:
    """The runs of a side as one; at least one."""
    if len(runs) == 1:
        return Side(runs, runs[0].quantities)
    names = dict.fromkeys(name for run in runs for name in run.quantities)
    side = Side(runs, {})
    return Side(runs, {name: _pooled(name, side) for name in names})


def _pooled(name: str, side: Side) -> NamedQuantity:
    known = side.having(name)[0].quantities[name]
    return known._replace(quantity=quantity_of_runs(side.every(name)))


class _TestedQuantity(NamedTuple):
    """`samples` are those of both sides, if they say what changed."""

    name: str
    first: NamedQuantity
    other: NamedQuantity
    change: Change | None
    counted: Literal["sample", "run"]
    samples: tuple[Samples, Samples] | None = None


def verdicts(first: Side, other: Side, names: Iterable[str], limits: Thresholds) -> dict[str, Changed]:
    """The change of every quantity named, from the first side to the other one.

    What most readers look at and details are two families: thousands of entries of a matrix must not hide
    that the bandwidth fell.
    """
    names = list(names)
    tested = [one for name in names for one in _tested(name, first, other)]
    found = {name: _missing(name, other) for name in names}
    for family in (False, True):
        found |= _judged([one for one in tested if one.first.detail == family], limits)
    return found


def _tested(name: str, first: Side, other: Side) -> list[_TestedQuantity]:
    old, new = first.quantities.get(name), other.quantities.get(name)
    if old is None or new is None:
        return []
    before, after = first.having(name), other.having(name)
    if len(before) == len(after) == 1:
        samples = _samples(before[0], old.quantity, after[0], new.quantity)
        change = change_of_values(old.quantity, new.quantity) if samples is None else None
        return [_TestedQuantity(name, old, new, change, "sample", samples)]
    return [_TestedQuantity(name, old, new, change_of_runs(first.every(name), other.every(name)), "run")]


def _samples(first: Run, old: Quantity, other: Run, new: Quantity) -> tuple[Samples, Samples] | None:
    """Those of both where the records have them; None where the quantities alone say what changed."""
    if old.unit != new.unit:
        return None
    before, after = first.samples.behind(old), other.samples.behind(new)
    if before is None or after is None or min(before.min(), after.min()) <= 0:
        return None
    return before, after


def _missing(name: str, other: Side) -> Changed:
    new = other.quantities.get(name)
    lacking = "the first record" if new else "this record"
    return Changed(verdict="missing", value=new and new.quantity, why=f"{lacking} does not have it")


def _judged(tested: Sequence[_TestedQuantity], limits: Thresholds) -> dict[str, Changed]:
    tested = _with_changes_of_samples(tested)
    known = [one for one in tested if one.change is not None and one.change.probability is not None]
    p_values = adjusted(
        [one.change.probability for one in known if one.change and one.change.probability is not None]
    )
    by_name = {one.name: p_value for one, p_value in zip(known, p_values, strict=True)}
    return {one.name: _verdict(one, by_name.get(one.name), limits) for one in tested}


def _with_changes_of_samples(tested: Sequence[_TestedQuantity]) -> list[_TestedQuantity]:
    """Samples count for as much as those of all quantities together show."""
    coefficient = common_coefficient(samples for one in tested for samples in one.samples or ())
    return [
        one._replace(change=change_of_samples(*one.samples, coefficient)) if one.samples is not None else one
        for one in tested
    ]


def _verdict(one: _TestedQuantity, p_value: float | None, limits: Thresholds) -> Changed:
    change, value = one.change, one.other.quantity
    if change is None:
        return _without_ratio(one)
    ratio = change.ratio
    reported = Changed(
        verdict="inconclusive",
        value=value,
        ratio=ratio,
        probability=change.probability,
        adjusted=p_value,
        counts=change.counts,
        counted=one.counted,
    )
    if p_value is None:
        reported.why = "a single sample"
    elif p_value <= limits.false_changes and abs(math.log(ratio.value)) >= math.log1p(limits.min_change):
        reported.verdict = direction(ratio.value, one.first.better)
    elif half_width(ratio) > limits.widest:
        reported.why = f"too wide: {width_text(ratio)}{_advice(reported, limits.widest)}"
    elif is_beyond(ratio, limits.min_change):
        reported.why = POSSIBLY_CHANCE
    else:
        reported.verdict = "same"
    return reported


def _without_ratio(one: _TestedQuantity) -> Changed:
    old, new = one.first.quantity, one.other.quantity
    value = Changed(verdict="inconclusive", value=new)
    if old.unit != new.unit:
        value.why = f"the units differ: {old.unit} and {new.unit}"
    elif min(old.confidence, new.confidence) <= 0 and not (is_one_sample(old) or is_one_sample(new)):
        value.why = "not determined"
    elif (old.value, old.low, old.high) == (new.value, new.low, new.high):
        value.verdict = "same"
    elif is_exact(old) and is_exact(new):
        value.verdict = direction(math.inf if new.value > old.value else 0.0, one.first.better)
    else:
        where = "below" if max(old.high, new.high) < 0 else "around"
        value.why = f"values {where} zero have no ratio"
    return value


def is_exact(quantity: Quantity) -> bool:
    """Whether the value was not measured but follows from others, such as the distance of messages."""
    return quantity.confidence == 1.0 and quantity.low == quantity.value == quantity.high


def direction(ratio: float, better: Better) -> Verdict:
    """What a change that counts is."""
    if better == "neither":
        return "changed"
    return "better" if (ratio > 1) == (better == "higher") else "worse"


def is_beyond(ratio: Quantity, least: float) -> bool:
    """Whether all of the interval is a change of at least `least`: who calls that "same" contradicts it."""
    return ratio.low >= 1.0 + least or ratio.high <= 1.0 / (1.0 + least)


def width_text(ratio: Quantity) -> str:
    """`±12 %`; beyond a factor of two nobody wants digits."""
    return f"±{100 * width:.0f} %" if (width := half_width(ratio)) < 1 else "more than ±100 %"


def _advice(changed: Changed, widest: float) -> str:
    enough = enough_text(changed, widest)
    return f"; {enough} would be enough" if enough else ""


def enough_text(changed: Changed, widest: float) -> str:
    """`about 40 samples each (now 10)`: how many leave an interval no wider; empty where nobody can say."""
    if changed.ratio is None or changed.counts is None or changed.ratio.low <= 0:
        return ""
    number = samples_needed(changed.ratio, changed.counts, widest)
    if number is None or number <= min(changed.counts):
        return ""
    now = " and ".join(dict.fromkeys(map(str, changed.counts)))
    return f"about {number} {changed.counted}s each (now {now})"


def half_width(ratio: Quantity) -> float:
    """How far the interval reaches to its farther side, relative to the value."""
    return max(ratio.high - ratio.value, ratio.value - ratio.low) / ratio.value
