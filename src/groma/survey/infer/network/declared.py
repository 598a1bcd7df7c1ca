"""The interconnect of a network as the user declares it, and what its links carry (docs/network/topology.md).

Both travel as parameters of the samples of the Distance Benchmark: they measure nothing, and say beside what
the measured figures are to stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.interconnect.notation import parse_interconnect

if TYPE_CHECKING:
    from groma.interconnect.base import Interconnect
    from groma.record import ProbeSamples

TOPOLOGY = "topology"
LINK_BANDWIDTH = "link_bandwidth"
"""What the link of a node carries in each direction, in B/s."""


def declared_interconnect(samples: ProbeSamples, nodes: int) -> Interconnect | None:
    """What the user declared of these nodes, None without a declaration or for another number of nodes."""
    text = samples.parameters.get(TOPOLOGY, "")
    return parse_interconnect(text)(nodes) if text else None


def declared_link(samples: ProbeSamples) -> float | None:
    """What the user declared that the link of a node carries (B/s)."""
    return float(samples.parameters.get(LINK_BANDWIDTH, 0)) or None
