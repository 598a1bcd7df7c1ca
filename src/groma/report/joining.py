"""Records of several kinds as one report: a chapter each, then where and how all of them were measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.report.blocks import Choice, Figure, Heading
from groma.report.views.registry import PageSection
from groma.report.words.kinds import kind_title
from groma.report.words.text import id_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.record import Record
    from groma.report.blocks import Block

LAST = ("environment", "method", "samples")
"""Sections that stand at the end, with those of all records in each."""


class Chapter(NamedTuple):
    """A record, what the page calls it, and its sections."""

    name: str
    record: Record[Any]
    sections: Sequence[PageSection]

    @property
    def title(self) -> str:
        return f"{kind_title(self.record.kind)}: {self.name}"


def joined_sections(chapters: Sequence[Chapter]) -> list[PageSection]:
    """One section for each record, then those of LAST; figures of different records keep apart."""
    numbered = [_numbered(*one) for one in enumerate(chapters, start=1)]
    own = [
        PageSection(id=f"record-{number}", title=one.title, blocks=list(_parts(one)))
        for number, one in enumerate(numbered, start=1)
    ]
    return [*own, *(section for id_ in LAST for section in _last(id_, numbered))]


def _parts(chapter: Chapter) -> Iterator[Block]:
    for section in chapter.sections:
        if section.id not in LAST:
            yield Heading(text=section.title)
            yield from section.blocks


def _last(id_: str, chapters: Sequence[Chapter]) -> Iterator[PageSection]:
    found = [(one, section) for one in chapters for section in one.sections if section.id == id_]
    if found:
        blocks = [block for one, section in found for block in (Heading(text=one.title), *section.blocks)]
        yield PageSection(id=id_, title=found[0][1].title, blocks=blocks)


def _numbered(number: int, chapter: Chapter) -> Chapter:
    """With figures whose names no other record has, as links and labels need them."""
    prefix = f"record-{number}"
    sections = [
        msgspec.structs.replace(one, blocks=[_renamed(block, prefix) for block in one.blocks])
        for one in chapter.sections
    ]
    return chapter._replace(sections=sections)


def _renamed(block: Block, prefix: str) -> Block:
    if isinstance(block, Figure):
        return _figure(block, prefix)
    if isinstance(block, Choice):
        options = [msgspec.structs.replace(one, figure=_figure(one.figure, prefix)) for one in block.options]
        return msgspec.structs.replace(block, id=id_of(prefix, block.id), options=options)
    return block


def _figure(figure: Figure, prefix: str) -> Figure:
    return msgspec.structs.replace(figure, id=id_of(prefix, figure.id))
