"""What the ratios say, in words, each held against a threshold with its reason: docs/balance.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.facts.balance import Statement
from groma.stats.quotient import quotient_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.balance import System, SystemRatios
    from groma.record import Quantity


class Rule(NamedTuple):
    """`ratio` names one over HPL, one between messages, or "hpl_over_dgemm"; `side` is where the rule holds.

    A rule `of_network` is silent about ranks that are known to be on one node.
    """

    code: str
    ratio: str
    side: str
    threshold: float
    says: str
    reason: str
    of_network: bool = False


HPL_OVER_DGEMM = "hpl_over_dgemm"

RULES = (
    Rule(
        "network-starved",
        "random_ring",
        "below",
        20,
        "the network is slow beside the processors: programs that exchange much data will wait for it",
        "in the paper, IBM Colony, Quadrics and Myrinet lie below (1.8 to 17.8 B/kflop)",
        of_network=True,
    ),
    Rule(
        "network-rich",
        "random_ring",
        "above",
        60,
        "the network keeps up with the processors",
        "in the paper, Cray XT3 (67 B/kflop) and NEC SX-8 (62) are the best of the large systems",
        of_network=True,
    ),
    Rule(
        "memory-starved",
        "stream_triad",
        "below",
        200,
        "memory is slow beside the processors: only programs that reuse their data in caches are fast",
        "STREAM triad, 12 bytes for each flop, then reaches less than 2 % of the speed of HPL",
    ),
    Rule(
        "memory-rich",
        "stream_triad",
        "above",
        1000,
        "memory keeps up with the processors",
        "STREAM triad, 12 bytes for each flop, then reaches more than 8 % of the speed of HPL",
    ),
    Rule(
        "transform-poor",
        "fft",
        "below",
        10,
        "global transforms get less than 1 % of the speed of HPL: the exchange of all with all is slow",
        "the systems of the HPC Challenge awards lie above (16 to 99 flop/kflop)",
    ),
    Rule(
        "hpl-weak",
        HPL_OVER_DGEMM,
        "below",
        0.6,
        "HPL reaches little of DGEMM: its matrix is small, or memory or network hold it back; "
        "ratios to HPL look better than they are",
        "a well-run HPL reaches 75 to 95 % of DGEMM",
    ),
    Rule(
        "ring-contended",
        "random_to_ping_pong",
        "below",
        0.1,
        "when all ranks send at once, each gets less than a tenth of what a single pair gets",
        "the paper reports 4 to 48 %",
        of_network=True,
    ),
    Rule(
        "ring-free",
        "random_to_ping_pong",
        "above",
        0.9,
        "all ranks at once send as fast as a single pair",
        "in the paper only the NEC SX-6+ with one rank on each node does",
        of_network=True,
    ),
    Rule(
        "placement-sensitive",
        "random_to_natural",
        "below",
        0.3,
        "neighbours in rank order send far faster than ranks in random order: placement of ranks matters",
        "the paper reports 0.1 to 0.7 for nodes of several ranks",
        of_network=True,
    ),
    Rule(
        "latency-under-load",
        "latency_ping_pong_to_random",
        "below",
        1 / 3,
        "a message takes over three times as long when all ranks send",
        "the paper reports 0.23 to 0.99",
        of_network=True,
    ),
)


def statements_of(systems: Sequence[System], ratios: Sequence[SystemRatios]) -> list[Statement]:
    """What the ratios say of every system that is no reference."""
    return [
        statement
        for system, own in zip(systems, ratios, strict=True)
        if not system.reference
        for statement in _of_system(system, _values(own))
    ]


def _values(ratios: SystemRatios) -> dict[str, Quantity]:
    found = {**ratios.over_hpl, **ratios.messages}
    efficiency = hpl_over_dgemm(ratios)
    return found | ({HPL_OVER_DGEMM: efficiency} if efficiency else {})


def hpl_over_dgemm(ratios: SystemRatios) -> Quantity | None:
    """HPL is at most what all ranks reach in DGEMM."""
    dgemm = ratios.over_hpl.get("dgemm")
    return quotient_of(_thousand(dgemm), dgemm, "ratio") if dgemm else None


def _thousand(like: Quantity) -> Quantity:
    return msgspec.structs.replace(like, value=1000.0, low=1000.0, high=1000.0)


def _of_system(system: System, values: dict[str, Quantity]) -> Iterator[Statement]:
    for rule in RULES:
        value = values.get(rule.ratio)
        if value is None or not _holds(rule, value) or (rule.of_network and system.nodes == 1):
            continue
        yield Statement(
            system=system.name,
            code=rule.code,
            text=rule.says,
            ratio=rule.ratio,
            value=value,
            side=rule.side,
            threshold=rule.threshold,
            reason=rule.reason,
        )


def _holds(rule: Rule, value: Quantity) -> bool:
    """The whole interval lies on that side."""
    return value.high < rule.threshold if rule.side == "below" else value.low > rule.threshold
