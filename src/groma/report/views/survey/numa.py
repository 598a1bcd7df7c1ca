"""Experiments on memory that another place owns: maps, curves by reader, steps, allocation, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.matrices import whole_matrix
from groma.facts.survey import SurveyFacts
from groma.record.counting import counted
from groma.record.units import format_value
from groma.report.blocks import (
    Axis,
    DataTable,
    DotAxis,
    Figure,
    Lane,
    LineChart,
    Option,
    Strip,
    StripChart,
    chosen_from,
    not_measured,
    table_figure,
)
from groma.report.views.marks import first_method, measured_line, point_at, shared_method, square_map
from groma.report.views.registry import view
from groma.report.views.survey.borders import MOST_DRAWN, by_node, node_borders, nodes_of, package_borders
from groma.report.words.node import (
    STEPS,
    experiments_of,
    ping_back_of,
    place_name,
    size_text,
    touches_of,
)
from groma.report.words.text import ABSENT, DASH, id_of
from groma.stats.quantiles import quantile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.matrices import Entry
    from groma.facts.survey import NodeFacts, Numa
    from groma.record import Quantity, Record
    from groma.report.blocks import Block, Cell, Point
    from groma.report.views.registry import Blocks
    from groma.report.words.node import Experiment

MOST_CURVES = 5
"""More curves hide each other; the paper shows four."""

_FEWEST_PLACES = 3
"""Fewer make no curve."""


@view("numa", order=1, of=SurveyFacts)
def numa(record: Record[SurveyFacts]) -> Blocks:
    facts = record.facts.node.numa
    experiments = experiments_of(facts) if facts else []
    if facts is None or not experiments:
        return [not_measured("Access to memory of other places")]
    maps = [Option(label=_title(one), figure=_map(record.facts, facts, one)) for one in experiments]
    curves = [
        Option(label=_title(one), figure=_curves(facts, one))
        for one in experiments
        if _has_curves(facts, one)
    ]
    return [
        *chosen_from("numa", "Experiment", maps),
        *chosen_from("numa-curves", "Curves of", curves),
        *_steps(facts),
        *_classes(facts),
        *_touches(facts),
    ]


def _title(one: Experiment) -> str:
    return one.name[0].upper() + one.name[1:]


def _map(whole: SurveyFacts, facts: Numa, one: Experiment) -> Figure:
    entries, labels, borders, aside = _drawn(whole, facts, one)
    place = "NUMA node" if aside else place_name(facts)
    return Figure(
        id=id_of("numa", one.name),
        title=_title(one),
        what=f"{one.what} {size_text(one.size)}{aside}{_aside(whole.node, facts)}",
        method=first_method(entry.quantity for entry in one.entries),
        drawing=square_map(
            f"owner ({place})",
            f"{one.reader} ({place})",
            labels,
            whole_matrix(entries, len(labels)),
            borders,
        ),
    )


def _drawn(
    whole: SurveyFacts, facts: Numa, one: Experiment
) -> tuple[Sequence[Entry], list[str], list[int], str]:
    """Entries, labels and borders; by NUMA node where there are too many cores, which the last words tell."""
    known = whole.node.cores
    if facts.over == "cores" and len(facts.places) > MOST_DRAWN:
        node_of = nodes_of(facts.places, known)
        nodes = sorted(set(node_of.values()))
        if len(nodes) > 1 and nodes == list(range(len(nodes))):
            entries = by_node(one.entries, facts.places, node_of)
            borders = node_borders(nodes, known, whole.declared)
            return (
                entries,
                [str(node) for node in nodes],
                borders,
                " By NUMA node: the median of its cores, with the smallest and the largest.",
            )
    borders = (
        package_borders(facts.places, known)
        if facts.over == "cores"
        else node_borders(facts.places, known, whole.declared)
    )
    return one.entries, [str(name) for name in facts.places], borders, ""


def _aside(node: NodeFacts, facts: Numa) -> str:
    one_node = facts.over == "cores" and len({core.numa for core in node.cores}) < 2
    return " This machine has one NUMA node, so places are cores." if one_node else ""


# ---- curves ------------------------------------------------------------------------------------------------


def _has_curves(facts: Numa, one: Experiment) -> bool:
    """Sampled machines have maps and no curves: a few points of a row are none."""
    return len(facts.places) >= _FEWEST_PLACES and 2 * len(one.entries) >= len(facts.places) ** 2


def _curves(facts: Numa, one: Experiment) -> Figure:
    """The time over the owners, a curve for each of some readers, as in the paper."""
    place = place_name(facts)
    owners = f"owner ({place})"
    chosen = _chosen(facts)
    names = [f"{one.reader} {facts.places[reader]}" for reader in chosen]
    by_reader = [
        {entry.row: entry.quantity for entry in one.entries if entry.column == reader} for reader in chosen
    ]
    series = [
        measured_line(name, tone, _points(facts.places, times))
        for tone, (name, times) in enumerate(zip(names, by_reader, strict=True))
    ]
    rows: list[list[Cell]] = [
        [name, *(times.get(i) for times in by_reader)] for i, name in enumerate(facts.places)
    ]
    return Figure(
        id=id_of("numa curves", one.name),
        title=f"{_title(one)}: time by owner",
        what=f"{one.what} {size_text(one.size)} Each curve is one {one.reader} ({place}).",
        method=first_method(entry.quantity for entry in one.entries),
        drawing=LineChart(x=Axis(title=owners), y=Axis(title="time", unit="s"), series=series),
        table=DataTable(columns=[owners, *names], rows=rows),
    )


def _points(places: Sequence[int], times: Mapping[int, Quantity]) -> list[Point]:
    return [point for i, time in sorted(times.items()) for point in point_at(places[i], time)]


def _chosen(facts: Numa) -> list[int]:
    """Indices of readers spread evenly over the places, and of a slow one."""
    count = len(facts.places)
    even = [i * count // min(count, MOST_CURVES - 1) for i in range(min(count, MOST_CURVES - 1))]
    slow = [facts.places.index(one.places[0]) for one in facts.slow[:1] if one.places]
    return sorted({*even, *slow})


# ---- the five steps ----------------------------------------------------------------------------------------


def _steps(facts: Numa) -> list[Block]:
    """Who reads in each step and how long it takes: the pairs as dots, their median with quartiles."""
    steps = [one for one in ping_back_of(facts) if one.entries]
    if not steps:
        return []
    lanes = {one.name: _lane([entry.quantity for entry in one.entries]) for one in steps}
    reported = dict(zip((one.name for one in ping_back_of(facts)), STEPS.values(), strict=True))
    pairs = counted(len(steps[0].entries), "pair")
    return [
        Figure(
            id="numa-ping-back",
            title="Ping-back: who pays for a foreign read",
            what=f"The five reads of one block in turn, over {pairs} of owner and other place. "
            f"{size_text(steps[0].size)} Bars are the medians over the pairs, lines their quartiles.",
            method=first_method(entry.quantity for entry in steps[0].entries),
            drawing=StripChart(
                x=DotAxis(title="time", unit="s"),
                strips=[Strip(name=reported[name][0], lanes=[lane]) for name, lane in lanes.items()],
                bars=True,
            ),
            table=DataTable(
                columns=["step", "what happens", "median", "lower quartile", "upper quartile"],
                rows=[[*reported[name], lane.value, lane.low, lane.high] for name, lane in lanes.items()],
                units=["", "", "s", "s", "s"],
            ),
            data={one.name: [entry.quantity.value for entry in one.entries] for one in steps},
        )
    ]


MOST_DOTS = 60


def _lane(times: Sequence[Quantity]) -> Lane:
    values = sorted(one.value for one in times)
    low, middle, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    step = max(1, len(values) // MOST_DOTS)
    return Lane(
        value=middle,
        low=low,
        high=high,
        dots=values[::step] if len(values) > 1 else (),
        text=format_value(middle, "s"),
    )


# ---- tables ------------------------------------------------------------------------------------------------


def _classes(facts: Numa) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            one.name,
            one.ratio,
            one.time_per_line,
            ", ".join(f"{distance:g}" for distance in one.declared_distance) or ABSENT,
            len(one.pairs),
            _examples(one.pairs),
        ]
        for one in facts.classes
    ]
    slow = "".join(f" Slow {one.kind} {one.number} is left out." for one in facts.slow)
    columns = ["class", "times local", "per line", "declared distance", "pairs", "for example"]
    return table_figure(
        "numa-classes",
        "Distance classes",
        f"Pairs of owner and reader whose reads cost about the same, nearest first.{slow}",
        DataTable(columns=columns, rows=rows),
        method=facts.classes[0].ratio.method if facts.classes else "",
    )


def _examples(pairs: Sequence[tuple[int, int]]) -> str:
    shown = ", ".join(f"{one}{DASH}{other}" for one, other in pairs[:4])
    return f"{shown}, …" if len(pairs) > 4 else shown


def _touches(facts: Numa) -> list[Block]:
    ways = touches_of(facts)
    if not ways:
        return []
    place = place_name(facts)
    rows = [
        [name, *(cells[number] if number < len(cells) else None for cells in ways.values())]
        for number, name in enumerate(facts.places)
    ]
    size = f" Blocks of {format_value(facts.touched_bytes, 'B')}." if facts.touched_bytes else ""
    return [
        Figure(
            id="numa-allocation",
            title="Allocation and first touch",
            what=f"Parallel allocation, then the first and the second write to each page, by {place}. All "
            f"cores act at once unless noted.{size}",
            table=DataTable(columns=[place, *ways], rows=rows),
            method=shared_method(cell for cells in ways.values() for cell in cells),
            drawing=_touch_chart(facts, ways),
            data={"places": facts.places, **ways},
        )
    ]


def _touch_chart(facts: Numa, ways: Mapping[str, Sequence[Quantity | None]]) -> LineChart | None:
    """Curves over the places, as in the paper; none of a few places."""
    if len(facts.places) < _FEWEST_PLACES:
        return None
    series = [
        measured_line(
            name, tone, _points(facts.places, {i: cell for i, cell in enumerate(cells) if cell is not None})
        )
        for tone, (name, cells) in enumerate(ways.items())
    ]
    return LineChart(
        x=Axis(title=place_name(facts)), y=Axis(title="time", unit="s", scale="log10"), series=series
    )
