"""The sections of a search for a bottleneck on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_quantity
from groma.report.document import Pairs, StyledText, Text
from groma.report.runs import add_launch, checks_table
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.words.environment import environment_of
from groma.report.words.randomaccess import (
    NO_FIGURE,
    bottleneck_validation,
    bottleneck_words,
    table_words,
)

if TYPE_CHECKING:
    from groma.facts.randomaccess_bottleneck import BottleneckFacts, RoleLoad
    from groma.record import Record
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

SECTIONS = Sections()

COLUMNS = ["role", ">ranks", "later roles dropped", "delayed, less the delay", "response"]


@SECTIONS.section("bottleneck", "Bottleneck of RandomAccess", "facts")
def bottleneck(record: Record[BottleneckFacts]) -> Blocks:
    facts = record.facts
    outcome, words = bottleneck_validation(facts)
    grid = "x".join(map(str, facts.grid))
    items: list[tuple[str, Cell]] = [
        ("processor", environment_of(record).cpu.model or "unknown"),
        ("ranks", str(facts.ranks)),
        *([("grid of nodes", grid)] if grid else []),
        ("mapping mode", str(facts.mapping_mode)),
        ("table", table_words(facts.table_words)),
        ("time of an update", format_quantity(facts.update_time)),
        ("bottleneck", bottleneck_words(facts)),
        ("validation", StyledText(words, outcome)),
    ]
    return [Pairs(items), Text([NO_FIGURE])]


@SECTIONS.section("roles", "Loads of roles", "facts", "roles")
def roles(record: Record[BottleneckFacts]) -> Blocks:
    rows = [_row(one) for one in [*record.facts.roles, *record.facts.messages]]
    return table(COLUMNS, rows, "time of a node for an update; response is the visible part of the delay")


def _row(one: RoleLoad) -> list[Cell]:
    ranks = "-" if one.ranks is None else str(one.ranks)
    return [
        one.role,
        ranks,
        format_quantity(one.dropped),
        format_quantity(one.delayed),
        format_quantity(one.response),
    ]


@SECTIONS.section("checks", "Checks", "facts", "checks")
def checks(record: Record[BottleneckFacts]) -> Blocks:
    return checks_table([("RandomAccess", check) for check in record.facts.checks])


add_launch(SECTIONS)
add_common_sections(SECTIONS)
