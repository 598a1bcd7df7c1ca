"""What a page carries: all that it says and draws of its records, in the order in which it is read.

The structs here and in `groma.report.blocks` are the contract with `viewer/`, whose TypeScript types are
generated from their JSON schema. `python -m groma.report.payload` prints it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.kinds import kind_named
from groma.record.io import encoded
from groma.record.units import format_time
from groma.report.against import comparison_section, in_place
from groma.report.blocks import Block, Drawing
from groma.report.joining import Chapter, joined_sections
from groma.report.packing import pack
from groma.report.sharing import share
from groma.report.views.registry import Named, PageSection, comparison_of, load_views, sections_of
from groma.report.words.environment import environment_of, machine_name, program_of
from groma.report.words.kinds import kind_title
from groma.report.words.text import joined, shortened

if TYPE_CHECKING:
    from groma.facts.comparison import ComparisonFacts
    from groma.record import Record


class PageRecord(msgspec.Struct, kw_only=True):
    """A record as the page shows it; `name` is what a comparison calls it."""

    name: str
    sections: Sequence[PageSection]


class Page(msgspec.Struct, kw_only=True):
    """`kind` is what the record of a page of one is called, `about` what the page tells below its title."""

    title: str
    kind: str
    about: str
    comparison: Sequence[PageSection]
    records: Sequence[PageRecord]


LONGEST_COMMAND = 300
"""Letters of a command below the title: with a hundred files it is longer; the environment has it whole."""

LONGEST_TITLE = 200
"""Letters of a title, and of the host below it."""

Against = Mapping[str, "Record[ComparisonFacts]"]
"""By name of a record, its comparison with an older one, which is the first of the two."""


def page_of(records: Sequence[tuple[str, Record[Any]]], against: Against | None = None) -> Page:
    """The content of a page over named records, in their order; changes from older records in place."""
    against = against or {}
    named = [Named(*one) for one in records]
    alone = named[0] if len(named) == 1 else None
    chapters = [Chapter(*one, _sections(one, against.get(one.name))) for one in named]
    return Page(
        title=shortened(_title(alone) if alone else _title_of_several(named), LONGEST_TITLE),
        kind=kind_title(alone.record.kind) if alone else "",
        about=_about(alone.record) if alone else " · ".join(one.name for one in named),
        comparison=[*map(comparison_section, against.values()), *comparison_of(named)],
        records=_shown(chapters),
    )


def _shown(chapters: Sequence[Chapter]) -> list[PageRecord]:
    """Records of one kind to choose from; of several kinds all, one after the other."""
    if _is_mixed([one.record for one in chapters]):
        return [PageRecord(name="", sections=joined_sections(chapters))]
    return [PageRecord(name=one.name, sections=one.sections) for one in chapters]


def _is_mixed(records: Sequence[Record[Any]]) -> bool:
    return len({one.kind for one in records}) > 1


def _title_of_several(named: Sequence[Named]) -> str:
    """The machine, where all records are of one."""
    if not _is_mixed([one.record for one in named]):
        return f"{len(named)} records compared"
    machines = {machine_name(environment_of(one.record), "") for one in named} - {""}
    return f"Report: {machines.pop()}" if len(machines) == 1 else f"{len(named)} records"


def _sections(one: Named, comparison: Record[ComparisonFacts] | None) -> list[PageSection]:
    sections = sections_of(one.record)
    return sections if comparison is None else in_place(sections, one.record, comparison)


def encode(page: Page) -> bytes:
    """`page` as compact JSON: its matrices packed, what stands in it several times written once."""
    # By way of JSON text: pack knows lists, where structs may also hold tuples.
    return msgspec.json.encode(share(pack(msgspec.json.decode(encoded(page)))))


def page_schema() -> dict[str, Any]:
    """JSON schema of a page; `$defs` also holds every block and every drawing."""
    load_views()  # some have drawings of their own
    template = "#/$defs/{name}"
    shapes = (Page, *_kinds_of(Block), *_kinds_of(Drawing))
    (page, *_), definitions = msgspec.json.schema_components(shapes, ref_template=template)
    return {**page, "$defs": definitions}


def _kinds_of(base: type) -> list[type]:
    return sorted(base.__subclasses__(), key=lambda one: one.__name__)


def _title(one: Named) -> str:
    return _subject(one) if one.record.kind == "survey" else f"{kind_title(one.record.kind)}: {_subject(one)}"


def _subject(one: Named) -> str:
    kind = kind_named(one.record.kind)
    if kind is None or kind.subject is None:
        return machine_name(environment_of(one.record), one.name)
    return kind.subject(one.record.facts)


def _about(record: Record[Any]) -> str:
    """Where, when and how the record was made."""
    host = environment_of(record).host
    command = shortened(" ".join(record.command), LONGEST_COMMAND)
    return joined(
        host and shortened(host, LONGEST_TITLE),
        format_time(record.created),
        command,
        program_of(record),
        by=" · ",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(page_schema()), indent=2) + b"\n")
