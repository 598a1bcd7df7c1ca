"""What the state of the buffers does to the values of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.hpcc import HpccFacts
from groma.report.blocks import DataTable, DotAxis, Figure, Legend, Strip, StripChart
from groma.report.quantities import shown
from groma.report.views.comparing import ratio_lanes
from groma.report.views.marks import first_method
from groma.report.views.registry import view

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.facts.hpcc import Figure as Measured
    from groma.record import Quantity, Record
    from groma.report.views.registry import Blocks

_STATES = {"reused_huge": "on huge pages", "rotating": "that no cache holds"}
"""Label and name of the states beside the suite's own."""


@view("messages", order=3, of=HpccFacts)
def buffers(record: Record[HpccFacts]) -> Blocks:
    rows = _rows([one for test in record.facts.tests for one in test.figures])
    if not rows:
        return []
    return [
        Figure(
            id="hpcc-buffers",
            title="Other states of the buffers",
            what="Each value relative to the buffers of the suite, which reuse the same memory on "
            "small pages. If a bar touches 1, it is open which value is larger. Lower latencies "
            "are better.",
            method=first_method(values[0] for values in rows.values()),
            drawing=StripChart(
                x=DotAxis(title="ratio to the buffers of the suite", unit="ratio", scale="log10"),
                strips=[Strip(name=name, lanes=ratio_lanes(values)) for name, values in rows.items()],
                marks=[1],
                legend=[*_legend(rows)],
            ),
            table=DataTable(
                columns=["value", "as in the suite", *_STATES.values()],
                rows=[[name, *map(shown, values)] for name, values in rows.items()],
            ),
        )
    ]


def _legend(rows: Mapping[str, Sequence[Quantity | None]]) -> Iterator[Legend]:
    """Of the states that a lane shows."""
    for tone, name in enumerate(_STATES.values(), start=1):
        if any(values[tone] is not None for values in rows.values()):
            yield Legend(name=f"buffers {name}", tone=tone)


def _rows(figures: Sequence[Measured]) -> dict[str, list[Quantity | None]]:
    """By series what it is as the suite has it, then in the other states."""
    found = {
        (one.series, one.labels.get("buffers")): one.value for one in figures if "purpose" not in one.labels
    }
    names = dict.fromkeys(series for series, state in found if state == "reused_huge")
    return {
        series.replace("_", " "): [found.get((series, state)) for state in (None, *_STATES)]
        for series in names
        if (series, None) in found
    }
