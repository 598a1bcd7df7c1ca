"""The core-to-core latency matrix and its layers (docs/probes/core_to_core.md)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from groma.facts.survey import CoreToCore, LatencyLayer
from groma.record import Advice, Quantity
from groma.stats.clusters import ratio_clusters
from groma.stats.quantities import quantile_quantities
from groma.stats.quotient import scaled
from groma.survey.infer.latency_layers import findings, latency_layers
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.record import ProbeSamples
    from groma.survey.infer.latency_layers import LatencyLayers

Pair = tuple[int, int]
Matrix = list[list[Quantity | None]]

METHOD = "median of the samples of {how} in the lowest regime"
_NS = 1e-9
HOW = {"store": "a plain store that loads wait for", "compare_exchange": "compare-and-exchange on both sides"}

_REGIME_RATIO = 1.5
_REGIME_SHARE = 0.1
"""Rarer groups of samples are disturbances: a thread that lost its core for a while."""
FEWEST_SAMPLES = 20
_DISTURBED = 10.0
"""A regime slower by this is a lost core, not another place."""

_NARROW = 1.15
"""Upper over lower quartile of a regime up to which it is another place: stolen time gives any latency."""

_FEWEST_MOVED = 6
"""Samples of such a regime: fewer may be alike by chance."""
_SPLIT_SHARE = 0.1


class _Measured(NamedTuple):
    pair: Pair
    relation: str
    latency: Quantity
    moved: bool
    """Whether the samples have two regimes, as when a hypervisor moves a core meanwhile."""


@infers("core_to_core", needs=("core_to_core",))
def core_to_core(evidence: Evidence) -> Inferred:
    """Facts of the node's core-to-core latencies; layers come from the handover by plain stores."""
    samples = evidence.samples["core_to_core"]
    by_store, by_exchange = (list(_measured(samples, operation)) for operation in HOW)
    measured = by_store or by_exchange
    if not measured:
        return Inferred(None)
    cores = sorted({core for one in (*by_store, *by_exchange) for core in one.pair})
    found = latency_layers(cores, _nanoseconds(cores, measured))
    step = found.clock_step()
    facts = CoreToCore(
        cores=cores,
        latency=_matrix(cores, measured),
        layers=list(_layers(found, {one.pair: one for one in measured})),
        compare_exchange=_matrix(cores, by_exchange) if by_exchange else [],
        disturbed=_pairs(found, found.disturbed),
        clock_step=step and _seconds(step),
    )
    moved = _moved(measured, virtual=evidence.virtual)
    return Inferred(facts, (*moved, *findings(found), *_undeclared(measured, facts.layers)))


def _measured(samples: ProbeSamples, operation: str) -> Iterable[_Measured]:
    cases, lowest, moved = [], [], []
    for case, values in matching(samples, operation=operation):
        usable = [value for value in values if np.isfinite(value) and value > 0]
        if usable:
            regime, is_moved = lowest_regime(usable)
            cases.append(case)
            lowest.append(regime)
            moved.append(is_moved)
    latencies = quantile_quantities(lowest, "s", METHOD.format(how=HOW[operation]), 0.5)
    for case, latency, is_moved in zip(cases, latencies, moved, strict=True):
        pair = (min(case["core"], case["other"]), max(case["core"], case["other"]))
        yield _Measured(pair, str(case.get("relation", "")), latency, is_moved)


def lowest_regime(values: Sequence[float]) -> tuple[list[float], bool]:
    """The samples of the fastest regime that holds a fair share of them, and whether there is another one.

    The samples of one pair form a single narrow group unless the pair itself changes: a hypervisor that moves
    a virtual core to another part of the machine changes the latency severalfold for seconds.
    """
    if len(values) < FEWEST_SAMPLES:
        return list(values), False
    regimes = [
        cluster
        for cluster in ratio_clusters(values, ratio=_REGIME_RATIO)
        if len(cluster.members) >= _REGIME_SHARE * len(values)
    ]
    if not regimes:
        return list(values), False
    first = regimes[0]
    moved = any(
        regime.centre < _DISTURBED * first.centre and _is_place([values[i] for i in regime.members])
        for regime in regimes[1:]
    )
    return [values[i] for i in first.members], moved


def _is_place(regime: Sequence[float]) -> bool:
    """Whether these samples are those of one narrow latency."""
    if len(regime) < _FEWEST_MOVED:
        return False
    lower, upper = np.quantile(regime, [0.25, 0.75])
    return bool(upper <= _NARROW * lower)


def _matrix(cores: Sequence[int], measured: Iterable[_Measured]) -> Matrix:
    index = {core: i for i, core in enumerate(cores)}
    matrix: Matrix = [[None] * len(cores) for _ in cores]
    for one in measured:
        i, j = (index[core] for core in one.pair)
        matrix[i][j] = matrix[j][i] = one.latency
    return matrix


def _nanoseconds(cores: Sequence[int], measured: Sequence[_Measured]) -> NDArray[np.float64]:
    """The matrix as `groma infer core-to-core` reads it from a file."""
    index = {core: i for i, core in enumerate(cores)}
    latency = np.full((len(cores), len(cores)), np.nan)
    for one in measured:
        i, j = (index[core] for core in one.pair)
        latency[i, j] = latency[j, i] = one.latency.value / _NS
    return latency


def _seconds(nanoseconds: Quantity) -> Quantity:
    return scaled(nanoseconds, _NS, "s")


def _pairs(found: LatencyLayers, pairs: NDArray[np.intp]) -> list[Pair]:
    return cast("list[Pair]", found.named(pairs))


def _layers(found: LatencyLayers, measured: Mapping[Pair, _Measured]) -> Iterator[LatencyLayer]:
    """A single pair keeps its own interval; otherwise the pairs of a layer are its samples."""
    for number, indexes in enumerate(found.layers):
        pairs = _pairs(found, indexes)
        alone = len(pairs) == 1
        declared = Counter(measured[pair].relation for pair in pairs if measured[pair].relation)
        yield LatencyLayer(
            latency=measured[pairs[0]].latency if alone else _seconds(found.latency_of(indexes)),
            pairs=pairs,
            relations=[relation for relation, _ in declared.most_common()],
            groups=cast("list[list[int]]", found.named_groups(number)),
        )


def _moved(measured: Sequence[_Measured], *, virtual: bool) -> Iterable[Advice]:
    moved = sum(one.moved for one in measured)
    if not moved:
        return
    why = (
        "the hypervisor probably moved virtual cores" if virtual else "the machine changed during the survey"
    )
    yield Advice(
        code="core_to_core.moved",
        what=f"{moved} of {len(measured)} pairs of cores had two latencies during the survey: {why}; "
        "the lower one is reported",
        next="pin the virtual cores, or repeat the survey and compare",
    )


def _undeclared(measured: Sequence[_Measured], layers: Sequence[LatencyLayer]) -> Iterable[Advice]:
    """A finding for each declared relation whose pairs lie in several layers."""
    layer_of = {pair: number for number, layer in enumerate(layers, start=1) for pair in layer.pairs}
    by_relation: dict[str, Counter[int]] = {}
    for one in measured:
        if one.pair in layer_of:
            by_relation.setdefault(one.relation, Counter())[layer_of[one.pair]] += 1
    for relation, counts in by_relation.items():
        total = counts.total()
        split = [layer for layer, count in sorted(counts.items()) if count >= max(2, _SPLIT_SHARE * total)]
        if relation and len(split) > 1:
            yield Advice(
                code="core_to_core.undeclared",
                what=f"pairs of cores that the system declares equal ({relation}) are in the latency layers "
                + " and ".join(map(str, split)),
                next="place threads by the measured layers; the declared topology lacks this structure",
            )
