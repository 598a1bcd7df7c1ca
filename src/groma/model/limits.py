"""Upper bounds of RandomAccess on surveyed nodes, each with the formula that gives it.

Limits are of all cores together: they know nothing of generating, routing or waiting. Messages follow
equation 1, the look-ahead section 2 of HPCC RandomAccess Benchmark for Next Generation Supercomputers; memory
moves a line in and a line out for each update.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.interconnect.shapes import cubic_shape
from groma.machine.buckets import bucket_count, bucket_size
from groma.model.equations import routed_hops
from groma.record import Quantity
from groma.stats.spans import Part, product, quotient, total

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.interconnect.lattice import Shape
    from groma.model.node import Node
    from groma.profile.between_nodes import Layer

LOOK_AHEAD = 1024
"""Updates that may be held back (section 2), on each core or on each node."""

UPDATE_BYTES = 8

RATE = "update/s"

TRAFFIC = "memory traffic"


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """One upper bound of all cores together, in update/s, and the formula that gives it."""

    name: str
    rate: Quantity
    formula: str


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """`cores` on all of the `nodes`, whose updates travel in `hops` messages between nodes on average.

    `bucket` are the updates of a message, None where they are not known. The first of the
    `limits` binds: they are sorted.
    """

    nodes: int
    cores: int
    exchange: str
    hops: float
    bucket: float | None
    limits: list[Limit]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """`cores` work on each of the `nodes` and send an update in `hops` messages between nodes on average.

    `bucket` are the updates of a message, `held` those that may wait on all nodes together.
    """

    nodes: int
    cores: int
    exchange: str
    hops: float
    bucket: float | None
    held: int

    @property
    def all_cores(self) -> int:
        return self.nodes * self.cores


def alone(cores: int) -> Case:
    """One node: its cores share memory and send nothing."""
    return Case(
        nodes=1, cores=cores, exchange="within the node", hops=0.0, bucket=None, held=cores * LOOK_AHEAD
    )


def sent_directly(nodes: int, cores: int) -> Case:
    """A bucket for each other core."""
    bucket = bucket_size(LOOK_AHEAD, nodes * cores - 1, LOOK_AHEAD)
    hops = (nodes - 1) / nodes
    held = nodes * cores * LOOK_AHEAD
    return Case(nodes=nodes, cores=cores, exchange="direct", hops=hops, bucket=bucket, held=held)


def routed(cores: int, shape: Shape) -> Case:
    """A bucket for each other node on the axes of a grid of nodes; only those to send are counted."""
    nodes = math.prod(shape)
    return Case(
        nodes=nodes,
        cores=cores,
        exchange=f"route {'x'.join(map(str, shape))}",
        hops=routed_hops(shape),
        bucket=bucket_size(LOOK_AHEAD, bucket_count(shape, -len(shape)), LOOK_AHEAD),
        held=nodes * cores * LOOK_AHEAD,
    )


def cases_of(nodes: int, cores: int) -> Iterator[Case]:
    """Direct sending, and routing over grids of nodes in two and three dimensions where there are such."""
    if nodes == 1:
        yield alone(cores)
        return
    yield sent_directly(nodes, cores)
    for dimensions in (2, 3):
        shape = cubic_shape(nodes, dimensions)
        if shape[0] > 1:
            yield routed(cores, shape)


def predicted(node: Node, case: Case, resident: float) -> Prediction:
    """The limits of a case; `resident` is the share of the table that caches hold.

    Raises GromaError (exit code 2) where the profile has no network and there are several nodes, or where the
    caches hold all of the table.
    """
    limits = [*_memory_limits(node, case, resident), *_network_limits(node, case, resident)]
    return Prediction(
        nodes=case.nodes,
        cores=case.all_cores,
        exchange=case.exchange,
        hops=case.hops,
        bucket=case.bucket,
        limits=sorted(limits, key=lambda limit: limit.rate.value),
    )


def _memory_limits(node: Node, case: Case, resident: float) -> Iterator[Limit]:
    missing = 1 - resident
    if missing <= 0:
        raise GromaError(
            "the caches hold the whole table, so memory is no limit",
            "use a table several times larger than the caches",
        )
    traffic = node.traffic_of(case.cores)
    lines = 2 * node.line * missing
    yield Limit(
        name=TRAFFIC,
        rate=_rate(product(traffic.rate, case.nodes), lines),
        formula=f"{case.nodes} x {traffic.kernel} traffic of {traffic.cores} cores / {lines:.4g} B",
    )
    if node.latency is not None:
        wait = f"({missing:.4g} x latency)" if resident else "latency"
        yield Limit(
            name="look-ahead over memory latency",
            rate=_rate(case.held / missing, node.latency),
            formula=f"{case.held} updates / {wait}",
        )


def _rate(above: Part, below: Part) -> Quantity:
    return quotient(above, below).quantity(RATE, "upper bound from the profile")


def _network_limits(node: Node, case: Case, resident: float) -> Iterator[Limit]:
    if case.nodes == 1:
        return
    layer = _needed(node.network, case.nodes)
    yield Limit(
        name="look-ahead over network latency",
        rate=_rate(case.held / case.hops, layer.latency),
        formula=f"{case.held} updates / ({case.hops:.3g} hops x latency)",
    )
    if layer.bandwidth is not None:
        sent = case.hops * UPDATE_BYTES
        yield Limit(
            name="network bandwidth",
            rate=_rate(product(layer.bandwidth, case.nodes), sent),
            formula=f"{case.nodes} x bandwidth of a node / {sent:.3g} B",
        )
    yield from _message_limits(node, layer, case, resident)


def _needed(network: Layer | None, nodes: int) -> Layer:
    if network is None:
        raise GromaError(
            f"the profile has no latency between nodes, so {nodes} nodes cannot be predicted",
            "survey the network on two nodes or more: groma survey --network, or predict one node",
        )
    return network


def _message_limits(node: Node, layer: Layer, case: Case, resident: float) -> Iterator[Limit]:
    """Equation 1: t_u from the traffic of one core, t_s = t_r = the overhead over updates of a message."""
    if layer.overhead is None or not case.bucket:
        return
    local = quotient(2 * node.line * (1 - resident), node.traffic_of(1).rate)
    travel = product(layer.overhead, 2 * case.hops / case.bucket)
    yield Limit(
        name="messages",
        rate=_rate(case.all_cores, total(local, travel)),
        formula=f"{case.all_cores} / (t_u + {case.hops:.3g} hops x 2 overheads / {case.bucket:.4g} updates)",
    )
