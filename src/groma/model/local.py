"""The model of RandomAccess on a surveyed machine: what binds it, beside what a run measured.

Limits are upper bounds of all ranks together: they know nothing of generating, routing or waiting. Messages
follow equation 1, the look-ahead section 2 of HPCC RandomAccess Benchmark for Next Generation Supercomputers;
memory moves a line in and a line out for each update.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.model.calibration import Calibration, calibration_of
from groma.model.equations import bucket_count, bucket_size
from groma.model.intervals import Part, difference, product, quotient, total
from groma.model.torus import Shape, routed_hops, torus_shape
from groma.record import Advice, Quantity
from groma.record.io import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from groma.model.node import Layer, Node

LOOK_AHEAD = 1024
"""Updates that a rank may hold back (section 2 of the paper)."""

UPDATE_BYTES = 8

RATE = "update/s"

TRAFFIC = "memory traffic"

NOTICEABLE = 0.1
"""Share of the table in caches from which a run says little about memory."""

_WARNINGS = {
    "model.exceeded": (
        "the run is faster than its bound: the profile is of another time or machine",
        "survey again right before the run: groma survey --only memory_bandwidth,load_latency",
    ),
    "model.hosts": ("profile and run come from different hosts", "survey a machine of the run"),
    "model.errors": ("the run left wrong words in the table", "its rate means nothing: find the cause first"),
    "model.resident": ("caches hold a good part of the table", "run a larger table to measure memory"),
}


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """One upper bound of all ranks together, in update/s, and the formula that gives it."""

    name: str
    rate: Quantity
    formula: str


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """A rate that helps to read the limits and bounds nothing, or a time."""

    name: str
    value: Quantity
    formula: str


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """`ranks` on `nodes` machines, whose updates travel in `hops` messages between nodes on average.

    `bucket` are the updates of a message, None where they are not known. The first of the
    `limits` binds: they are sorted.
    """

    nodes: int
    ranks: int
    exchange: str
    hops: float
    bucket: float | None
    limits: list[Limit]


class LocalModel(msgspec.Struct, frozen=True, kw_only=True):
    """`resident` is the share of the table that the caches hold. `ratio` is measured over bound.

    `parts` say where the time of an update goes on one rank, as far as profile and run tell.
    """

    model: str
    processor: str | None
    line_bytes: int
    table_bytes: float | None
    resident: float
    prediction: Prediction
    bound: Quantity
    binds: str
    references: list[Reference]
    measured: Quantity | None = None
    ratio: Quantity | None = None
    parts: list[Reference] = []
    loads: dict[str, Quantity] = {}
    scaling: list[Prediction] = []
    warnings: list[Advice] = []


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """`ranks` and bytes of the `table` are those of a node; None: a table too large for any cache."""

    ranks: int
    table: float | None = None
    run: Calibration | None = None


def question_of(node: Node, record: Path | None, ranks: int | None) -> Question:
    """That of a run, or else of so many ranks, as many as cores if None. Raises GromaError (exit code 2)."""
    if record is None:
        return Question(ranks=ranks or node.cores)
    run = calibration_of(read_record(record), str(record))
    return Question(
        ranks=math.ceil(run.ranks / run.nodes), table=UPDATE_BYTES * run.table / run.nodes, run=run
    )


def local_model(node: Node, question: Question, nodes: Sequence[int] = ()) -> LocalModel:
    """The model of one run, or of one node without a run, and of further numbers of nodes.

    Raises GromaError (exit code 2) where the profile has no network and more than one node is asked for.
    """
    resident = _resident(node, question.table)
    prediction = _of_run(node, question, resident)
    bound = prediction.limits[0]
    run = question.run
    return LocalModel(
        model="randomaccess",
        processor=node.processor,
        line_bytes=node.line,
        table_bytes=None if question.table is None else question.table * prediction.nodes,
        resident=resident,
        prediction=prediction,
        bound=bound.rate,
        binds=bound.name,
        references=list(_references(node, prediction)),
        measured=run.rate if run else None,
        ratio=quotient(run.rate, bound.rate).quantity("ratio", "measured over bound") if run else None,
        parts=_parts(prediction, run) if run else [],
        loads=run.loads if run else {},
        scaling=[one for count in nodes for one in _scaled(node, question, count, resident)],
        warnings=_warnings(node, run, bound, resident) if run else [],
    )


def _resident(node: Node, table: float | None) -> float:
    return 0.0 if not table else min(1.0, node.cache / table)


def _of_run(node: Node, question: Question, resident: float) -> Prediction:
    run = question.run
    count = run.nodes if run else 1
    away = (count - 1) / count
    bucket = run.bucket if run else None
    exchange = (run.algorithm if run else None) or ("direct" if count > 1 else "within the node")
    return _predicted(node, _Case(count, question.ranks, exchange, away, bucket), resident)


def _scaled(node: Node, question: Question, count: int, resident: float) -> Iterator[Prediction]:
    """Direct sending, and routing over grids of nodes in two and three dimensions where there are such."""
    yield _predicted(node, _sent_directly(count, question.ranks), resident)
    for dimensions in (2, 3):
        shape = torus_shape(count, dimensions)
        if shape[0] > 1:
            yield _predicted(node, _routed(question.ranks, shape), resident)


class _Case(msgspec.Struct, frozen=True):
    """`hops` counts messages between nodes only: ranks of one node share memory."""

    nodes: int
    per_node: int
    exchange: str
    hops: float
    bucket: float | None

    @property
    def ranks(self) -> int:
        return self.nodes * self.per_node


def _sent_directly(nodes: int, per_node: int) -> _Case:
    """A bucket for each other rank."""
    bucket = bucket_size(LOOK_AHEAD, max(1, nodes * per_node - 1), LOOK_AHEAD)
    return _Case(nodes, per_node, "direct", (nodes - 1) / nodes, bucket)


def _routed(per_node: int, shape: Shape) -> _Case:
    """A bucket for each other node on the axes: ranks of a node share memory. Only those to send count."""
    bucket = bucket_size(LOOK_AHEAD, bucket_count(shape, -len(shape)), LOOK_AHEAD)
    name = f"route {'x'.join(map(str, shape))}"
    return _Case(math.prod(shape), per_node, name, routed_hops(shape), bucket)


def _predicted(node: Node, case: _Case, resident: float) -> Prediction:
    limits = [*_memory_limits(node, case, resident), *_network_limits(node, case)]
    return Prediction(
        nodes=case.nodes,
        ranks=case.ranks,
        exchange=case.exchange,
        hops=case.hops,
        bucket=case.bucket,
        limits=sorted(limits, key=lambda limit: limit.rate.value),
    )


def _memory_limits(node: Node, case: _Case, resident: float) -> Iterator[Limit]:
    missing = 1 - resident
    if missing <= 0:
        raise GromaError(
            "the caches hold the whole table: memory does not bind it",
            "run a table of several times the caches",
        )
    traffic = node.traffic_of(case.per_node)
    lines = 2 * node.line * missing
    yield Limit(
        name=TRAFFIC,
        rate=_rate(product(traffic.rate, case.nodes), lines),
        formula=f"{case.nodes} x {traffic.kernel} traffic of {traffic.cores} cores / {lines:.4g} B",
    )
    if node.latency is not None:
        yield Limit(
            name="look-ahead over memory latency",
            rate=_rate(case.ranks * LOOK_AHEAD / missing, node.latency),
            formula=f"{case.ranks} x {LOOK_AHEAD} / latency",
        )


def _rate(above: Part, below: Part) -> Quantity:
    return quotient(above, below).quantity(RATE, "upper bound from the profile")


def _network_limits(node: Node, case: _Case) -> Iterator[Limit]:
    if case.nodes == 1:
        return
    layer = _needed(node.network, case.nodes)
    yield Limit(
        name="look-ahead over network latency",
        rate=_rate(case.ranks * LOOK_AHEAD / case.hops, layer.latency),
        formula=f"{case.ranks} x {LOOK_AHEAD} / ({case.hops:.3g} hops x latency)",
    )
    if layer.bandwidth is not None:
        sent = case.hops * UPDATE_BYTES
        yield Limit(
            name="network bandwidth",
            rate=_rate(product(layer.bandwidth, case.nodes), sent),
            formula=f"{case.nodes} x bandwidth of a node / {sent:.3g} B",
        )
    yield from _message_limits(node, layer, case)


def _needed(network: Layer | None, nodes: int) -> Layer:
    if network is None:
        raise GromaError(
            f"the profile has no network layers, {nodes} nodes cannot be predicted",
            "survey the network under MPI, or ask for one node",
        )
    return network


def _message_limits(node: Node, layer: Layer, case: _Case) -> Iterator[Limit]:
    """Equation 1: t_u from the traffic of one core, t_s = t_r = the overhead over updates of a message."""
    if layer.overhead is None or not case.bucket:
        return
    local = quotient(2 * node.line, node.traffic_of(1).rate)
    travel = product(layer.overhead, 2 * case.hops / case.bucket)
    yield Limit(
        name="messages",
        rate=_rate(case.ranks, total(local, travel)),
        formula=f"{case.ranks} / (t_u + {case.hops:.3g} hops x 2 overheads / {case.bucket:.4g} updates)",
    )


def _references(node: Node, prediction: Prediction) -> Iterator[Reference]:
    if node.latency is None:
        return
    yield Reference(
        name="one update at a time",
        value=quotient(prediction.ranks, node.latency).quantity(RATE, "no overlap"),
        formula=f"{prediction.ranks} / latency",
    )
    in_flight = quotient(product(node.traffic_of(1).rate, node.latency), node.line)
    yield Reference(
        name="lines in flight of one core",
        value=in_flight.quantity("lines", "Little's law"),
        formula="traffic x latency / line",
    )


def _parts(prediction: Prediction, run: Calibration) -> list[Reference]:
    """Time of an update on one rank: what memory takes at that number of ranks, and the rest of it.

    The rest stands for t_g + t_s^o + t_p^o and for waiting, as the paper settles its overhead from one run.
    """
    each = quotient(run.ranks, run.rate)
    memory = next(limit for limit in prediction.limits if limit.name == TRAFFIC)
    moved = quotient(run.ranks, memory.rate)
    parts = [
        ("an update on one rank", each, "ranks / measured"),
        (TRAFFIC, moved, f"ranks / limit of {TRAFFIC}"),
        ("generating, exchanging, waiting", difference(each, moved), "the difference"),
    ]
    return [
        Reference(name=name, value=span.quantity("s", formula), formula=formula)
        for name, span, formula in parts
        if span.value > 0
    ]


def _warnings(node: Node, run: Calibration, bound: Limit, resident: float) -> list[Advice]:
    possible = {
        "model.exceeded": run.rate.low > bound.rate.high,
        "model.hosts": bool(node.host and run.host and node.host != run.host),
        "model.errors": bool(run.errors),
        "model.resident": resident > NOTICEABLE,
    }
    return [
        Advice(code=code, what=_WARNINGS[code][0], next=_WARNINGS[code][1])
        for code in possible
        if possible[code]
    ]
