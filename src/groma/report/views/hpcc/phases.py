"""Where the time of HPL went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.hpcc import HpccFacts
from groma.record.units import format_value
from groma.report.blocks import DataTable, DotAxis, Figure, Lane, Option, Strip, StripChart, chosen_from
from groma.report.views.registry import view
from groma.report.views.run.sampled import label, series_in, spreads_of
from groma.report.words.suite import series_name
from groma.report.words.text import id_of

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.views.registry import Blocks
    from groma.report.views.run.sampled import Spread


@view("results", order=4, of=HpccFacts)
def phases(record: Record[HpccFacts]) -> Blocks:
    cases: dict[str, dict[str, Spread]] = {}
    for _, series in series_in(record):
        if "phase" in series.labels:
            cases.setdefault(label(series, "series"), {})[label(series, "phase")] = spreads_of(series)[0]
    options = [
        Option(label=series_name("hpl", name), figure=_figure(name, found)) for name, found in cases.items()
    ]
    return chosen_from("hpcc-phases", "Phases of", options)


def _figure(name: str, phases: dict[str, Spread]) -> Figure:
    return Figure(
        id=id_of("hpcc phases", name),
        title=f"Phases of {series_name('hpl', name)}",
        what="Time of each phase in a repetition: median, from the shortest to the longest.",
        drawing=StripChart(
            x=DotAxis(title="time of a repetition", unit="s"),
            strips=[Strip(name=phase, lanes=[_lane(spread)]) for phase, spread in phases.items()],
            bars=True,
        ),
        table=DataTable(
            columns=["phase", "median", "shortest", "longest"],
            rows=[[phase, *spread.words("s")] for phase, spread in phases.items()],
        ),
    )


def _lane(spread: Spread) -> Lane:
    low, median, high = spread
    text = f"{format_value(median, 's')} [{format_value(low, 's')}, {format_value(high, 's')}]"
    return Lane(value=median, low=low, high=high, text=text)
