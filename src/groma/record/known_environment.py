"""The environment of a record, typed, as far as it can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from groma.record.environment import Environment

S = TypeVar("S", bound=msgspec.Struct)


def known_environment(environment: object) -> Environment:
    """What the environment of a record says. A part that is damaged counts as one that could not be read."""
    return _known(environment, Environment)


def _known(value: object, as_type: type[S]) -> S:
    """Field by field, so that a damaged one takes no other with it. Every field has a default."""
    said: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    known: dict[str, Any] = {}
    for field in msgspec.structs.fields(as_type):
        if field.name not in said:
            continue
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            known[field.name] = _known(said[field.name], field.type)
            continue
        try:
            known[field.name] = msgspec.convert(said[field.name], field.type)
        except msgspec.ValidationError:
            continue
    return as_type(**known)
