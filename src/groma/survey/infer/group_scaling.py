"""Memory bandwidth over the number of cores of each contention group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from groma.facts.survey import GroupPoint, GroupScaling
from groma.record import Quantity
from groma.record.units import format_ids
from groma.stats.quantities import median_quantity
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.record import ProbeSamples

BANDWIDTH = (
    "bytes of a pass of all cores over the time from first start to last finish; median over the passes"
)
RATIO = "bandwidth of one core alone over that of each of the cores, from the ends of both intervals"

FULL = 0.9
"""Part of the largest bandwidth at which a group counts as full."""


class _Measured(NamedTuple):
    """A declared set of cores with its samples by number of active cores."""

    kind: str
    cores: tuple[int, ...]
    cases: list[tuple[dict[str, Any], list[float]]]


def group_scaling(samples: ProbeSamples, groups: Sequence[Sequence[int]] | None) -> list[GroupScaling]:
    """One curve for each contention group; that of all cores where no core slows another or none is known.

    Groups are inferred from pairs, curves were measured on declared sets: a group that is no such set has the
    curve of the smallest set that holds it.
    """
    measured = _measured(samples)
    wanted = groups or [max((one.cores for one in measured), key=len, default=())]
    found = [(list(cores), _holding(cores, measured)) for cores in wanted if cores]
    return [_scaling(cores, one) for cores, one in found if one is not None and _has_one_core(one)]


def _measured(samples: ProbeSamples) -> list[_Measured]:
    found: dict[tuple[int, ...], _Measured] = {}
    for case, values in matching(samples):
        if values:
            cores = tuple(case["group"])
            found.setdefault(cores, _Measured(case["kind"], cores, [])).cases.append((case, values))
    return list(found.values())


def _holding(cores: Iterable[int], measured: Sequence[_Measured]) -> _Measured | None:
    wanted = set(cores)
    holding = [one for one in measured if wanted <= set(one.cores)]
    return min(holding, key=lambda one: len(one.cores), default=None)


def _has_one_core(one: _Measured) -> bool:
    return any(case["threads"] == 1 for case, _ in one.cases)


def _scaling(cores: list[int], measured: _Measured) -> GroupScaling:
    bandwidths = {
        case["threads"]: (median_quantity(values, "B/s", BANDWIDTH), list(case["cores"]))
        for case, values in measured.cases
    }
    alone, _ = bandwidths[1]
    points = [
        GroupPoint(cores=count, bandwidth=bandwidth, ratio=_ratio(alone, bandwidth, count), placed=placed)
        for count, (bandwidth, placed) in sorted(bandwidths.items())
    ]
    most = max(one.bandwidth.value for one in points)
    return GroupScaling(
        name=format_ids(cores),
        kind=measured.kind,
        cores=cores,
        over=list(measured.cores),
        points=points,
        saturates_at=next(one.cores for one in points if one.bandwidth.value >= FULL * most),
    )


def _ratio(alone: Quantity, together: Quantity, cores: int) -> Quantity:
    """Both intervals are taken to hold at once, so that theirs is too wide rather than too narrow."""
    if cores == 1:
        return Quantity(value=1.0, unit="1", low=1.0, high=1.0, confidence=1.0, method=RATIO)
    return Quantity(
        value=alone.value * cores / together.value,
        unit="1",
        low=alone.low * cores / together.high,
        high=alone.high * cores / together.low,
        confidence=max(alone.confidence + together.confidence - 1.0, 0.0),
        method=RATIO,
    )
