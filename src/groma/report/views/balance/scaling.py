"""The paper's figures 2, 3 and 7 to 9: what systems do of a test, and its ratio to HPL, over their HPL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.balance.ratios import HPL, RATIOS, TITLES
from groma.balance.scaling import platforms_of
from groma.facts.balance import BalanceFacts
from groma.record.counting import counted
from groma.report.blocks import (
    Axis,
    Choice,
    DataTable,
    Figure,
    LineChart,
    Option,
    Point,
    Series,
    table_figure,
)
from groma.report.quantities import shown
from groma.report.views.registry import view
from groma.report.words.balance import title_over_hpl
from groma.report.words.text import value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.balance import Reading, System
    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks

MOST_CURVES = 12
"""More lines with names of their own cannot be distinguished."""


FEWEST_SYSTEMS = 2
"""One point shows no scaling; the table of ratios has its value."""


class AccumulationFigure(NamedTuple):
    """A figure of the paper, and what it accumulates."""

    number: int
    names: tuple[str, ...]
    title: str


FIGURES = (
    AccumulationFigure(2, ("random_ring",), "Random ring bandwidth"),
    AccumulationFigure(3, ("stream_copy", "stream_triad"), "Stream bandwidth"),
    AccumulationFigure(7, ("fft",), "Global FFT"),
    AccumulationFigure(8, ("natural_ring",), "Natural ring bandwidth"),
    AccumulationFigure(9, ("ptrans",), "PTRANS bandwidth"),
)

_UNITS = {one.name: one.unit for one in RATIOS}


@view("scaling", order=0, of=BalanceFacts)
def scaling(record: Record[BalanceFacts]) -> Blocks:
    facts = record.facts
    blocks = [block for one in FIGURES for block in _figure(one, facts.systems)]
    return [*blocks, *_readings(facts.readings)]


def _figure(wanted: AccumulationFigure, systems: Sequence[System]) -> list[Block]:
    having = {name: [one for one in systems if _has(one, name)] for name in wanted.names}
    options = [
        option
        for name, able in having.items()
        if len(able) >= FEWEST_SYSTEMS
        for option in _options(wanted, name, able)
    ]
    return [Choice(id=f"balance-figure{wanted.number}", label="Show", options=options)] if options else []


def _has(system: System, name: str) -> bool:
    """Nothing is a share of an HPL of 0."""
    hpl = system.accumulated.get(HPL)
    return hpl is not None and hpl.value > 0 and name in system.accumulated


class _Scale(NamedTuple):
    """How a figure shows a system: the whole, or over HPL."""

    words: str
    unit: str
    axis: str
    of: Callable[[System, str], float]


def _options(wanted: AccumulationFigure, name: str, able: Sequence[System]) -> list[Option]:
    whole_unit = able[0].accumulated[name].unit
    scales = (
        _Scale("of the whole system, logarithmic", whole_unit, "log10", _whole),
        _Scale("ratio to HPL, linear", _UNITS[name], "linear", _over_hpl),
    )
    what = TITLES[name] if len(wanted.names) > 1 else wanted.title
    return [Option(label=f"{what}, {one.words}", figure=_chart(wanted, name, one, able)) for one in scales]


def _whole(system: System, name: str) -> float:
    return system.accumulated[name].value


def _over_hpl(system: System, name: str) -> float:
    return 1000 * system.accumulated[name].value / system.accumulated[HPL].value


def _chart(wanted: AccumulationFigure, name: str, scale: _Scale, systems: Sequence[System]) -> Figure:
    kind = "accumulated" if scale.axis == "log10" else "ratio"
    return Figure(
        id=f"balance-{name.replace('_', '-')}-{kind}",
        title=f"{TITLES[name]} over HPL: {kind}",
        what=f"The paper's figure {wanted.number}. A line joins the systems of one platform; a level ratio "
        "means that the platform scales. Point at a mark for its name.",
        method="What each process does is multiplied by the number of processes. HPL is logarithmic in both.",
        drawing=LineChart(
            x=Axis(title="HPL", unit="flop/s", scale="log10"),
            y=Axis(title=TITLES[name], unit=scale.unit, scale="log10" if kind == "accumulated" else "linear"),
            series=_series(systems, name, scale),
        ),
        table=DataTable(
            columns=["platform", "system", "HPL", TITLES[name]],
            rows=[_row(one, name, scale) for one in systems],
            units=["", "", "flop/s", scale.unit],
        ),
    )


def _row(system: System, name: str, scale: _Scale) -> list[Cell]:
    return [system.platform, system.name, system.accumulated[HPL].value, scale.of(system, name)]


def _series(systems: Sequence[System], name: str, scale: _Scale) -> list[Series]:
    """Curves of platforms with several systems; the others as marks, those of the user by themselves."""
    curves, single = _curves(systems)
    lines = [
        Series(
            name=platform,
            tone=tone,
            dashed=own[0].reference,
            points=[_point(one, name, scale) for one in own],
        )
        for tone, (platform, own) in enumerate(curves)
    ]
    marks = [
        Series(
            name=f"{title} ({counted(len(group), 'system')})",
            tone=len(lines) + place,
            joined=False,
            points=[_point(one, name, scale) for one in group],
        )
        for place, (title, reference) in enumerate((("yours, single", False), ("reference, single", True)))
        if (group := [one for one in single if one.reference is reference])
    ]
    return [*lines, *marks]


def _curves(systems: Sequence[System]) -> tuple[list[tuple[str, list[System]]], list[System]]:
    """The user's platforms first, then those with the most systems."""
    platforms = platforms_of(systems)
    several = [(name, own) for name, own in platforms.items() if len(own) > 1]
    several.sort(key=lambda one: (one[1][0].reference, -len(one[1])))
    curves = several[:MOST_CURVES]
    kept = {name for name, _ in curves}
    return curves, [one for name, own in platforms.items() if name not in kept for one in own]


def _point(system: System, name: str, scale: _Scale) -> Point:
    note = f"{system.name}, HPL {value_text(system.accumulated[HPL])}"
    return Point(x=system.accumulated[HPL].value, y=scale.of(system, name), note=note)


def _readings(readings: Sequence[Reading]) -> list[Block]:
    at = value_text(readings[0].at) if readings else ""
    rows = [
        [one.platform, title_over_hpl(one.ratio), shown(one.value), " to ".join(one.between)]
        for one in readings
    ]
    return table_figure(
        "balance-readings",
        f"Platforms at {at}",
        "The ratio to HPL that the curve of each platform has at this speed. Nothing is extrapolated.",
        DataTable(columns=["platform", "test", "ratio to HPL", "between"], rows=rows),
        method="Straight lines between neighbouring systems on logarithmic axes. The paper reads its "
        "figure 2 at 3 Tflop/s; --at chooses another speed.",
    )
