"""What the parts of a network are called, on the terminal and on the page alike."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from groma.interconnect.base import title_of
from groma.record.units import format_number, format_share, format_value
from groma.report.words.hosts import groups_of_hosts
from groma.report.words.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import (
        CommunicationLayer,
        NetworkTopology,
        NodePairs,
        PairDesign,
        TopologyLevel,
    )

NEARLY_SURE = 0.999
"""No inference from times is certain."""


def confidence_words(confidence: float) -> str:
    if confidence > NEARLY_SURE:
        return f"over {format_share(NEARLY_SURE)}"
    return format_share(confidence)


def structure_words(topology: NetworkTopology) -> str:
    """E.g. "probably a torus 4x4 (inferred from times, confidence 98 %): bandwidth over 7 distances"."""
    others = ", ".join(
        f"{title_of(one.kind, one.shape)} ({format_share(one.weight)})" for one in topology.alternatives
    )
    evidence = f": {'; '.join(topology.evidence)}" if topology.evidence else ""
    if topology.kind == "unknown":
        return f"not clear from the times{evidence}" + (f"; possible: {others}" if others else "")
    sure = f"(inferred from times, confidence {confidence_words(topology.confidence)})"
    found = f"probably a {title_of(topology.kind, topology.shape)} {sure}{evidence}"
    return found + (f"; other explanations: {others}" if others else "")


def uplink_words(topology: NetworkTopology) -> str:
    """E.g. "of each of 4 groups: 1.5 times the link of a node"; nothing where no uplink is known."""
    if topology.uplink is None or not topology.groups:
        return ""
    times = format_number(topology.uplink)
    return f"of each of {len(topology.groups):,} groups: {times} times the link of a node"


def groups_words(topology: NetworkTopology, groups: Sequence[Sequence[int]]) -> str:
    """E.g. "node[01-04]; node[05-08]; 2 more": those of `groups` that fit a line."""
    return groups_of_hosts(named_groups(topology, groups))


def named_groups(topology: NetworkTopology, groups: Sequence[Sequence[int]]) -> list[list[str]]:
    """Groups of nodes by their hosts, or by their numbers where those are not known."""
    hosts = topology.hosts
    return [[hosts[node] if node < len(hosts) else str(node) for node in group] for group in groups]


def level_words(level: TopologyLevel, *, is_smallest: bool) -> str:
    """E.g. "6 groups, another one adds 12 % of the typical latency", and of the next level "… 30 % more"."""
    more = "of the typical latency" if is_smallest else "more"
    return f"{len(level.groups):,} groups, another one adds {format_share(level.adds)} {more}"


def design_words(design: PairDesign) -> str:
    if design.kind == "all":
        return f"all {design.total} measured" if design.total > 1 else "the only one measured"
    return (
        f"{design.measured} of {design.total} measured; a layer that holds "
        f"{format_share(design.min_share)} of all pairs or more was missed with a risk of "
        f"{format_share(design.risk)} at most"
    )


def at_once_words(facts: NodePairs) -> str:
    """E.g. "16 pairs at the same time, each of which takes 1.02 times as long as alone"."""
    if facts.at_once == 1:
        return "one pair at a time"
    together = f"{facts.at_once:,} pairs at the same time"
    if facts.slowdown is None:
        return together
    return f"{together}, each of which takes {format_number(facts.slowdown.value)} times as long as alone"


def meanwhile(targets: int) -> str:
    """What a receiver does besides."""
    return f"sending to {targets}" if targets else "without sending"


def by_latency(layers: Sequence[CommunicationLayer]) -> list[CommunicationLayer]:
    """The nearest layer first, those without a latency last."""
    return sorted(layers, key=lambda layer: layer.latency.value if layer.latency else math.inf)


def rank_name(rank: int, host: str) -> str:
    """What to call a rank: its host, without the domain, where that is known."""
    short = re.sub(r"^([a-z][^.]*)\..*", r"\1", host, flags=re.IGNORECASE)
    return f"{short} ({rank})" if host else str(rank)


def rank_names(ranks: Sequence[int], hosts: Sequence[str]) -> list[str]:
    """Names of ranks that ran on these hosts; of some or all of them the host may be unknown."""
    known = [*hosts, *[""] * (len(ranks) - len(hosts))]
    return [rank_name(rank, host) for rank, host in zip(ranks, known, strict=False)]


def in_pieces(pieces: Sequence[int | None]) -> str:
    """How messages were sent: ", in pieces of 12.0 KiB"; nothing where it is not known."""
    sizes = sorted({one for one in pieces if one is not None})
    return f", in pieces of {listed([format_value(one, 'B') for one in sizes])}" if sizes else ""
