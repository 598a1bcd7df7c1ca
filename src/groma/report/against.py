"""Changes against an older record, in place: beside each value of the page that has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from groma.facts.named import named_quantities_of
from groma.record.units import parts_of
from groma.report.blocks import Choice, DataTable, Figure, Tiles
from groma.report.views.compare.changes import changes
from groma.report.views.compare.verdict import differences_and_outcome
from groma.report.views.marks import interval_of
from groma.report.views.registry import PageSection
from groma.report.words.comparison import change_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from groma.facts.comparison import Changed, ComparisonFacts
    from groma.record import Quantity, Record
    from groma.report.blocks import Block, Cell, Tile

    Comparison = Record[ComparisonFacts]

S = TypeVar("S", bound=msgspec.Struct)

PrintedQuantity = tuple[str, str, str]


class _Known(NamedTuple):
    """The changes of a record by its quantities, and by what a tile shows of one."""

    old: str
    by_quantity: Mapping[int, Changed]
    by_text: Mapping[PrintedQuantity, Changed | None]


def comparison_section(comparison: Comparison) -> PageSection:
    """What differs around the numbers, the verdict and the changes."""
    blocks = [*differences_and_outcome(comparison), *changes(comparison)]
    return PageSection(id="against", title=f"Against {_old(comparison)}", blocks=blocks)


def in_place(
    sections: Sequence[PageSection], record: Record[Any], comparison: Comparison
) -> list[PageSection]:
    """The sections of `record` with its changes from the first record of `comparison` beside its values."""
    known = _known(record, comparison)
    return [_with(one, blocks=[_block(block, known) for block in one.blocks]) for one in sections]


def _old(comparison: Comparison) -> str:
    return comparison.facts.records[0].name


def _known(record: Record[Any], comparison: Comparison) -> _Known:
    changed = {one.name: one.others[0] for one in comparison.facts.quantities}
    named = [(one.quantity, changed[one.name]) for one in named_quantities_of(record) if one.name in changed]
    by_text: dict[PrintedQuantity, Changed | None] = {}
    for quantity, change in named:
        # Two values may read the same: then nobody can say whose change it is.
        key = _shown(quantity)
        by_text[key] = change if by_text.get(key, change) == change else None
    return _Known(_old(comparison), {id(quantity): change for quantity, change in named}, by_text)


def _shown(quantity: Quantity) -> PrintedQuantity:
    value, unit, _ = parts_of(quantity)
    return value, unit, interval_of(quantity)


def _block(block: Block, known: _Known) -> Block:
    if isinstance(block, Tiles):
        return _with(block, tiles=[_tile(tile, known) for tile in block.tiles])
    if isinstance(block, Choice):
        options = [_with(one, figure=_figure(one.figure, known)) for one in block.options]
        return _with(block, options=options)
    return _figure(block, known) if isinstance(block, Figure) else block


def _tile(tile: Tile, known: _Known) -> Tile:
    # What stands beside an interval may follow it, such as the number of samples.
    keys = (
        key
        for key in known.by_text
        if (tile.value, tile.unit) == key[:2] and tile.interval.startswith(key[2])
    )
    found = [known.by_text[key] for key in keys if key[2] or not tile.interval]
    if len(found) != 1 or found[0] is None or found[0].ratio is None:
        return tile
    return _with(tile, lines=[*tile.lines, f"against {known.old}: {_words(found[0])}"])


def _words(changed: Changed) -> str:
    return f"{change_words(changed)}, {changed.verdict}" if changed.ratio is not None else changed.verdict


def _figure(figure: Figure, known: _Known) -> Figure:
    return figure if figure.table is None else _with(figure, table=_table(figure.table, known))


def _table(table: DataTable, known: _Known) -> DataTable:
    """With a column beside each that has a value which was measured before."""
    at = [
        number for number in range(len(table.columns)) if any(_has(row, number, known) for row in table.rows)
    ]
    return DataTable(
        columns=_beside(table.columns, at, [f"against {known.old}"] * len(table.columns)),
        rows=[_beside(row, at, [_cell(one, known) for one in row]) for row in table.rows],
        units=_beside(table.units, at, [""] * len(table.columns)) if table.units else table.units,
    )


def _has(row: Sequence[Cell], number: int, known: _Known) -> bool:
    return number < len(row) and id(row[number]) in known.by_quantity


def _cell(cell: Cell, known: _Known) -> Cell:
    changed = known.by_quantity.get(id(cell))
    return None if changed is None else _words(changed)


def _beside(row: Sequence[Any], at: Sequence[int], more: Sequence[Any]) -> list[Any]:
    """The entries of a row, each of those `at` followed by what belongs to it."""
    return [
        one for number, cell in enumerate(row) for one in ([cell, more[number]] if number in at else [cell])
    ]


def _with(struct: S, **changed: Any) -> S:
    return msgspec.structs.replace(struct, **changed)
