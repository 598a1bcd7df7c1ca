"""Writes what stands several times in a page once: the cells of a drawing are in its table too.

`viewer/base/packing.ts` is the inverse.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import msgspec

Json = Any

SHARED_KEY = "$shared"
VALUE_KEY = "$value"
REFERENCE_KEY = "$ref"

_PLAIN = {int, float, bool, type(None)}
"""Lists of these alone are written as a whole."""

LEAST_BYTES = 24
"""What is shorter is repeated: a reference would save next to nothing."""


def share(value: Json) -> Json:
    """The same packed value with references to a list of what it holds more than once."""
    return _Sharing().shared(value)


class _Node(NamedTuple):
    """A value with its number, which is the same for equal values."""

    number: int
    value: Json
    parts: list[_Node]


class _Sharing:
    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._counts: Counter[int] = Counter()
        self._references: dict[int, int] = {}
        self._definitions: list[Json] = []

    def shared(self, value: Json) -> Json:
        root = self._numbered(value)
        self._count(root)
        written = self._written(root)
        return {SHARED_KEY: self._definitions, VALUE_KEY: written} if self._definitions else written

    def _numbered(self, value: Json) -> _Node:
        if isinstance(value, dict):
            parts = [self._numbered(item) for item in value.values()]
            key: Any = ("object", tuple(value), tuple(part.number for part in parts))
        elif isinstance(value, list) and not _PLAIN.issuperset(map(type, value)):
            parts = [self._numbered(item) for item in value]
            key = ("list", tuple(part.number for part in parts))
        elif isinstance(value, list):
            parts, key = [], ("numbers", tuple(map(type, value)), tuple(value))
        else:
            parts, key = [], (type(value), value)
        return _Node(self._numbers.setdefault(key, len(self._numbers)), value, parts)

    def _count(self, node: _Node) -> None:
        """Parts of what was seen before are written with it."""
        self._counts[node.number] += 1
        if self._counts[node.number] == 1:
            for part in node.parts:
                self._count(part)

    def _written(self, node: _Node) -> Json:
        if self._counts[node.number] < 2 or not _is_long(node.value):
            return self._body(node)
        if node.number not in self._references:
            self._references[node.number] = len(self._definitions)
            self._definitions.append(None)
            self._definitions[self._references[node.number]] = self._body(node)
        return {REFERENCE_KEY: self._references[node.number]}

    def _body(self, node: _Node) -> Json:
        if not node.parts:
            return node.value
        parts = [self._written(part) for part in node.parts]
        return dict(zip(node.value, parts, strict=True)) if isinstance(node.value, dict) else parts


def _is_long(value: Json) -> bool:
    return isinstance(value, (str, list, dict)) and len(msgspec.json.encode(value)) >= LEAST_BYTES
