"""Where facts say anything, whatever they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groma.record.quantity import as_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

Place = tuple[str, ...]


def filled_places(facts: msgspec.Struct) -> set[Place]:
    """Names of fields that lead to quantities and to lists and tables with entries, which are not told
    apart: ("node", "caches", "line").
    """
    return set(_places(facts, ()))


def _places(value: object, place: Place) -> Iterator[Place]:
    if as_quantity(value) is not None:
        yield place
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _places(getattr(value, name), (*place, name))
    elif isinstance(value, (list, tuple, dict)) and value:
        yield place
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _places(entry, place)
