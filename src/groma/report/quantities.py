"""Finding quantities, and relating them to each other."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.record.quantity import as_quantity
from groma.record.units import format_quantity, is_one_sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record import Quantity
    from groma.report.blocks import Cell


class Found(NamedTuple):
    """A quantity with the path to it, e.g. `node.caches[0].size`."""

    path: str
    quantity: Quantity


def quantities_in(value: Any, path: str = "") -> Iterator[Found]:
    """All quantities in facts of any kind."""
    quantity = as_quantity(value)
    if quantity is not None:
        yield Found(path, quantity)
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from quantities_in(item, f"{path}[{number}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from quantities_in(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, msgspec.Struct):
        yield from quantities_in(msgspec.structs.asdict(value), path)


@functools.singledispatch
def quantities_of(facts: Any) -> Iterator[Found]:
    """As `quantities_in`; kinds of facts may register names that a reader knows."""
    return quantities_in(facts)


def shown(quantity: Quantity | None) -> Cell:
    """A quantity for a table; of a single sample its value and that it is one."""
    return format_quantity(quantity) if quantity and is_one_sample(quantity) else quantity
