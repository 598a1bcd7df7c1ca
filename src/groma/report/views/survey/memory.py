"""Memory bandwidth from one core to all, latency under load, and which cores slow which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.facts.survey import LoadedLatency, SurveyFacts
from groma.record.units import format_ids, format_share, format_value
from groma.report.blocks import (
    Axis,
    DataTable,
    Figure,
    HeatMap,
    LineChart,
    Note,
    Point,
    Series,
    not_measured,
)
from groma.report.views.marks import expected_line, measured_line, point_at
from groma.report.views.registry import view
from groma.report.views.survey.borders import package_borders
from groma.report.words.node import contention as contention_words
from groma.report.words.text import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.survey import ContentionPair, GroupScaling, NodeFacts, ScalingPoint
    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks


# ---- bandwidth ---------------------------------------------------------------------------------------------


@view("memory", order=1, of=SurveyFacts)
def bandwidth(record: Record[SurveyFacts]) -> Blocks:
    memory = record.facts.node.memory
    scaling = memory.bandwidth if memory else {}
    if not scaling:
        return [not_measured("Memory bandwidth")]
    kernels = list(scaling)
    rows = [
        [kernel, one.cores, one.value, one.value.samples.n if one.value.samples else None]
        for kernel, points in scaling.items()
        for one in points
    ]
    return [
        Figure(
            id="bandwidth",
            title="Memory bandwidth over cores",
            what="Bytes per second that a kernel moves on all its cores together. Bars are intervals.",
            method=next((one.value.method for one in scaling[kernels[0]]), ""),
            drawing=LineChart(
                x=Axis(title="active cores"),
                y=Axis(title="bandwidth", unit="B/s"),
                series=[_kernel_line(kernel, scaling[kernel], kernels) for kernel in kernels],
            ),
            table=DataTable(columns=["kernel", "cores", "bandwidth", "samples"], rows=rows),
            data=scaling,
        )
    ]


_NON_TEMPORAL = re.compile(r"[_ -](nt|non_temporal|streaming)$")


def _kernel_line(kernel: str, points: Sequence[ScalingPoint], kernels: list[str]) -> Series:
    """A kernel and its variant with non-temporal stores share a colour."""
    plain = _NON_TEMPORAL.sub("", kernel)
    return Series(
        name=kernel,
        spread="bars",
        tone=kernels.index(plain if plain in kernels else kernel),
        dashed=plain != kernel,
        points=[point for one in points for point in point_at(one.cores, one.value)],
    )


# ---- latency under load ------------------------------------------------------------------------------------


@view("memory", order=2, of=SurveyFacts)
def loaded_latency(record: Record[SurveyFacts]) -> Blocks:
    memory = record.facts.node.memory
    points = memory.loaded_latency if memory else []
    if not points:
        return [not_measured("Loaded latency")]
    shares = sorted({one.read_fraction for one in points}, reverse=True)
    rows = [
        [
            format_share(one.read_fraction),
            one.bandwidth,
            one.latency,
            one.latency.samples.n if one.latency.samples else None,
        ]
        for one in points
    ]
    return [
        Figure(
            id="loaded-latency",
            title="Latency under load",
            what="Time of a dependent load on one core while the others produce the traffic on the "
            "horizontal axis. One line per share of reads. Bars are intervals.",
            method=points[0].latency.method,
            drawing=LineChart(
                x=Axis(title="injected bandwidth", unit="B/s"),
                y=Axis(title="time per load", unit="s"),
                series=[_share_line(share, tone, points) for tone, share in enumerate(shares)],
            ),
            table=DataTable(columns=["reads", "injected bandwidth", "latency", "samples"], rows=rows),
            data=points,
        )
    ]


def _share_line(share: float, tone: int, points: Sequence[LoadedLatency]) -> Series:
    own = sorted((one for one in points if one.read_fraction == share), key=lambda one: one.bandwidth.value)
    return Series(
        name=f"{format_share(share)} reads", spread="bars", tone=tone, points=[_loaded(one) for one in own]
    )


def _loaded(one: LoadedLatency) -> Point:
    latency, load = one.latency, one.bandwidth
    note = f"at {format_value(load.value, load.unit)}"
    return Point(x=load.value, y=latency.value, low=latency.low, high=latency.high, note=note)


# ---- contention --------------------------------------------------------------------------------------------


MOST_GROUPS = 16
"""Of more groups that slow each other only the number is given."""


MOST_LINES = 8
"""More lines than this hide each other; the table has all groups."""


@view("memory", order=4, of=SurveyFacts)
def contention_scaling(record: Record[SurveyFacts]) -> Blocks:
    """Bandwidth over the number of cores of each contention group."""
    memory = record.facts.node.memory
    groups = memory.contention_scaling if memory else []
    if not groups:
        return [not_measured("Bandwidth over the cores of a contention group")]
    rows: list[list[Cell]] = [
        [group.name, group.kind, point.cores, point.bandwidth, point.ratio, format_ids(point.placed)]
        for group in groups
        for point in group.points
    ]
    return [
        Figure(
            id="contention-scaling",
            title="Bandwidth over the cores of a contention group",
            what="Bytes per second of all cores of a group that stream at once. In parentheses: bandwidth of "
            "one core alone over that of each of them. Dashed: what the cores would move if none slowed "
            "another. Bars are intervals.",
            method=groups[0].points[0].bandwidth.method,
            drawing=LineChart(
                x=Axis(title="active cores of the group"),
                y=Axis(title="bandwidth together", unit="B/s"),
                series=[
                    *(_group_line(group, tone) for tone, group in enumerate(groups[:MOST_LINES])),
                    _without_contention(groups[0], len(groups[:MOST_LINES])),
                ],
            ),
            table=DataTable(
                columns=["group", "shares", "cores", "bandwidth together", "each slower by", "which"],
                rows=rows,
            ),
            data=groups,
        )
    ]


def _group_line(group: GroupScaling, tone: int) -> Series:
    points = [
        Point(
            x=one.cores,
            y=one.bandwidth.value,
            low=one.bandwidth.low,
            high=one.bandwidth.high,
            label=f"({one.ratio.value:.2f})",
        )
        for one in group.points
    ]
    return measured_line(f"cores {group.name}", tone, points)


def _without_contention(group: GroupScaling, tone: int) -> Series:
    alone, most = group.points[0].bandwidth.value, max(group.points, key=lambda one: one.bandwidth.value)
    end = min(group.points[-1].cores, max(2.0, 1.3 * most.bandwidth.value / alone))
    return expected_line("no contention", tone, [(1, alone), (end, end * alone)])


@view("memory", order=3, of=SurveyFacts)
def contention(record: Record[SurveyFacts]) -> Blocks:
    """Which cores slow which when both stream through memory."""
    memory = record.facts.node.memory
    pairs = memory.contention_pairs if memory else []
    groups = memory.contention_groups if memory else None
    notes = [] if groups is None else [Note(text=sentence(contention_words(groups, MOST_GROUPS)))]
    figure = _contention_figure(record.facts.node, pairs) if pairs else not_measured("Contention")
    return [figure, *notes]


def _contention_figure(node: NodeFacts, pairs: Sequence[ContentionPair]) -> Block:
    rows, columns = sorted({one.core for one in pairs}), sorted({one.other for one in pairs})
    found = {(one.core, one.other): one.ratio for one in pairs}
    return Figure(
        id="contention",
        title="Contention for memory",
        what="How many times faster a core streams alone than together with the other core. 1 means "
        "that they do not disturb each other.",
        method=pairs[0].ratio.method,
        drawing=HeatMap(
            row_title="core",
            column_title="other core",
            rows=[str(core) for core in rows],
            columns=[str(core) for core in columns],
            cells=[[found.get((row, column)) for column in columns] for row in rows],
            borders=package_borders(columns, node.cores),
        ),
    )
