"""How steady the figures were: every sample beside its median, and in the order of the repetitions."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from groma.record.units import format_share, format_value
from groma.report.blocks import (
    Axis,
    DataTable,
    DotAxis,
    Figure,
    Lane,
    LineChart,
    Option,
    Point,
    Series,
    Strip,
    StripChart,
    chosen_from,
)
from groma.report.views.comparing import scale_of
from groma.report.views.registry import view
from groma.report.views.run.model import run_of
from groma.report.views.run.sampled import figure_series, label
from groma.report.words.launch import label_words
from groma.report.words.suite import name_of_test
from groma.report.words.text import MINUS, id_of, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.report.blocks import Cell
    from groma.report.series import PageSeries
    from groma.report.views.registry import Blocks
    from groma.report.views.run.sampled import Sampled

MOST_LINES = 14

_MAIN_LABELS = {"unit", "series", "mode"}
_COLUMNS = ("test", "figure", "mode", "repetition", "slowest rank", "sample", "fastest rank")

_CONDITIONS = {"start_skew", "clock_uncertainty"}
"""What tells under which conditions messages were measured; it is no figure of the suite."""


@view("results", order=2, of=object)
def samples(record: Record[Any]) -> Blocks:
    if run_of(record) is None:
        return []
    every = [one for one in figure_series(record) if one.means]
    main = [one for one in every if _is_main(one)]
    return [_steadiness(every, main), *_repetitions(main)] if every else []


def _is_main(one: Sampled) -> bool:
    """Other buffers and single sizes of messages would double the rows: they are in the tables."""
    beside = {"buffers", "bytes"} & one.series.labels.keys()
    return not beside and label(one.series, "series") not in _CONDITIONS


# ---- beside the median -------------------------------------------------------------------------------------


def _steadiness(every: Sequence[Sampled], main: Sequence[Sampled]) -> Figure:
    main = [one for one in main if statistics.median(one.means)]  # nothing is relative to zero
    strips = [Strip(name=name, lanes=[_lane(one)]) for name, one in zip(_names(main), main, strict=True)]
    return Figure(
        id="steadiness",
        title="Samples of each figure",
        what="Each dot is one repetition relative to the median of its figure. For star figures it is "
        "the mean over the ranks. The bar reaches from the lowest to the highest. Warm-ups are "
        "excluded.",
        drawing=StripChart(
            x=DotAxis(title="sample over median", unit="ratio", scale=scale_of(strips), close=True),
            strips=strips,
            marks=[1],
        ),
        table=DataTable(columns=_COLUMNS, rows=[row for one in every for row in _rows(one)]),
    )


def _names(every: Sequence[Sampled]) -> list[str]:
    """Of each, with labels only where the name alone is not enough."""
    times = Counter(map(_short_name, every))
    return [
        name if times[name := _short_name(one)] == 1 else f"{name}, {_detail(one.series)}" for one in every
    ]


def _short_name(one: Sampled) -> str:
    return f"{one.name}, {label(one.series, 'mode')}"


def _detail(series: PageSeries) -> str:
    return label_words({name: value for name, value in series.labels.items() if name not in _MAIN_LABELS})


def _lane(one: Sampled) -> Lane:
    median = statistics.median(one.means)
    dots = [mean / median for mean in one.means]
    low, high = min(dots), max(dots)
    spread = f"{MINUS}{format_share(1 - low)} +{format_share(high - 1)}, n {len(dots)}"
    words = spread if len(dots) > 1 else "one sample"
    text = f"{format_value(median, label(one.series, 'unit'))}, {words}"
    return Lane(value=1, low=low, high=high, dots=dots, text=text)


def _rows(one: Sampled) -> list[list[Cell]]:
    unit = label(one.series, "unit")
    name = joined(label(one.series, "series"), _detail(one.series))
    several = len(one.series.members) > 1
    return [
        [
            name_of_test(one.test),
            name,
            label(one.series, "mode"),
            number,
            format_value(low, unit) if several else None,
            format_value(mean, unit),
            format_value(high, unit) if several else None,
        ]
        for number, (low, mean, high) in enumerate(one.series.repetitions, start=1)
    ]


# ---- in the order of time ----------------------------------------------------------------------------------


def _repetitions(main: Sequence[Sampled]) -> Blocks:
    """One figure per test and unit: drift, warm-up and outliers show."""
    groups: dict[tuple[str, str], list[Sampled]] = {}
    for one in main:
        groups.setdefault((name_of_test(one.test), label(one.series, "unit")), []).append(one)
    options = [
        Option(label=f"{test} ({unit})", figure=_repetition_figure(test, unit, group))
        for (test, unit), group in groups.items()
    ]
    return chosen_from("repetitions", "Repetitions of", options)


def _repetition_figure(test: str, unit: str, group: Sequence[Sampled]) -> Figure:
    drawn = group[:MOST_LINES]
    rest = f" The first {len(drawn)} of {len(group)} are drawn." if len(group) > len(drawn) else ""
    return Figure(
        id=id_of("repetitions", test, unit),
        title=f"Repetitions of {test} ({unit})",
        what="Samples in the order in which they were taken; bars reach from the slowest to the fastest "
        f"rank.{rest}",
        drawing=LineChart(
            x=Axis(title="repetition"),
            y=Axis(title=f"{test} ({unit})", unit=unit),
            series=[
                _repetition_line(one, name, tone)
                for tone, (name, one) in enumerate(zip(_names(group), drawn, strict=False))
            ],
        ),
        table=DataTable(columns=_COLUMNS, rows=[row for one in group for row in _rows(one)]),
    )


def _repetition_line(one: Sampled, name: str, tone: int) -> Series:
    several = len(one.series.members) > 1
    points = [
        Point(x=number, y=mean, low=low if several else None, high=high if several else None)
        for number, (low, mean, high) in enumerate(one.series.repetitions, start=1)
    ]
    return Series(name=name, tone=tone, dashed=tone >= 7, spread="bars" if several else "none", points=points)
