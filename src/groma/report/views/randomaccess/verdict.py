"""Whether the run counts, and its main values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess import RandomAccessFacts
from groma.record.counting import counted
from groma.record.units import format_number, format_share
from groma.report.blocks import Banner, Tile, lead_and_tiles
from groma.report.views.marks import sampled_tile
from groma.report.views.registry import view
from groma.report.views.run.model import warning_line
from groma.report.words.environment import on_processor
from groma.report.words.launch import failure_words
from groma.report.words.randomaccess import (
    algorithm_words,
    message_kinds,
    message_size,
    table_words,
    validation_of,
)

if TYPE_CHECKING:
    from groma.facts.randomaccess import Exchange
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("verdict", order=0, of=RandomAccessFacts)
def verdict(record: Record[RandomAccessFacts]) -> Blocks:
    facts = record.facts
    tiles = [
        *_rate_tiles(facts),
        *_words_tile(facts),
        *_ahead_tile(facts),
        *([_sent_tile(facts.exchange)] if facts.exchange else []),
    ]
    return [_banner(record), *lead_and_tiles(_lead(record), tiles)]


def _banner(record: Record[RandomAccessFacts]) -> Banner:
    outcome, words = validation_of(record.facts)
    failed = [failure_words("RandomAccess", check) for check in record.facts.checks if not check.passed]
    return Banner(outcome=outcome, title=f"Validation {words}", lines=[*failed, *warning_line(record)])


def _lead(record: Record[RandomAccessFacts]) -> str:
    facts = record.facts
    where = f" on {counted(facts.launch.nodes, 'machine')}" if facts.launch else ""
    parts = [
        f"{algorithm_words(facts)}{where}",
        counted(facts.ranks, "rank"),
        f"mapping mode {facts.mapping_mode}",
        f"a table of {table_words(facts.table_words)}",
    ]
    return f"RandomAccess{on_processor(record)}: {'; '.join(parts)}."


def _rate_tiles(facts: RandomAccessFacts) -> list[Tile]:
    rate, time = facts.gups, facts.seconds
    tiles = []
    if rate:
        each = (
            [f"{format_number(rate.value / facts.ranks)} {rate.unit} for each rank"]
            if facts.ranks > 1
            else []
        )
        tiles.append(sampled_tile("Updates per second", rate, each))
    if time:
        every = [] if facts.updates is None else [f"{facts.updates:,} updates in all"]
        tiles.append(sampled_tile("Time of a repetition", time, every))
    return tiles


def _words_tile(facts: RandomAccessFacts) -> list[Tile]:
    if facts.errors is None:
        return []
    lines = [f"of {facts.table_words:,} in the table, over all repetitions", "0 allowed"]
    return [Tile(title="Wrong words", value=f"{facts.errors:,}", lines=lines)]


NODE_HOLDS = {6, 8}
"""Mapping modes in which the limit of look-ahead is that of a node."""


def _ahead_tile(facts: RandomAccessFacts) -> list[Tile]:
    most, allowed = facts.look_ahead_max, facts.look_ahead
    if most is None:
        return []
    holder = "node" if facts.mapping_mode in NODE_HOLDS else "core"
    share = "more than allowed" if most > allowed else f"{format_share(most / allowed)} of the limit"
    lines = [f"updates held at once by a {holder}", share]
    return [Tile(title="Maximum look-ahead", value=str(most), unit=f"of {allowed}", lines=lines)]


def _sent_tile(exchange: Exchange) -> Tile:
    size = message_size(exchange)
    lines = [
        f"in {format_number(exchange.messages)} messages",
        *([f"{size} per message"] if size else []),
        *message_kinds(exchange),
        f"{format_number(exchange.handed)} handed on through shared memory",
    ]
    return Tile(title="Sent per update", value=format_number(exchange.bytes), unit="B", lines=lines)
