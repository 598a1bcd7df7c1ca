"""The model of RandomAccess on a surveyed machine: what binds it, beside what a run measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from groma.facts.reading import read_record
from groma.model.calibration import Calibration, RoleLoad, calibration_of
from groma.model.limits import (
    LOOK_AHEAD,
    RATE,
    TRAFFIC,
    UPDATE_BYTES,
    Case,
    Limit,
    Prediction,
    alone,
    cases_of,
    predicted,
)
from groma.record import Advice, Quantity
from groma.stats.spans import difference, product, quotient

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from groma.model.node import Node

LIMIT_OF_A_NODE = {6, 8}
"""Mapping modes in which the look-ahead is that of a node (table 1 of the paper that may run)."""

NOTICEABLE = 0.1
"""Share of the table in caches from which a run says little about memory."""

_WARNINGS = {
    "model.exceeded": (
        "the run is faster than its bound: the profile comes from another time or machine",
        "survey again right before the run: groma survey --only memory_bandwidth,load_latency",
    ),
    "model.hosts": ("profile and run come from different hosts", "survey one of the machines of the run"),
    "model.errors": ("the run left wrong words in the table", "do not use its rate; find the cause first"),
    "model.failed": ("the run failed a check", "do not use its rate; find the cause first"),
    "model.resident": ("caches hold a large part of the table", "use a larger table to measure memory"),
}


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """A rate that helps to read the limits and bounds nothing, or a time."""

    name: str
    value: Quantity
    formula: str


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
    loads: list[RoleLoad] = []
    scaling: list[Prediction] = []
    warnings: list[Advice] = []


class ModelInput(msgspec.Struct, frozen=True, kw_only=True):
    """`cores` and bytes of the `table` are those of a node; None: a table too large for any cache."""

    cores: int
    table: float | None = None
    run: Calibration | None = None


def model_input_of(node: Node, record: Path | None, cores: int | None) -> ModelInput:
    """That of a run, or else of so many cores of a node, of all if None. Raises GromaError (exit code 2)."""
    if record is None:
        return ModelInput(cores=cores or node.cores)
    run = calibration_of(read_record(record), str(record))
    return ModelInput(
        cores=math.ceil(run.cores / run.nodes), table=UPDATE_BYTES * run.table / run.nodes, run=run
    )


def local_model(node: Node, model_input: ModelInput, nodes: Sequence[int] = ()) -> LocalModel:
    """The model of one run, or of one node without a run, and of further numbers of nodes.

    Raises GromaError (exit code 2) where the profile has no network and more than one node is asked for.
    """
    resident = _resident(node, model_input.table)
    prediction = predicted(node, _case(model_input), resident)
    bound = prediction.limits[0]
    run = model_input.run
    return LocalModel(
        model="randomaccess",
        processor=node.processor,
        line_bytes=node.line,
        table_bytes=None if model_input.table is None else model_input.table * prediction.nodes,
        resident=resident,
        prediction=prediction,
        bound=bound.rate,
        binds=bound.name,
        references=list(_references(node, prediction)),
        measured=run.rate if run else None,
        ratio=quotient(run.rate, bound.rate).quantity("ratio", "measured over bound") if run else None,
        parts=_parts(prediction, run) if run else [],
        loads=run.loads if run else [],
        scaling=[
            predicted(node, case, resident) for count in nodes for case in cases_of(count, model_input.cores)
        ],
        warnings=[
            *_warning_of_cores(node, model_input),
            *_warning_of_nodes(node, max(nodes, default=1)),
            *(_warnings(node, run, bound, resident) if run else []),
        ],
    )


def _resident(node: Node, table: float | None) -> float:
    return 0.0 if not table else min(1.0, node.cache / table)


def _case(model_input: ModelInput) -> Case:
    """An update of a run that belongs to another node leaves its own at least once, by any algorithm."""
    run = model_input.run
    if run is None:
        return alone(model_input.cores)
    on_each = run.nodes if run.mapping_mode in LIMIT_OF_A_NODE else run.cores
    return Case(
        nodes=run.nodes,
        cores=model_input.cores,
        exchange=run.algorithm or "unknown exchange",
        hops=(run.nodes - 1) / run.nodes,
        bucket=run.bucket,
        held=on_each * (run.look_ahead or LOOK_AHEAD),
    )


def _references(node: Node, prediction: Prediction) -> Iterator[Reference]:
    if node.latency is None:
        return
    yield Reference(
        name="one update at a time",
        value=quotient(prediction.cores, node.latency).quantity(RATE, "no overlap"),
        formula=f"{prediction.cores} / latency",
    )
    memory = _traffic_limit(prediction)
    yield Reference(
        name="updates in flight of a core",
        value=product(memory.rate, node.latency, 1 / prediction.cores).quantity("updates", "Little's law"),
        formula=f"limit of {TRAFFIC} x latency / {prediction.cores}",
    )


def _traffic_limit(prediction: Prediction) -> Limit:
    return next(limit for limit in prediction.limits if limit.name == TRAFFIC)


def _parts(prediction: Prediction, run: Calibration) -> list[Reference]:
    """Time of an update on one core: what memory takes at that number of cores, and the rest of it.

    The rest stands for t_g + t_s^o + t_p^o and for waiting, as the paper settles its overhead from one run.
    """
    each = quotient(run.cores, run.rate)
    moved = quotient(run.cores, _traffic_limit(prediction).rate)
    parts = [
        ("an update on one core", each, "cores / measured"),
        (TRAFFIC, moved, f"cores / limit of {TRAFFIC}"),
        ("generating, exchanging, waiting", difference(each, moved), "the difference"),
    ]
    return [
        Reference(name=name, value=span.quantity("s", formula), formula=formula)
        for name, span, formula in parts
        if span.value > 0
    ]


def _warning_of_cores(node: Node, model_input: ModelInput) -> Iterator[Advice]:
    """Traffic that more cores would have is not known: its limit is none where it still grows."""
    asked, measured = model_input.cores, node.cores
    if asked <= measured:
        return
    fewer = "" if model_input.run else f", or give --cores {measured}"
    yield Advice(
        code="model.cores",
        what=f"the memory traffic of {asked} cores was not measured, that of {measured} stands for it: "
        "the bound may be too low",
        next=f"survey all cores: groma survey --only memory_bandwidth{fewer}",
    )


def _warning_of_nodes(node: Node, asked: int) -> Iterator[Advice]:
    """Links that more nodes would share are not known."""
    if node.surveyed is None or asked <= node.surveyed:
        return
    yield Advice(
        code="model.nodes",
        what=f"the network was surveyed on {node.surveyed} nodes: {asked} nodes may have slower messages, "
        "and the bound may be too high",
        next="survey as many nodes as there are: groma survey --network",
    )


def _warnings(node: Node, run: Calibration, bound: Limit, resident: float) -> list[Advice]:
    possible = {
        "model.exceeded": run.rate.low > bound.rate.high,
        "model.hosts": bool(node.host and run.host and node.host != run.host),
        "model.errors": bool(run.errors),
        "model.failed": run.success is False and not run.errors,
        "model.resident": resident > NOTICEABLE,
    }
    return [
        Advice(code=code, what=_WARNINGS[code][0], next=_WARNINGS[code][1])
        for code in possible
        if possible[code]
    ]
