"""A record as a document for the terminal: `groma show`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.facts.kinds import kind_named
from groma.record import Advice, Record
from groma.record.quantity import as_quantity
from groma.record.units import format_quantity
from groma.report.document import Block, Document, Note, Pairs, Section, StyledText, Table, Text
from groma.report.words.advice import grouped
from groma.report.words.environment import environment_of
from groma.spelling import did_you_mean

if TYPE_CHECKING:
    from groma.report.document import Cell

Blocks = Sequence[Block]
LONGEST_LIST = 8
"""More entries of a list say less on a terminal than their number."""

SectionBuilder = Callable[[Record[Any]], Blocks]


class KnownSection(msgspec.Struct, frozen=True):
    """One part of a record on the terminal; `facts` is the path of its JSON in the record.

    A section that is not `at_a_glance` is shown only when it is asked for by name.
    """

    name: str
    title: str
    facts: tuple[str, ...]
    build: SectionBuilder
    at_a_glance: bool = True


class Sections(dict[str, KnownSection]):
    """What a terminal shows of a kind of record, by name, in the order in which it is read."""

    def section(
        self, name: str, title: str, *facts: str, at_a_glance: bool = True
    ) -> Callable[[SectionBuilder], SectionBuilder]:
        """Adds a section that the decorated function builds."""

        def added(build: SectionBuilder) -> SectionBuilder:
            self[name] = KnownSection(name, title, facts, build, at_a_glance)
            return build

        return added


def known_sections(name: str) -> Sections:
    """The sections of a kind of record, none of a kind that is not known here."""
    kind = kind_named(name)
    if kind is None or kind.sections is None:
        return Sections()
    sections: Sections = resolve_name(kind.sections)
    return sections


def document_of(record: Record[Any], chosen: Sequence[str] = ()) -> Document:
    """The record in sections, all or the chosen ones. Raises GromaError for an unknown section."""
    known = section_names(record)
    for name in chosen:
        if name not in known:
            hint = did_you_mean(name, known)
            raise GromaError(
                f"unknown section {name!r}", f"{hint}sections of this record: {', '.join(known)}"
            )
    sections = known_sections(record.kind)
    if sections:
        names = chosen or [name for name in known if sections[name].at_a_glance]
        return _shown(record, (_known_section(sections[name], record, bool(chosen)) for name in names))
    return _shown(record, (_GENERIC[name](record) for name in chosen or known))


def _shown(record: Record[Any], sections: Iterable[Section]) -> Document:
    """Before anything of a run that was cut short stands that it was."""
    return Document([one for one in (_state(record), *sections) if one.blocks])


def _state(record: Record[Any]) -> Section:
    state = record.unfinished
    if state is None:
        return Section("unfinished", "")
    what = "; ".join([state.what, *state.details])
    return Section("unfinished", "", [Note(what, state.next, "record.unfinished")])


def section_names(record: Record[Any]) -> list[str]:
    return list(known_sections(record.kind) or _GENERIC)


def facts_of(record: Record[Any], chosen: Sequence[str]) -> Any:
    """The JSON values behind the chosen sections, by section name; the whole record without a choice.

    Those of a run that was cut short have its state beside them, as `unfinished`.
    """
    if not chosen:
        return record
    document_of(record, chosen)  # refuses unknown names
    plain = msgspec.to_builtins(record)
    state = {} if record.unfinished is None else {"unfinished": plain["unfinished"]}
    return state | {name: _at(plain, _path_of(record, name)) for name in chosen}


def _path_of(record: Record[Any], name: str) -> tuple[str, ...]:
    sections = known_sections(record.kind)
    return sections[name].facts if sections else (name,)


def _at(values: Any, path: Sequence[str]) -> Any:
    for key in path:
        values = values[key] if values is not None else None
    return values


def _known_section(one: KnownSection, record: Record[Any], asked: bool) -> Section:
    """A section without content is left out of the whole, and says so when it was asked for."""
    blocks = one.build(record)
    if not blocks and asked:
        blocks = [Text([StyledText("not measured", "dim")])]
    return Section(one.name, one.title, blocks)


def add_common_sections(sections: Sections) -> None:
    """The environment of a measurement and its warnings: the end of most kinds of records."""

    @sections.section("environment", "Environment", "environment", at_a_glance=False)
    def environment(record: Record[Any]) -> Blocks:
        return generic_blocks(record.environment)

    @sections.section("warnings", "Warnings", "warnings")
    def warnings(record: Record[Any]) -> Blocks:
        return notes_of(record.warnings)


def notes_of(advice: Sequence[Advice]) -> list[Note]:
    """What is the same finding stands together, with its next step once."""
    return [note for group in grouped(advice) for note in _notes_of_one_kind(group)]


def _notes_of_one_kind(group: list[Advice]) -> list[Note]:
    *earlier, last = group
    return [*(Note(one.what, "", one.code) for one in earlier), Note(last.what, last.next, last.code)]


# A record of a kind this version has no sections for.


def _generic_header(record: Record[Any]) -> Section:
    items: list[tuple[str, Cell]] = [
        ("kind", record.kind),
        ("created", record.created),
        ("command", " ".join(record.command)),
        ("groma", record.build.version),
        ("host", environment_of(record).host or "unknown"),
    ]
    return Section("record", "Record", [Pairs(items)])


def _generic_facts(record: Record[Any]) -> Section:
    return Section("facts", "Facts", generic_blocks(msgspec.to_builtins(record.facts)))


def _generic_parameters(record: Record[Any]) -> Section:
    return Section("parameters", "Parameters", generic_blocks(record.parameters))


def _generic_warnings(record: Record[Any]) -> Section:
    return Section("warnings", "Warnings", notes_of(record.warnings))


_GENERIC: dict[str, Callable[[Record[Any]], Section]] = {
    "record": _generic_header,
    "parameters": _generic_parameters,
    "facts": _generic_facts,
    "warnings": _generic_warnings,
}


def generic_blocks(value: Any) -> list[Block]:
    """Any JSON value as names and values, lists of alike objects as tables, quantities by their shape."""
    pairs: list[tuple[str, Cell]] = []
    tables: list[Block] = []
    _spread(value, "", pairs, tables)
    return [*([Pairs(pairs)] if pairs else []), *tables]


def _spread(value: Any, path: str, pairs: list[tuple[str, Cell]], tables: list[Block]) -> None:
    if isinstance(value, dict) and as_quantity(value) is None:
        for key, inner in value.items():
            _spread(inner, f"{path}.{key}".lstrip("."), pairs, tables)
    elif isinstance(value, list) and value and all(_is_flat_object(inner) for inner in value):
        columns = list(dict.fromkeys(key for inner in value for key in inner))
        rows = [[plain_value(inner.get(key)) for key in columns] for inner in value]
        tables.append(Table(columns, rows, path))
    else:
        pairs.append((path or "value", plain_value(value)))


def _is_flat_object(value: Any) -> bool:
    return isinstance(value, dict) and not any(
        isinstance(inner, dict) and as_quantity(inner) is None for inner in value.values()
    )


def plain_value(value: Any) -> str:
    """One JSON value in one line; long and nested lists are counted."""
    quantity = as_quantity(value)
    if quantity is not None:
        return format_quantity(quantity)
    if isinstance(value, list):
        return _plain_list(value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {plain_value(inner)}" for key, inner in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _plain_list(values: list[Any]) -> str:
    if len(values) > LONGEST_LIST:
        return f"{len(values)} entries"
    nested = any(isinstance(value, (list, dict)) for value in values)
    return (" | " if nested else " ").join(map(plain_value, values)) or "none"


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = "") -> list[Block]:
    """A table, or nothing where there are no rows."""
    return [Table(columns, rows, caption)] if rows else []
