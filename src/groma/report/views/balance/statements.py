"""What the numbers say: a verdict on each system, and a sentence beside the figure that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.statements import RULES
from groma.facts.balance import BalanceFacts
from groma.record.counting import counted
from groma.report.blocks import DataTable, Note, Tile, lead_and_tiles, table_figure
from groma.report.quantities import shown
from groma.report.views.marks import interval_of
from groma.report.views.registry import view
from groma.report.words.balance import (
    ratio_title,
    statement_name,
    threshold_words,
    with_ratios,
    without_ratios,
)
from groma.report.words.text import joined, listed, sentence, value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.facts.balance import Statement, System, SystemRatios
    from groma.record import Record
    from groma.report.blocks import Block
    from groma.report.views.registry import Blocks

MOST_TILES = 6
MOST_NAMES = 4


@view("verdict", order=0, of=BalanceFacts)
def verdict(record: Record[BalanceFacts]) -> Blocks:
    facts = record.facts
    own = [one for one in with_ratios(facts) if not one[0].reference]
    references = len(facts.systems) - len(own)
    lead = joined(
        f"{counted(len(own), 'system')} of yours" if own else "",
        f"{counted(references, 'system')} to compare with" if references else "",
        by=" among ",
    )
    tiles = [_tile(*one, facts) for one in own[:MOST_TILES]]
    more = (
        [f"The first {len(tiles)} stand here, and all in the tables below."] if len(own) > len(tiles) else []
    )
    notes = [Note(text=f"{one}.") for one in without_ratios(facts.systems)]
    finding = lead_and_tiles(" ".join([f"{lead}.", *more]), tiles)
    return [*finding, *notes, *_table(facts.statements)]


def _tile(system: System, ratios: SystemRatios, facts: BalanceFacts) -> Tile:
    balance = ratios.over_hpl.get("random_ring")
    words = [one.code for one in facts.statements if one.system == system.name]
    lines = [_place(ratios, facts), _speed(system), system.no_ratios, listed([*map(statement_name, words)])]
    if balance is None:
        return Tile(title=system.name, value="no balance", lines=[line for line in lines if line])
    value, _, unit = value_text(balance).partition(" ")
    return Tile(
        title=system.name,
        value=value,
        unit=unit,
        interval=interval_of(balance),
        lines=["random ring over HPL", *(line for line in lines if line)],
    )


def _place(ratios: SystemRatios, facts: BalanceFacts) -> str:
    own = ratios.over_hpl.get("random_ring")
    every = [one.over_hpl["random_ring"].value for one in facts.ratios if "random_ring" in one.over_hpl]
    if own is None or len(every) < 2:
        return ""
    return f"place {1 + sum(value > own.value for value in every)} of {len(every)}"


def _speed(system: System) -> str:
    hpl = system.accumulated.get("hpl")
    return f"HPL {value_text(hpl)}" if hpl else ""


def _table(statements: Sequence[Statement]) -> list[Block]:
    return table_figure(
        "balance-statements",
        "What the numbers say",
        "Each statement holds for the whole interval of its value. The thresholds and their reasons are in "
        "the table; most are those of the systems of 2005.",
        DataTable(
            columns=["system", "statement", "what it means", "ratio", "value", "threshold", "reason"],
            rows=[_row(one) for one in statements],
        ),
        data=statements,
    )


def _row(one: Statement) -> list[str]:
    value = shown(one.value)
    return [
        one.system,
        statement_name(one.code),
        sentence(one.text),
        ratio_title(one.ratio),
        value if isinstance(value, str) else value_text(one.value),
        threshold_words(one.side, one.threshold, one.value.unit),
        sentence(one.reason),
    ]


def notes_beside(facts: BalanceFacts, ratios: Iterable[str]) -> list[Block]:
    """A sentence for each statement on these ratios, beside the figure that shows them."""
    wanted = set(ratios)
    notes: list[Block] = []
    for rule in RULES:
        found = [one for one in facts.statements if one.code == rule.code and one.ratio in wanted]
        if found:
            notes.append(Note(text=_sentence(found)))
    return notes


def _sentence(found: Sequence[Statement]) -> str:
    first = found[0]
    names = [f"{one.system} ({value_text(one.value)})" for one in found[:MOST_NAMES]]
    more = [f"{len(found) - MOST_NAMES} more"] if len(found) > MOST_NAMES else []
    where = f"{ratio_title(first.ratio)} {threshold_words(first.side, first.threshold, first.value.unit)}"
    title = statement_name(first.code)
    return f"{title[0].upper()}{title[1:]}, {where}: {listed([*names, *more])}. {sentence(first.text)}"
