"""Views of records: each shows one thing on the page, and registers itself.

Adding a figure to the page is adding a module to a folder of `views/`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from groma.record import Record
from groma.report.blocks import Banner, Block, Callouts, Lead, Note

SECTIONS = {
    "comparison": "Comparison",
    "verdict": "Verdict",
    "systems": "Systems",
    "results": "Results",
    "balance": "Balance",
    "messages": "Messages",
    "scaling": "Scaling",
    "reference": "Reference data",
    "run": "Plan and placement",
    "machine": "The machine",
    "latency": "Caches and latency",
    "memory": "Memory",
    "cores": "Core to core",
    "numa": "NUMA",
    "network": "Network",
    "facts": "Facts",
    "environment": "Environment",
    "method": "Method and validation",
    "samples": "Samples",
}
"""In the order in which they are read."""


class PageSection(msgspec.Struct, kw_only=True):
    id: str
    title: str
    blocks: Sequence[Block]


class Named(NamedTuple):
    """A record and what the page calls it."""

    name: str
    record: Record[Any]


Blocks = Sequence[Block]
F = TypeVar("F")
RecordView = Callable[[Record[F]], Blocks]
Comparison = Callable[[Sequence[Named]], Blocks]


class _View(NamedTuple):
    section: str
    order: int
    build: Callable[[Any], Blocks]
    facts: type


_OF_RECORDS: list[_View] = []
_OF_SEVERAL: list[_View] = []


def view(section: str, order: int, of: type[F]) -> Callable[[RecordView[F]], RecordView[F]]:
    """Register the decorated function as a view of records with such facts.

    Views of one section follow their `order`, then the names of their modules.
    """

    def register(build: RecordView[F]) -> RecordView[F]:
        _OF_RECORDS.append(_View(section, order, build, of))
        return build

    return register


def comparison(order: int, of: type) -> Callable[[Comparison], Comparison]:
    """Register the decorated function to show two or more records with such facts beside each other."""

    def register(build: Comparison) -> Comparison:
        _OF_SEVERAL.append(_View("comparison", order, build, of))
        return build

    return register


def sections_of(record: Record[Any]) -> list[PageSection]:
    """The sections of one record in the order of SECTIONS, without empty ones."""
    load_views()
    views = [one for one in _OF_RECORDS if isinstance(record.facts, one.facts)]
    return _sections_of(views, lambda one: one.build(record))


def comparison_of(records: Sequence[Named]) -> list[PageSection]:
    """What several records have in common; nothing of a single one."""
    load_views()

    def blocks(one: _View) -> Blocks:
        alike = [named for named in records if isinstance(named.record.facts, one.facts)]
        return one.build(alike) if len(alike) > 1 else []

    return _sections_of(_OF_SEVERAL, blocks)


def has_comparison(record: Record[Any]) -> bool:
    """Whether records with such facts have a comparison of their own."""
    return any(one.facts is not object and isinstance(record.facts, one.facts) for one in _OF_SEVERAL)


def is_known(record: Record[Any]) -> bool:
    """Whether facts of this kind have views of their own; those of all others are shown as a tree."""
    return any(one.facts is not object and isinstance(record.facts, one.facts) for one in _OF_RECORDS)


def _sections_of(views: Sequence[_View], blocks_of: Callable[[_View], Blocks]) -> list[PageSection]:
    ordered = sorted(views, key=lambda one: (one.order, one.build.__module__))
    sections = [
        PageSection(
            id=name,
            title=title,
            blocks=_warnings_first(
                [block for one in ordered if one.section == name for block in blocks_of(one)]
            ),
        )
        for name, title in SECTIONS.items()
    ]
    return [section for section in sections if section.blocks]


def _warnings_first(blocks: Sequence[Block]) -> Sequence[Block]:
    """Warnings stand below the words that say what was found, and above all figures that they may doubt."""
    warnings = [one for one in blocks if isinstance(one, Callouts)]
    others = [one for one in blocks if not isinstance(one, Callouts)]
    is_words = [isinstance(one, Banner | Lead | Note) for one in others]
    at = is_words.index(False) if False in is_words else len(others)
    return [*others[:at], *warnings, *others[at:]]


@functools.cache
def load_views() -> None:
    """Import every module of `views/`, which registers its views."""
    from groma.report import views  # noqa: PLC0415  (its modules import this one)

    for module in sorted(pkgutil.walk_packages(views.__path__, f"{views.__name__}."), key=lambda m: m.name):
        if not module.ispkg and ".test_" not in module.name:
            importlib.import_module(module.name)
