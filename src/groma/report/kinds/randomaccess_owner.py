"""The sections of a study of owners on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_quantity
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.words.randomaccess import method_without_division

if TYPE_CHECKING:
    from groma.facts.randomaccess_owner import OwnerFacts, OwnerLookup
    from groma.record import Record
    from groma.report.document import Cell
from groma.report.terminal import Blocks

SECTIONS = Sections()


@SECTIONS.section("lookups", "Finding the owner of a word", "facts", "lookups")
def lookups(record: Record[OwnerFacts]) -> Blocks:
    rows = [_row(one) for one in record.facts.lookups]
    columns = [">parts", ">words", "by division", "without", "how", "division / without"]
    return table(columns, rows)


def _row(one: OwnerLookup) -> list[Cell]:
    return [
        str(one.parts),
        str(one.table_words),
        format_quantity(one.divided),
        format_quantity(one.predicted or one.searched),
        method_without_division(one),
        format_quantity(one.ratio),
    ]


add_common_sections(SECTIONS)
