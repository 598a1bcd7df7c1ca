"""Every quantity of the facts with the way it was obtained and what the system says of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from groma.record.io import encoded
from groma.record.units import format_share, format_value
from groma.report.blocks import DataTable, table_figure
from groma.report.quantities import quantities_of, shown
from groma.report.views.registry import view
from groma.report.words.text import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.record import Quantity, Record
    from groma.report.blocks import Cell
    from groma.report.quantities import Found
    from groma.report.views.registry import Blocks

FEW = 4
"""Up to so many entries of a list have a row each."""

MOST_COPIED = 5000
"""Of more quantities the ranges are copied, not the facts."""

MOST_BYTES = 1_000_000
"""Of larger facts as well: a large torus has few quantities, and numbers of each node."""

_COLUMNS = ("quantity", "value", "confidence", "samples", "OS value", "method")
_INDEX = re.compile(r"\[\d+\]")


@view("method", order=0, of=object)
def method(record: Record[Any]) -> Blocks:
    found = list(quantities_of(record.facts))
    rows = [_row(group) for group in _grouped(found)]
    return table_figure(
        "method",
        "All quantities",
        "Intervals contain the true value with the stated confidence. Entries of one list or "
        "matrix with one method share a row with their range.",
        DataTable(columns=_COLUMNS, rows=rows),
        data={"kind": record.kind, "facts": record.facts} if _is_small(record.facts, found) else None,
    )


def _is_small(facts: object, found: Sequence[Found]) -> bool:
    return len(found) <= MOST_COPIED and len(encoded(facts)) <= MOST_BYTES


def _grouped(found: Sequence[Found]) -> list[list[Found]]:
    """Quantities whose paths differ only in indices of lists, of one method and unit."""
    groups: dict[tuple[str, str, str], list[Found]] = {}
    for one in found:
        key = (_INDEX.sub("[]", one.path), one.quantity.method, one.quantity.unit)
        groups.setdefault(key, []).append(one)
    return [part for group in groups.values() for part in _split_if_few(group)]


def _split_if_few(group: list[Found]) -> list[list[Found]]:
    """Short lists have a row for each entry; matrices do not."""
    indices = len(_INDEX.findall(group[0].path))
    return [[one] for one in group] if len(group) <= FEW and indices <= 1 else [group]


def _row(group: Sequence[Found]) -> list[Cell]:
    path, first = group[0]
    if len(group) == 1:
        return _single_row(path, first)
    all_of_it = [one.quantity for one in group]
    return [
        f"{_INDEX.sub('[…]', path)} ({len(group)})",
        _span([one.value for one in all_of_it], lambda value: format_value(value, first.unit)),
        _span([one.confidence for one in all_of_it], format_share),
        _span([one.samples.n for one in all_of_it if one.samples], str),
        ABSENT,
        first.method,
    ]


def _single_row(path: str, quantity: Quantity) -> list[Cell]:
    samples = quantity.samples.n if quantity.samples else None
    return [
        path,
        shown(quantity),
        format_share(quantity.confidence),
        samples,
        _declared(quantity),
        quantity.method,
    ]


_AGREEMENT = {True: " ✓ agrees", False: " ≠ differs", None: ""}


def _declared(quantity: Quantity) -> Cell:
    if quantity.os_value is None:
        return None
    return format_value(quantity.os_value, quantity.unit) + _AGREEMENT[quantity.agrees]


def _span(numbers: Sequence[Any], show: Callable[[Any], str]) -> str:
    if not numbers:
        return ABSENT
    low, high = min(numbers), max(numbers)
    return show(low) if low == high else f"{show(low)} … {show(high)}"
