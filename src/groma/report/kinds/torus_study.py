"""The sections of a study of the torus simulator on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report.document import StyledText, Table, Text
from groma.report.terminal import Blocks, Sections, add_common_sections, table
from groma.report.words.torus import parameter_text, source_text
from groma.report.words.torus_study import cells_of, columns_of, heading_of, remarks_of

if TYPE_CHECKING:
    from groma.facts.torus_study import StudyRow, StudyTable, TorusStudyFacts
    from groma.record import Record
    from groma.report.document import Cell, Tone

SECTIONS = Sections()

_LEFT = {"torus", ""}
_TONES: dict[bool | None, Tone] = {True: "good", False: "bad", None: "plain"}


@SECTIONS.section("tables", "Study", "facts", "tables")
def tables(record: Record[TorusStudyFacts]) -> Blocks:
    blocks = [block for one in record.facts.tables for block in _table(one)]
    return [Text([StyledText(record.facts.title, "strong")]), *blocks] if blocks else ()


def _table(one: StudyTable) -> Blocks:
    columns = columns_of(one)
    rows = [_row(one, row, columns) for row in one.rows]
    shown = Table(
        [name if name in _LEFT | {one.varied} else f">{name}" for name in columns],
        rows,
        caption=f"{heading_of(one)}   ({one.against}: {one.source})",
    )
    remarks = remarks_of(one)
    return [shown, Text(list(remarks))] if remarks else [shown]


def _row(one: StudyTable, row: StudyRow, columns: list[str]) -> list[Cell]:
    texts = cells_of(one, row)
    return [StyledText(texts[name], _TONES[row.agrees]) if not name else texts[name] for name in columns]


@SECTIONS.section("notes", "To be known", "facts", "notes")
def notes(record: Record[TorusStudyFacts]) -> Blocks:
    return [Text(list(record.facts.notes))] if record.facts.notes else ()


@SECTIONS.section("assumed", "Assumed, for want of a source", "facts", "parameters")
def assumed(record: Record[TorusStudyFacts]) -> Blocks:
    rows: list[list[Cell]] = [
        [one.name, parameter_text(one), source_text(one)] for one in record.facts.parameters
    ]
    return table(["parameter", ">value", "source"], rows)


add_common_sections(SECTIONS)
