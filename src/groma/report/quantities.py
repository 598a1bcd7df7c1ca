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
    """All quantities in facts of any kind, in their order."""
    # Not recursive: each of 147 456 cells would be handed from generator to generator up to the top.
    ahead = [(path, value)]
    while ahead:
        path, value = ahead.pop()
        quantity = as_quantity(value)
        if quantity is not None:
            yield Found(path, quantity)
        else:
            ahead += reversed(list(_parts_of(value, path)))


def _parts_of(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield f"{path}[{number}]", item
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{path}.{key}" if path else str(key), item
    elif isinstance(value, msgspec.Struct):
        yield from _parts_of(msgspec.structs.asdict(value), path)


@functools.singledispatch
def quantities_of(facts: Any) -> Iterator[Found]:
    """As `quantities_in`; kinds of facts may register names that a reader knows."""
    return quantities_in(facts)


def shown(quantity: Quantity | None) -> Cell:
    """A quantity for a table; of a single sample its value and that it is one."""
    return format_quantity(quantity) if quantity and is_one_sample(quantity) else quantity
