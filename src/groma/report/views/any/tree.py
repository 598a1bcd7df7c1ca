"""Any JSON value as rows of path and value, for what no view knows better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from groma.record.quantity import as_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.report.blocks import Cell


class Leaf(NamedTuple):
    path: str
    value: Cell


def leaves_of(value: Any, path: str = "") -> Iterator[Leaf]:
    """Leaves in order; lists of plain values stay on one row."""
    quantity = as_quantity(value)
    if quantity is not None:
        yield Leaf(path, quantity)
    elif isinstance(value, list):
        yield from _leaves_of_list(value, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves_of(item, f"{path}.{key}" if path else str(key))
    else:
        yield Leaf(path, value if _is_plain(value) else None)


def filled_leaves_of(value: Any) -> list[Leaf]:
    """Leaves with something in them."""
    return [leaf for leaf in leaves_of(value) if leaf.value is not None and leaf.value != ""]


def _leaves_of_list(values: list[Any], path: str) -> Iterator[Leaf]:
    if all(map(_is_plain, values)):
        yield Leaf(path, ", ".join(map(_text, values)))
        return
    for number, item in enumerate(values):
        yield from leaves_of(item, f"{path}[{number}]")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
