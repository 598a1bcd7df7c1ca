"""Samples of networks that do not exist: times from the shares that links leave the messages on them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.record import ProbeSamples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Case = dict[str, Any]


@dataclass(frozen=True)
class Scatter:
    """How often everything was measured, and the relative noise on it (log-normal)."""

    repetitions: int = 9
    noise: float = 0.03
    seed: int = 1

    def around(self, values: Sequence[float]) -> list[list[float]]:
        """Samples of each value."""
        random = np.random.default_rng(self.seed)
        return [(value * random.lognormal(0.0, self.noise, self.repetitions)).tolist() for value in values]


USUAL = Scatter()


def probe_samples(probe: str, cases: Sequence[Case], values: Sequence[Sequence[float]]) -> ProbeSamples:
    """Samples as a native program gives them; times in s, `cases` without their unit."""
    return ProbeSamples(
        probe=probe,
        cases=[{"unit": "s", **case} for case in cases],
        values=[list(one) for one in values],
    )


def distance_samples(
    nodes: int, share: Callable[[int, int], float], scatter: Scatter = USUAL, *, message: int = 2_000_000
) -> ProbeSamples:
    """`share(distance, rank)` is the bandwidth (B/s) of a rank."""
    sent = [(d, rank) for d in range(1, nodes // 2 + 1) for rank in range(nodes)]
    return probe_samples(
        "net_distance",
        [{"distance": d, "rank": rank, "bytes": message} for d, rank in sent],
        scatter.around([message / share(d, rank) for d, rank in sent]),
    )


def access_samples(
    shares: Mapping[int, float], processes: int, scatter: Scatter = USUAL, *, message: int = 500_000
) -> ProbeSamples:
    """`shares` holds the bandwidth (B/s) of a process by the number of processes on a node."""
    sent = [(per_node, rank) for per_node in shares for rank in range(processes)]
    samples = probe_samples(
        "net_access",
        [{"per_node": per_node, "rank": rank, "bytes": message} for per_node, rank in sent],
        scatter.around([message / shares[per_node] for per_node, _ in sent]),
    )
    samples.parameters["cores_per_node"] = str(max(shares))
    return samples


def pair_samples(
    pairs: Sequence[tuple[int, int]], latency: Callable[[int, int], float], scatter: Scatter = USUAL
) -> ProbeSamples:
    """`latency(one, other)` is the one-way time (s) between two ranks."""
    return probe_samples(
        "net_pairs",
        [{"from": one, "to": other, "bytes": 8} for one, other in pairs],
        scatter.around([latency(one, other) for one, other in pairs]),
    )


def names(nodes: int) -> list[str]:
    """Of hosts."""
    return [f"h{node}" for node in range(nodes)]


def on_hosts(samples: ProbeSamples, hosts: Sequence[str]) -> ProbeSamples:
    """The same samples, with the host of each rank."""
    samples.parameters["rank_nodes"] = ",".join(hosts)
    return samples


def node_pair_samples(
    nodes: Sequence[int],
    latency: Callable[[int, int], float],
    scatter: Scatter = USUAL,
    *,
    slowdown: float = 1.0,
    alone: int = 8,
) -> ProbeSamples:
    """All pairs of `nodes` at the same time, `slowdown` times as slow as alone, and the first `alone` of them
    alone.
    """
    pairs = list(combinations(nodes, 2))
    at_once = len(nodes) // 2
    sent = [(*pair, at_once) for pair in pairs]
    sent += [(*pair, 1) for pair in pairs[:alone]] if at_once > 1 else []
    return probe_samples(
        "net_node_pairs",
        [{"from": one, "to": other, "bytes": 8, "at_once": many} for one, other, many in sent],
        scatter.around([latency(one, other) * (slowdown if many > 1 else 1.0) for one, other, many in sent]),
    )
