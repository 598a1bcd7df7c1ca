"""Latency between pairs of ranks, and what a sample of pairs may have missed (docs/network/pairs.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.network import NetworkFacts, PairDesign, PairLatencies
from groma.stats.quantiles import LOW_QUANTILE
from groma.stats.quantities import quantile_quantities
from groma.survey.infer.network.names import PAIRS
from groma.survey.infer.network.places import hosts_of, message_bytes, one_machine_advice
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import times_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import ProbeSamples, Quantity
    from groma.survey.infer.selection import Cases

METHOD = "5th percentile of half a round trip"
LARGEST_MATRIX = 512
"""More ranks make a matrix of hundreds of megabytes; a designed sample leaves it almost empty anyway."""
RISK = 0.05

Pair = tuple[int, int]


class MeasuredPair(NamedTuple):
    """Two ranks in ascending order and the one-way time between them."""

    pair: Pair
    latency: Quantity


@infers("pairs", needs=(PAIRS,), of=NetworkFacts)
def pairs(evidence: Evidence) -> Inferred:
    """The matrix of latencies over the ranks of which any pair was measured."""
    samples = evidence.samples[PAIRS]
    measured = measured_pairs(samples)
    if not measured:
        return Inferred(None)
    ranks = sorted({rank for one in measured for rank in one.pair})
    hosts = hosts_of(evidence, PAIRS)
    facts = PairLatencies(
        ranks=ranks,
        hosts=[hosts.get(rank, "") for rank in ranks],
        bytes=message_bytes(samples),
        design=design_of(samples, len(measured), len(ranks)),
        latency=_matrix(ranks, measured) if len(ranks) <= LARGEST_MATRIX else [],
    )
    return Inferred(facts, tuple(one_machine_advice(evidence, PAIRS)))


def measured_pairs(samples: ProbeSamples | Cases) -> list[MeasuredPair]:
    """Every pair that has samples, once, in ascending order; both directions count as one pair."""
    times: dict[Pair, list[float]] = {}
    for case, values in zip(samples.cases, samples.values, strict=True):
        pair = (min(case["from"], case["to"]), max(case["from"], case["to"]))
        times.setdefault(pair, []).extend(times_in(values))
    measured = {pair: times[pair] for pair in sorted(times) if times[pair]}
    latencies = quantile_quantities(list(measured.values()), "s", METHOD, LOW_QUANTILE)
    return [MeasuredPair(pair, latency) for pair, latency in zip(measured, latencies, strict=True)]


def design_of(samples: ProbeSamples, measured: int, ranks: int) -> PairDesign:
    """What the choice of pairs may have missed: of all pairs nothing, of drawn ones layers of few pairs."""
    total = int(samples.parameters.get("pairs_total", 0)) or ranks * (ranks - 1) // 2
    sampled = samples.parameters.get("design") == "sampled" or measured < total
    return pair_design(measured, total, measured if sampled else None)


def pair_design(measured: int, total: int, drawn: int | None) -> PairDesign:
    """`drawn` is how many pairs were drawn independently, None where all are there."""
    return PairDesign(
        kind="all" if drawn is None else "sampled",
        measured=measured,
        total=total,
        min_share=0.0 if drawn is None else min_share(drawn),
        risk=0.0 if drawn is None else RISK,
    )


def min_share(measured: int, risk: float = RISK) -> float:
    """The share of all pairs that a layer must hold to be missed with this risk at most.

    Of pairs drawn independently none lies in a layer of share p with the probability (1 - p)^measured.
    """
    return float(1.0 - risk ** (1.0 / measured))


def _matrix(ranks: Sequence[int], measured: Sequence[MeasuredPair]) -> list[list[Quantity | None]]:
    index = {rank: i for i, rank in enumerate(ranks)}
    matrix: list[list[Quantity | None]] = [[None] * len(ranks) for _ in ranks]
    for one in measured:
        i, j = (index[rank] for rank in one.pair)
        matrix[i][j] = matrix[j][i] = one.latency
    return matrix
