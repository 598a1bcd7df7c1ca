"""What the quantities of two records say: better, worse, same, or open. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.comparison import Changed
from groma.record.units import is_one_sample
from groma.stats.change import Change, change_of_samples, change_of_values
from groma.stats.discoveries import adjusted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.compare.behind import RawSamples
    from groma.facts.comparison import Thresholds, Verdict
    from groma.record import Quantity
    from groma.record.naming import Better, NamedQuantity


class Side(NamedTuple):
    """The quantities of a record by name, and the samples behind them."""

    quantities: Mapping[str, NamedQuantity]
    samples: RawSamples


class _Tested(NamedTuple):
    name: str
    first: NamedQuantity
    other: NamedQuantity
    change: Change | None


def verdicts(first: Side, other: Side, names: Iterable[str], limits: Thresholds) -> dict[str, Changed]:
    """The change of every quantity named, from the first record to the other one.

    What most readers look at and details are two families: thousands of entries of a matrix must not hide
    that the bandwidth fell.
    """
    names = list(names)
    tested = [one for name in names for one in _tested(name, first, other)]
    found = {name: _missing(name, other) for name in names}
    for family in (False, True):
        found |= _judged([one for one in tested if one.first.detail == family], limits)
    return found


def _tested(name: str, first: Side, other: Side) -> list[_Tested]:
    old, new = first.quantities.get(name), other.quantities.get(name)
    if old is None or new is None:
        return []
    return [_Tested(name, old, new, _change(first, old.quantity, other, new.quantity))]


def _change(first: Side, old: Quantity, other: Side, new: Quantity) -> Change | None:
    """From the samples of both where the records have them, else from the quantities alone."""
    if old.unit != new.unit:
        return None
    sides = first.samples.behind(old), other.samples.behind(new)
    if (
        sides[0] is None
        or sides[1] is None
        or min(float(np.min(one)) for one in sides if one is not None) <= 0
    ):
        return change_of_values(old, new)
    return change_of_samples(sides[0], sides[1])


def _missing(name: str, other: Side) -> Changed:
    new = other.quantities.get(name)
    lacking = "the first record" if new else "this record"
    return Changed(verdict="missing", value=new and new.quantity, why=f"{lacking} does not have it")


def _judged(tested: Sequence[_Tested], limits: Thresholds) -> dict[str, Changed]:
    known = [one for one in tested if one.change is not None and one.change.probability is not None]
    chances = adjusted(
        [one.change.probability for one in known if one.change and one.change.probability is not None]
    )
    by_name = {one.name: chance for one, chance in zip(known, chances, strict=True)}
    return {one.name: _verdict(one, by_name.get(one.name), limits) for one in tested}


def _verdict(one: _Tested, chance: float | None, limits: Thresholds) -> Changed:
    change, value = one.change, one.other.quantity
    if change is None:
        return _without_ratio(one)
    ratio = change.ratio
    told = Changed(
        verdict="inconclusive",
        value=value,
        ratio=ratio,
        probability=change.probability,
        adjusted=chance,
    )
    if chance is None:
        told.why = "a single sample"
    elif chance <= limits.false_changes and abs(math.log(ratio.value)) >= math.log1p(limits.least):
        told.verdict = direction(ratio.value, one.first.better)
    elif half_width(ratio) > limits.widest:
        told.why = f"too wide: {width_text(ratio)}"
    else:
        told.verdict = "same"
    return told


def _without_ratio(one: _Tested) -> Changed:
    old, new = one.first.quantity, one.other.quantity
    value = Changed(verdict="inconclusive", value=new)
    if old.unit != new.unit:
        value.why = f"the units differ: {old.unit} and {new.unit}"
    elif min(old.confidence, new.confidence) <= 0 and not (is_one_sample(old) or is_one_sample(new)):
        value.why = "not determined"
    elif (old.value, old.low, old.high) == (new.value, new.low, new.high):
        value.verdict = "same"
    else:
        value.why = "values around zero have no ratio"
    return value


def direction(ratio: float, better: Better) -> Verdict:
    """What a change that counts is."""
    if better == "neither":
        return "changed"
    return "better" if (ratio > 1) == (better == "higher") else "worse"


def width_text(ratio: Quantity) -> str:
    """`±12 %`; beyond a factor of two nobody wants digits."""
    return f"±{100 * width:.0f} %" if (width := half_width(ratio)) < 1 else "more than ±100 %"


def half_width(ratio: Quantity) -> float:
    """How far the interval reaches to each side, relative to the value."""
    return (ratio.high - ratio.low) / (2 * ratio.value)
