"""What may stand at a place of a document, by the type that the document is read as."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS = ((msgspec.inspect.IntType, "a whole number"), (msgspec.inspect.FloatType, "a number"))


def places(kind: type, path: str) -> list[msgspec.inspect.Type]:
    """What may stand at a place of a document of a kind, such as `.torus.link`; several where it varies."""
    found = [msgspec.inspect.type_info(kind)]
    for part in re.findall(r"\.(\w+)|\[", path):
        found = [inner for place in found for inner in _inside(place, part)]
    return found


def keys_at(place: msgspec.inspect.Type) -> set[str]:
    """Of a table."""
    return {field.encode_name for field in _fields(place)}


def words_at(place: msgspec.inspect.Type, key: str) -> Iterator[str]:
    """That may stand behind a key of a table, or tell which kind of table it is."""
    for one in _alternatives(place):
        if isinstance(one, msgspec.inspect.StructType) and one.tag_field == key:
            yield str(one.tag)
    for one in _inside(place, key):
        yield from _words(one)


def value_at(kind: type, path: str) -> str:
    """What a value may be: `adaptive or deterministic`, `a whole number`; empty for any other."""
    found = places(kind, path)
    words = [word for one in found for word in _words(one)]
    numbers = [name for one in found for bare in _alternatives(one) for name in _number(bare)]
    return " or ".join(dict.fromkeys(words or numbers))


def _number(bare: msgspec.inspect.Type) -> list[str]:
    return [name for kind, name in _NUMBERS if isinstance(bare, kind)]


def _words(place: msgspec.inspect.Type) -> Iterator[str]:
    for one in _alternatives(place):
        if isinstance(one, msgspec.inspect.LiteralType):
            yield from map(str, one.values)


def _inside(place: msgspec.inspect.Type, key: str) -> Iterator[msgspec.inspect.Type]:
    """What stands behind a key of a table, or in a list where the key is empty."""
    for one in _alternatives(place):
        if isinstance(one, msgspec.inspect.ListType) and not key:
            yield from _alternatives(one.item_type)
        yield from (inner for field in _fields(one) if field.encode_name == key for inner in [field.type])


def _alternatives(place: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    bare = place.type if isinstance(place, msgspec.inspect.Metadata) else place
    yield from bare.types if isinstance(bare, msgspec.inspect.UnionType) else (bare,)


def _fields(place: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Field]:
    for one in _alternatives(place):
        if isinstance(one, msgspec.inspect.StructType):
            yield from one.fields
