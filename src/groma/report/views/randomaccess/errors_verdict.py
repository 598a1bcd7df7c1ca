"""Which strategies were exact, what threads gain that do not synchronise, and what they get wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess_errors import ErrorFacts
from groma.record.counting import counted
from groma.record.units import format_number, format_share
from groma.report.blocks import Banner, Tile, lead_and_tiles
from groma.report.views.marks import sampled_tile
from groma.report.views.registry import view
from groma.report.words.environment import on_processor
from groma.report.words.randomaccess import (
    MILLION,
    RATE_UNIT,
    compared_words,
    errors_validation,
    fastest_exact,
    strategy_named,
    table_words,
    wrong_words_text,
)
from groma.report.words.text import quantity_text, value_text

if TYPE_CHECKING:
    from groma.facts.randomaccess_errors import Strategy
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("verdict", order=0, of=ErrorFacts)
def verdict(record: Record[ErrorFacts]) -> Blocks:
    return [_banner(record.facts), *lead_and_tiles(_lead(record), _tiles(record.facts))]


def _banner(facts: ErrorFacts) -> Banner:
    outcome, words = errors_validation(facts)
    broken = [_broken_line(one) for one in facts.strategies if one.exact and one.error_rate.wrong_words]
    loose = wrong_words_text(facts)
    lines = broken or [*([f"unsynchronised {loose}."] if loose else []), *_exact_line(facts)]
    return Banner(outcome=outcome, title=f"Validation {words}", lines=lines)


def _broken_line(one: Strategy) -> str:
    rate = one.error_rate
    wrong = counted(rate.wrong_words, "wrong word")
    return f"{one.name}: {wrong} in {rate.wrong_runs} of {counted(rate.runs, 'run')}, 0 allowed."


def _exact_line(facts: ErrorFacts) -> list[str]:
    best = fastest_exact(facts)
    if best is None:
        return []
    ratio = best.to_unsynchronised
    price = f": {compared_words(ratio, 'threads that do not synchronise')}" if ratio else ""
    return [f"Of the exact strategies on the shared table, {best.name} was the fastest{price}."]


def _lead(record: Record[ErrorFacts]) -> str:
    facts = record.facts
    times = format_number(facts.updates / facts.table_words)
    return (
        f"{counted(facts.threads, 'thread')}{on_processor(record)}, one table of "
        f"{table_words(facts.table_words)}; {facts.updates:,} updates per run ({times} for each word)."
    )


def _tiles(facts: ErrorFacts) -> list[Tile]:
    loose, serial = (strategy_named(facts, name) for name in ("unsynchronised", "serial"))
    best = fastest_exact(facts)
    return [
        *([_error_tile(loose), _rate_tile("Unsynchronised", loose)] if loose else []),
        *([_rate_tile(f"Exact: {best.name}", best)] if best else []),
        *([_rate_tile("One thread", serial)] if serial else []),
    ]


def _error_tile(one: Strategy) -> Tile:
    rate = one.error_rate
    deviation = rate.standard_deviation
    spread = "one run"
    if deviation is not None:
        spread = f"± {format_number(MILLION * deviation)} {RATE_UNIT}, standard deviation"
    relative = [] if rate.relative is None else [f"deviation is {format_share(rate.relative)} of the mean"]
    return Tile(
        title="Wrong words, unsynchronised",
        value=format_number(MILLION * rate.mean),
        unit=RATE_UNIT,
        interval=spread,
        lines=[
            f"of the table's words; mean of {counted(rate.runs, 'run')}",
            f"{rate.wrong_runs} of them with wrong words",
            *relative,
        ],
    )


def _rate_tile(title: str, one: Strategy) -> Tile:
    serial, loose = one.to_serial, one.to_unsynchronised
    lines = [
        counted(one.threads, "thread"),
        *([f"{quantity_text(serial)} of one thread"] if serial and one.name != "serial" else []),
        *([f"{value_text(loose)} of unsynchronised"] if loose and one.exact else []),
    ]
    return sampled_tile(title, one.gups, lines)
