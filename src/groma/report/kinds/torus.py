"""The sections of a simulated run on a torus on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.interconnect.lattice import coordinates
from groma.record.units import format_beside, format_number, format_quantity, format_value
from groma.report.document import Pairs, StyledText
from groma.report.terminal import Blocks, Sections, add_common_sections, table
from groma.report.words.torus import (
    direction_names,
    fills_torus,
    parameter_text,
    run_title,
    share_text,
    source_text,
    value_rows,
    whole_source,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.torus import SimulatedWith, TorusFacts
    from groma.record import Record
    from groma.report.document import Cell

SECTIONS = Sections()

Items = list[tuple[str, "Cell"]]


@SECTIONS.section("result", "Simulated run", "facts")
def result(record: Record[TorusFacts]) -> Blocks:
    facts = record.facts
    items: Items = [("run", run_title(facts))]
    if facts.gups is not None:
        items.append(("RandomAccess", StyledText(format_quantity(facts.gups), "strong")))
    if facts.bandwidth is not None:
        items.append(("bandwidth", StyledText(format_quantity(facts.bandwidth), "strong")))
    items.append(("simulated time", format_quantity(facts.time)))
    items.append(("packets", f"{facts.packets:,}, {_hops(facts)} hops each"))
    if facts.updates:
        items.append(("updates", _updates(facts)))
    if facts.latency is not None:
        items.append(("latency", _latency(facts)))
    if facts.links is not None:
        busy = facts.links
        items.append(
            ("links busy", f"{share_text(busy.mean)} ({share_text(busy.min)} to {share_text(busy.max)})")
        )
    items.append(("token stalls", f"{share_text(facts.stalls.share)} of the time of all links"))
    return [Pairs(items)]


def _hops(facts: TorusFacts) -> str:
    return format_number(facts.packet_hops / facts.packets) if facts.packets else "0"


def _updates(facts: TorusFacts) -> str:
    each = f" in buckets of {facts.bucket}" if facts.bucket else ""
    return f"{facts.updates:,}{each}"


def _latency(facts: TorusFacts) -> str:
    found = facts.latency
    assert found is not None  # noqa: S101 - asked before
    summary = found.median.samples
    p95 = f", 95 % below {format_beside(summary.p95, found.median)}" if summary else ""
    return f"median {format_quantity(found.median)}{p95}, longest {format_quantity(found.longest)}"


@SECTIONS.section("loads", "Work of the cores", "facts", "loads")
def loads(record: Record[TorusFacts]) -> Blocks:
    most = max((one.busy for one in record.facts.loads), default=0.0)
    rows: list[list[Cell]] = [
        [one.role, share_text(one.busy), StyledText("busiest", "warn") if one.busy == most else ""]
        for one in record.facts.loads
    ]
    return table(["role", ">busy", ""], rows)


@SECTIONS.section("links", "Links by direction", "facts", "links")
def links(record: Record[TorusFacts]) -> Blocks:
    facts = record.facts
    busy = facts.links.by_direction if facts.links else []
    stalled = facts.stalls.by_direction
    rows: list[list[Cell]] = [
        [
            name,
            share_text(busy[number]) if number < len(busy) else "",
            share_text(stalled[number]) if number < len(stalled) else "",
        ]
        for number, name in enumerate(direction_names(facts.axes))
        if number < max(len(busy), len(stalled))
    ]
    return table(["direction", ">busy", ">stalled"], rows)


@SECTIONS.section("values", "Further numbers", "facts", "values")
def values(record: Record[TorusFacts]) -> Blocks:
    return table(["name", ">value", "unit", "meaning"], value_rows(record.facts.values))


@SECTIONS.section("surveyed", "From the profile", "facts", "parameters")
def surveyed(record: Record[TorusFacts]) -> Blocks:
    return _parameters(record.facts.surveyed)


@SECTIONS.section("assumed", "Assumed, for want of a source", "facts", "parameters")
def assumed(record: Record[TorusFacts]) -> Blocks:
    return _parameters(record.facts.assumed)


@SECTIONS.section("parameters", "All parameters", "facts", "parameters", at_a_glance=False)
def parameters(record: Record[TorusFacts]) -> Blocks:
    return _parameters(record.facts.parameters, whole_source)


def _parameters(some: list[SimulatedWith], source: Callable[[SimulatedWith], str] = source_text) -> Blocks:
    rows: list[list[Cell]] = [[one.name, parameter_text(one), source(one)] for one in some]
    return table(["parameter", ">value", "source"], rows)


@SECTIONS.section("nodes", "Nodes: coordinates, links busy and stalled", "facts", "links", at_a_glance=False)
def nodes(record: Record[TorusFacts]) -> Blocks:
    """One row for each node, as tools that draw a torus read it."""
    facts = record.facts
    if facts.links is None or not fills_torus(facts, facts.links.nodes):
        return ()
    rows: list[list[Cell]] = []
    for node, busy in enumerate(facts.links.nodes):
        stalled = facts.stalls.nodes[node] if node < len(facts.stalls.nodes) else []
        mean = [format_number(sum(some) / len(some)) if some else "" for some in (busy, stalled)]
        rows.append([*map(str, coordinates(tuple(facts.shape), node)), *mean])
    return table([*(f">{axis}" for axis in facts.axes), ">busy", ">stalled"], rows)


@SECTIONS.section("simulator", "The simulation itself", "facts", "simulator", at_a_glance=False)
def simulator(record: Record[TorusFacts]) -> Blocks:
    cost = record.facts.simulator
    if cost is None:
        return ()
    speed = cost.packet_hops_per_second
    items: Items = [
        ("wall time", format_value(cost.wall, "s")),
        ("threads", str(cost.threads)),
        ("packet-hops", "-" if speed is None else format_value(speed, "/s")),
        ("memory of a node", format_value(cost.memory_per_node, "B")),
    ]
    return [Pairs(items)]


add_common_sections(SECTIONS)
