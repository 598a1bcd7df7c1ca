"""Several traces beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.trace import TraceFacts
from groma.record.units import format_share, format_value
from groma.report.blocks import DataTable, Figure, SystemCell, SystemChart, SystemColumn, SystemRow
from groma.report.views.registry import comparison
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.report.views.registry import Blocks, Named

MOST_CALLS = 3
"""Of all traces together that have a column, those with most time first."""


@comparison(order=8, of=TraceFacts)
def traces(records: Sequence[Named]) -> Blocks:
    labels = _longest_calls([one.record.facts for one in records])
    columns = [
        SystemColumn(title="run time", least=True),
        SystemColumn(title="threads"),
        SystemColumn(title="parallel", group="efficiency"),
        SystemColumn(title="load balance", group="efficiency"),
        SystemColumn(title="communication", group="efficiency"),
        *(SystemColumn(title=short_name(label), group="share of time", least=True) for label in labels),
    ]
    return [
        Figure(
            id="traces",
            title="Traces side by side",
            what="Efficiencies are those of the POP project. Shares are of the time that all threads were "
            "there.",
            drawing=SystemChart(
                of="trace",
                columns=columns,
                rows=[
                    SystemRow(name=name, marked=place == 0, cells=_cells(record.facts, labels))
                    for place, (name, record) in enumerate(records)
                ],
            ),
            table=_table(records, labels),
        )
    ]


def _longest_calls(every: Sequence[TraceFacts]) -> list[str]:
    most: dict[str, float] = {}
    for facts in every:
        for one in facts.calls:
            most[one.label] = max(most.get(one.label, 0.0), one.share)
    return sorted(most, key=lambda label: (-most[label], label))[:MOST_CALLS]


def _cells(facts: TraceFacts, labels: Sequence[str]) -> list[SystemCell | None]:
    return [
        SystemCell(text=format_value(facts.duration, "s"), value=facts.duration),
        SystemCell(text=f"{facts.threads:,}", value=facts.threads),
        *map(_share, _shares(facts, labels)),
    ]


def _shares(facts: TraceFacts, labels: Sequence[str]) -> list[float | None]:
    found = facts.efficiencies
    efficiencies = [found.parallel, found.load_balance, found.communication] if found else [None] * 3
    by_label = {one.label: one.share for one in facts.calls}
    return [*efficiencies, *(by_label.get(label) for label in labels)]


def _share(value: float | None) -> SystemCell | None:
    if value is None:
        return None
    return SystemCell(text=format_share(value), value=value, share=round(min(1.0, value), 4))


def _table(records: Sequence[Named], labels: Sequence[str]) -> DataTable:
    names = ["parallel efficiency", "load balance", "communication efficiency", *map(short_name, labels)]
    return DataTable(
        columns=["trace", "run time", "threads", *names],
        units=["", "s"],
        rows=[
            [
                name,
                record.facts.duration,
                record.facts.threads,
                *(None if one is None else format_share(one) for one in _shares(record.facts, labels)),
            ]
            for name, record in records
        ],
    )
