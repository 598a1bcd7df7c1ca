"""The core-to-core latency matrix and its layers (docs/probes/core_to_core.md)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.survey import CoreToCore, LatencyLayer
from groma.record import Advice, Quantity
from groma.stats.clusters import ratio_clusters
from groma.stats.layers import layers_of
from groma.stats.quantities import median_quantity
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.record import ProbeSamples

Pair = tuple[int, int]
Matrix = list[list[Quantity | None]]

METHOD = "median of the samples of {how} in the lowest regime"
LAYER_METHOD = "median over the pairs of the layer"
HOW = {"store": "a plain store that loads wait for", "compare_exchange": "atomic exchanges on both sides"}

_REGIME_RATIO = 1.5
_REGIME_SHARE = 0.1
"""Rarer groups of samples are disturbances: a thread that lost its core for a while."""
FEWEST_SAMPLES = 20
_DISTURBED = 10.0
"""A regime slower by this is a lost core, not another place."""
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
    layers = _layers(measured)
    facts = CoreToCore(
        cores=cores,
        latency=_matrix(cores, measured),
        layers=[_layer([measured[i] for i in layer]) for layer in layers],
        compare_exchange=_matrix(cores, by_exchange) if by_exchange else [],
    )
    return Inferred(facts, (*_moved(measured, virtual=evidence.virtual), *_undeclared(measured, layers)))


def _measured(samples: ProbeSamples, operation: str) -> Iterable[_Measured]:
    for case, values in matching(samples, operation=operation):
        usable = [value for value in values if np.isfinite(value) and value > 0]
        if not usable:
            continue
        lowest, moved = lowest_regime(usable)
        latency = median_quantity(lowest, "s", METHOD.format(how=HOW[operation]))
        pair = (min(case["core"], case["other"]), max(case["core"], case["other"]))
        yield _Measured(pair, str(case.get("relation", "")), latency, moved)


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
    moved = any(regime.centre < _DISTURBED * first.centre for regime in regimes[1:])
    return [values[i] for i in first.members], moved


def _matrix(cores: Sequence[int], measured: Iterable[_Measured]) -> Matrix:
    index = {core: i for i, core in enumerate(cores)}
    matrix: Matrix = [[None] * len(cores) for _ in cores]
    for one in measured:
        i, j = (index[core] for core in one.pair)
        matrix[i][j] = matrix[j][i] = one.latency
    return matrix


def _layers(measured: Sequence[_Measured]) -> list[list[int]]:
    return layers_of([one.pair for one in measured], [one.latency for one in measured])


def _layer(members: Sequence[_Measured]) -> LatencyLayer:
    """A single pair keeps its own interval; otherwise the pairs of a layer are its samples."""
    if len(members) == 1:
        latency = members[0].latency
    else:
        latency = median_quantity([one.latency.value for one in members], "s", LAYER_METHOD)
    declared = Counter(one.relation for one in members if one.relation)
    return LatencyLayer(
        latency=latency,
        pairs=[one.pair for one in members],
        relations=[relation for relation, _ in declared.most_common()],
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


def _undeclared(measured: Sequence[_Measured], layers: Sequence[Sequence[int]]) -> Iterable[Advice]:
    """A finding for each declared relation whose pairs lie in several layers."""
    layer_of = {index: number for number, layer in enumerate(layers, start=1) for index in layer}
    by_relation: dict[str, Counter[int]] = {}
    for index, one in enumerate(measured):
        by_relation.setdefault(one.relation, Counter())[layer_of[index]] += 1
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
