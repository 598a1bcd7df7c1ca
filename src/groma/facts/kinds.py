"""The kinds of records. Ask here for one or all of them: no other place lists them.

A module of this room that has a KIND describes the kind of its own name.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.record import Record
    from groma.record.unfinished import Steps

F = TypeVar("F")


@dataclass(frozen=True, kw_only=True)
class ForeignFile:
    """Files of other programs that hold runs of a kind: their content has one of `marks` in it.

    `reader` names a function that makes records from the content of a file and its name; `called` says what
    such a file is, and by what it is known.
    """

    marks: tuple[bytes, ...]
    reader: str
    called: str

    def is_such(self, content: bytes) -> bool:
        return any(mark in content for mark in self.marks)


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[F]):
    """The descriptor of a kind of record.

    `title` is used in headings, `what` in sentences; `schema` is the name of its JSON schema. `steps` tells
    how far a run came that cannot be resumed. `subject` names what the facts are about, where that is not the
    machine on which groma ran. `more_samples` are the options with which such a run takes more samples.

    `sections`, `reopened`, `more_quantities` and `foreign.reader` name objects of rooms above this one
    ("module:object"). Only rooms above those load them. `sections` is what a terminal shows (a
    groma.report.terminal.Sections); `reopened` completes a record after reading, given its path;
    `more_quantities` gives quantities that are no part of the typed facts, each with the words of its name.
    """

    name: str
    title: str
    what: str
    facts: type[F]
    schema: str
    sections: str | None = None
    steps: Callable[[Record[F]], Steps | None] | None = None
    subject: Callable[[F], str] | None = None
    reopened: str | None = None
    more_quantities: str | None = None
    foreign: ForeignFile | None = None
    more_samples: tuple[str, ...] = ()


def known_kinds() -> list[Kind[Any]]:
    """All kinds, by name."""
    found = (kind_named(name) for name in sorted(_modules()))
    return [kind for kind in found if kind is not None]


def kind_named(name: object) -> Kind[Any] | None:
    """The kind with this name, None if this version does not know it."""
    if not isinstance(name, str) or name not in _modules():
        return None
    return getattr(importlib.import_module(f"{__package__}.{name}"), "KIND", None)


def kind_of_file(content: bytes) -> Kind[Any] | None:
    """The kind of the runs in another program's file, None for a record and for any other file."""
    if content.lstrip().startswith(b"{"):
        return None
    return next((kind for kind in known_kinds() if kind.foreign and kind.foreign.is_such(content)), None)


@cache
def _modules() -> frozenset[str]:
    folder = importlib.import_module(str(__package__)).__path__
    names = (module.name for module in pkgutil.iter_modules(folder))
    return frozenset(name for name in names if not name.startswith("test_"))
