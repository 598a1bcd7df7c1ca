"""Stable names of the quantities in facts, such as `hpcc.stream.triad.star`. docs/compare.md has the rule.

Facts say what only they know in class variables: `NAMED_BY` lists the fields that tell entries of a list
apart, `INDEXED_BY` names for a list or matrix the field with the ids of its entries. `NAMELESS` lists the
fields whose names say nothing, `DETAILS` the fields with more than most readers want, `BETTER` the direction
of fields for which the unit does not tell it. `OUTCOMES` are fields that came out, `NO_TEST` parameters that
make no other test, because results do not depend on them or other fields hold them.
"""

from __future__ import annotations

import functools
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_type_hints

import msgspec

from groma.record.quantity import as_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record.quantity import Quantity

Better = Literal["higher", "lower", "neither"]

_MAIN = "value"
"""The field of a struct that is what the struct is about: its name is left out."""


class NamedQuantity(NamedTuple):
    """A `detail` is one of many, or more than most readers want."""

    name: str
    quantity: Quantity
    better: Better
    detail: bool = False


def better_by_unit(unit: str) -> Better:
    """Rates and frequencies are better when they are higher, times and cycles when they are lower.

    Sizes, counts and ratios are neither, unless their facts say otherwise.
    """
    if unit in {"s", "cycles"} or unit.startswith("s/"):
        return "lower"
    return "higher" if unit == "Hz" or unit.endswith("/s") else "neither"


class _Place(NamedTuple):
    """Where a value stands in the facts."""

    words: tuple[str, ...]
    better: Better | None = None
    detail: bool = False

    def inside(self, *words: str, better: Better | None = None, detail: bool = False) -> _Place:
        return _Place((*self.words, *words), better or self.better, self.detail or detail)


def named_quantities(kind: str, facts: Any) -> list[NamedQuantity]:
    """All quantities of the facts of a kind, in their order, each with a name of its own."""
    return _with_own_names(list(_found(facts, _Place((kind,)))))


def _found(value: Any, place: _Place, ids: Sequence[Any] = ()) -> Iterator[NamedQuantity]:
    """`ids` are those of the entries of a list, or of rows and columns, where they have any."""
    quantity = as_quantity(value)
    if quantity is not None:
        better = place.better or better_by_unit(quantity.unit)
        yield NamedQuantity(name_of(place.words), quantity, better, place.detail)
    elif isinstance(value, msgspec.Struct):
        yield from _in_struct(value, place)
    elif isinstance(value, (list, tuple)):
        yield from _in_list(value, place, ids)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _found(inner, place.inside(str(key)), ids)


def _in_struct(value: msgspec.Struct, place: _Place) -> Iterator[NamedQuantity]:
    kind = type(value)
    nameless: Sequence[str] = getattr(kind, "NAMELESS", ())
    details: Sequence[str] = getattr(kind, "DETAILS", ())
    better: Mapping[str, Better] = getattr(kind, "BETTER", {})
    indexed_by: Mapping[str, str] = getattr(kind, "INDEXED_BY", {})
    for field in kind.__struct_fields__:
        words = () if field == _MAIN or field in nameless else (field,)
        inner = place.inside(*words, better=better.get(field), detail=field in details)
        ids = getattr(value, indexed_by[field]) if field in indexed_by else ()
        yield from _found(getattr(value, field), inner, ids)


def _in_list(values: Sequence[Any], place: _Place, ids: Sequence[Any]) -> Iterator[NamedQuantity]:
    """Rows of a matrix are details: there are many, and each says little."""
    is_matrix = any(isinstance(one, (list, tuple)) for one in values)
    for id_, one in zip(ids if len(ids) == len(values) else range(len(values)), values, strict=True):
        words = _identity(one) or (str(id_),)
        yield from _found(one, place.inside(*words, detail=is_matrix), ids)


def _identity(value: Any) -> tuple[str, ...]:
    """What tells an entry of a list from the others, whatever their order and number."""
    if not isinstance(value, msgspec.Struct) or as_quantity(value) is not None:
        return ()
    return tuple(word for field in _named_by(type(value)) for word in _words(getattr(value, field)))


@functools.cache
def _named_by(kind: type) -> tuple[str, ...]:
    """The fields named in NAMED_BY, else those that every entry must have and that are a word or a number."""
    if hasattr(kind, "NAMED_BY"):
        return tuple(kind.NAMED_BY)
    hints = get_type_hints(kind)
    return tuple(
        field.name
        for field in msgspec.structs.fields(kind)
        if field.required and hints[field.name] in {str, int}
    )


def _words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{key}-{inner}" for key, inner in value.items()]
    if isinstance(value, float):
        return [f"{value:g}"]
    return [str(value)] if isinstance(value, (str, int)) else []


def name_of(words: Sequence[str]) -> str:
    """The words as a name; one that repeats the word before it says nothing new, a number always does."""
    parts: list[str] = []
    for word in words:
        part, before = _part(word), parts[-1] if parts else ""
        if before and not before.isdecimal():
            part = part.removeprefix(f"{before}-").removeprefix(before if part == before else "")
        if part:
            parts.append(part)
    return ".".join(parts)


def _part(word: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", word.lower()).strip("-")


def _with_own_names(found: Sequence[NamedQuantity]) -> list[NamedQuantity]:
    """Entries that nothing tells apart are numbered, from the second on."""
    seen: dict[str, int] = {}
    own: list[NamedQuantity] = []
    for one in found:
        seen[one.name] = seen.get(one.name, 0) + 1
        number = seen[one.name]
        own.append(one if number == 1 else one._replace(name=f"{one.name}-{number}"))
    return own


def is_named(name: str, wanted: str) -> bool:
    """Whether a quantity is meant by a name: its own, one that it is below, or a pattern (`*`, `?`)."""
    return name == wanted or name.startswith(f"{wanted}.") or fnmatchcase(name, wanted)
