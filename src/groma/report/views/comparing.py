"""Several records beside each other: their values with ratio to the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.record.units import format_value, is_one_sample
from groma.report.blocks import (
    DataTable,
    DotAxis,
    Figure,
    Legend,
    Option,
    Strip,
    StripChart,
    SystemChart,
    SystemColumn,
    SystemRow,
    chosen_from,
    table_figure,
)
from groma.report.quantities import shown
from groma.report.views.marks import largest_of, quantity_lane, value_column
from groma.report.words.text import id_of, joined, quantity_text, value_text
from groma.stats.quotient import ratio_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Literal

    from groma.record import Quantity, Record
    from groma.report.blocks import Block, Cell, Lane, SystemCell
    from groma.report.views.registry import Named

WIDE = 5
"""Ratios that differ by a larger factor are drawn on a logarithmic axis."""


FEW = 2
"""Values of more records do not stand side by side: each of them gets a row."""


TONES = 7
"""Colours of series. Of more records none has a colour of its own: names stand in their place."""


class Headline(NamedTuple):
    """A main value of a record. `group` names those that are shown together where all would be too many."""

    name: str
    quantity: Quantity
    group: str = ""


def headline(name: str, quantity: Quantity | None) -> list[Headline]:
    """Nothing of what was not measured."""
    return [Headline(name, quantity)] if quantity else []


class Compared(NamedTuple):
    """`rows` have for each headline that occurs what every one of the `records` has of it; `groups` the names
    of these by their group.
    """

    records: Sequence[str]
    rows: dict[str, list[Quantity | None]]
    groups: dict[str, list[str]]

    def of_group(self, group: str) -> Compared:
        """What belongs to one group alone."""
        names = self.groups[group]
        return Compared(self.records, {name: self.rows[name] for name in names}, {group: names})


def compared(records: Sequence[Named], headlines_of: Callable[[Record[Any]], Iterable[Headline]]) -> Compared:
    found = [{one.name: one for one in headlines_of(record)} for _, record in records]
    every = {name: one for some in found for name, one in some.items()}
    groups: dict[str, list[str]] = {}
    for name, one in every.items():
        groups.setdefault(one.group, []).append(name)
    rows = {name: [_quantity(some.get(name)) for some in found] for name in every}
    return Compared([name for name, _ in records], rows, groups)


def _quantity(one: Headline | None) -> Quantity | None:
    return one.quantity if one else None


# ---- value by value ----------------------------------------------------------------------------------------


def headline_figure(name: str, title: str, every: Compared) -> list[Block]:
    """Value by value, with ratio and verdict; nothing without headlines."""
    return table_figure(
        name,
        title,
        f"Ratios are relative to {every.records[0]}; their intervals contain every ratio of the "
        "two intervals.",
        _table(every),
    )


def relative_figures(name: str, title: str, every: Compared, note: str) -> list[Block]:
    """The ratios as a drawing, then value by value; nothing without headlines.

    `note` says which values are better when they are less.
    """
    if not every.rows:
        return []
    ratios = Figure(
        id=f"{name}-ratios",
        title=f"{title}, relative to the first record",
        what=f"Each value relative to {every.records[0]}. If a bar touches 1, it is open which value "
        f"is larger. A dot without a bar is a single sample. {note}",
        drawing=_ratio_strips(every),
        table=_table(every),
    )
    return [ratios, *headline_figure(f"{name}-headlines", f"{title}, value by value", every)]


def many_figure(name: str, title: str, every: Compared, note: str) -> list[Block]:
    """Records as rows: sorted by any value, the first marked, its ratios on demand. One group of values is
    shown at a time.

    `note` says which values are better when they are less. Nothing without headlines.
    """
    options = [
        Option(
            label=group,
            figure=_many(
                id_of(name, "headlines", *([group] if place else [])), title, every.of_group(group), note
            ),
        )
        for place, group in enumerate(every.groups)
    ]
    return chosen_from(f"{name}-headlines-of", "Values of:", options)


def _many(name: str, title: str, every: Compared, note: str) -> Figure:
    found = [value_column(values, largest_of(values)) for values in every.rows.values()]
    chart = SystemChart(
        columns=[_column(quantity, one.unit) for quantity, one in zip(every.rows, found, strict=True)],
        rows=[
            _record_row(every, place, [one.cells[place] for one in found])
            for place in range(len(every.records))
        ],
    )
    return Figure(
        id=name,
        title=title,
        what=f"Choose a title to sort, a name for intervals and for ratios to {every.records[0]}, which "
        f"is marked. Bars are relative to the largest of their column. {note}",
        drawing=chart,
        table=_table(every),
    )


def _column(quantity: str, unit: str) -> SystemColumn:
    return SystemColumn(title=quantity, unit=unit, least="latency" in quantity)


def _record_row(every: Compared, place: int, cells: Sequence[SystemCell | None]) -> SystemRow:
    return SystemRow(
        name=every.records[place],
        marked=place == 0,
        cells=cells,
        details=[
            (quantity, _detail(value, values[0] if place else None))
            for quantity, values in every.rows.items()
            if (value := values[place])
        ],
    )


def _detail(value: Quantity, base: Quantity | None) -> str:
    """A value with its interval, and its ratio to that of the first record."""
    ratio = ratio_of(value, base) if base else None
    reported = f"; {value_text(ratio)}, {verdict_of(ratio)}" if ratio else ""
    return quantity_text(value) + reported


def _table(every: Compared) -> DataTable:
    first, *others = every.records
    if len(every.records) > FEW:
        rows = [row for name, values in every.rows.items() for row in _by_record(name, values, every.records)]
        return DataTable(columns=["quantity", "record", "value", "ratio", "verdict"], rows=rows)
    columns = ["quantity", first, *(title for other in others for title in (other, "ratio", "verdict"))]
    return DataTable(columns=columns, rows=[_row(name, values) for name, values in every.rows.items()])


def _row(name: str, values: Sequence[Quantity | None]) -> list[Cell]:
    base, *others = values
    return [name, shown(base), *(cell for other in others for cell in _beside(other, base))]


def _by_record(name: str, values: Sequence[Quantity | None], records: Sequence[str]) -> Iterator[list[Cell]]:
    base, *others = values
    yield [name, records[0], shown(base), None, None]
    for record, other in zip(records[1:], others, strict=True):
        yield [name, record, *_beside(other, base)]


def _beside(other: Quantity | None, base: Quantity | None) -> list[Cell]:
    ratio = ratio_of(other, base) if other and base else None
    return [shown(other), shown(ratio), ratio and verdict_of(ratio)]


def verdict_of(ratio: Quantity) -> str:
    """What a ratio says of the value above it."""
    if is_one_sample(ratio):
        return "open: one sample"
    if ratio.low > 1:
        return "higher"
    return "lower" if ratio.high < 1 else "indistinguishable"


# ---- drawn -------------------------------------------------------------------------------------------------


def _ratio_strips(every: Compared) -> StripChart:
    """One row per headline, one lane per record but the first."""
    names = every.records if len(every.records) > TONES else ()
    lanes = {name: ratio_lanes(values, names) for name, values in every.rows.items()}
    strips = [Strip(name=name, lanes=own) for name, own in lanes.items() if own]
    return StripChart(
        x=DotAxis(title="ratio to the first record", unit="ratio", scale=scale_of(strips), close=True),
        strips=strips,
        marks=[1],
        legend=legend_of(every.records),
    )


def legend_of(records: Sequence[str]) -> list[Legend]:
    """The colours of all but the first; none where colours repeat, and lanes have the names."""
    if len(records) > TONES:
        return []
    return [Legend(name=name, tone=tone) for tone, name in enumerate(records)][1:]


def scale_of(strips: Sequence[Strip]) -> Literal["linear", "log10"]:
    """Of ratios around 1."""
    bounds = [1.0, *(bound for strip in strips for lane in strip.lanes for bound in (lane.low, lane.high))]
    return "log10" if min(bounds) > 0 and max(bounds) > WIDE * min(bounds) else "linear"


def ratio_lanes(values: Sequence[Quantity | None], names: Sequence[str] = ()) -> list[Lane]:
    """Ratios of all but the first to it; the first has tone 0 elsewhere, the second is 1.

    `names` are those of the records where colours do not tell them apart.
    """
    base, *others = values
    ratios = [ratio_of(other, base) if other and base else None for other in others]
    return [
        quantity_lane(ratio, tone, text=_ratio_words(ratio, names[tone] if names else ""))
        for tone, ratio in enumerate(ratios, start=1)
        if ratio
    ]


def _ratio_words(ratio: Quantity, name: str) -> str:
    """What matters most stands first: the rest may be cut."""
    if is_one_sample(ratio):
        return joined(format_value(ratio.value, "ratio"), name, "one sample")
    verdict = verdict_of(ratio)
    if verdict == "indistinguishable":
        return joined(value_text(ratio), name, verdict)
    return joined(quantity_text(ratio), name)
