"""The sections of a study of errors on the terminal, in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_quantity
from groma.report.document import Pairs, StyledText
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.words.environment import environment_of
from groma.report.words.randomaccess import errors_validation, table_words, wrong_words_text

if TYPE_CHECKING:
    from groma.facts.randomaccess_errors import ErrorFacts, Strategy
    from groma.record import Record
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

SECTIONS = Sections()


@SECTIONS.section("table", "RandomAccess on a shared table", "facts")
def shared_table(record: Record[ErrorFacts]) -> Blocks:
    facts = record.facts
    return [
        Pairs(
            [
                ("processor", environment_of(record).cpu.model or "unknown"),
                ("table", table_words(facts.table_words)),
                ("updates", f"{facts.updates:,} per run"),
                ("threads", str(facts.threads)),
                ("validation", _exact(facts)),
                ("not synchronised", wrong_words_text(facts) or "not run"),
            ]
        )
    ]


def _exact(facts: ErrorFacts) -> Cell:
    outcome, words = errors_validation(facts)
    return StyledText(words, outcome)


@SECTIONS.section("rates", "Rates", "facts", "strategies")
def strategy_rates(record: Record[ErrorFacts]) -> Blocks:
    columns = ["strategy", ">threads", "rate", "to serial", "to unsynchronised"]
    return table(columns, [_rates_row(one) for one in record.facts.strategies])


def _rates_row(one: Strategy) -> list[Cell]:
    to_serial, to_unsynchronised = format_quantity(one.to_serial), format_quantity(one.to_unsynchronised)
    return [one.name, str(one.threads), format_quantity(one.gups), to_serial, to_unsynchronised]


@SECTIONS.section("errors", "Errors", "facts", "strategies")
def strategy_errors(record: Record[ErrorFacts]) -> Blocks:
    columns = [
        "strategy",
        ">runs",
        ">wrong words",
        ">mean",
        ">deviation",
        ">deviation/mean",
        ">quartiles",
        ">max",
    ]
    rows = [_errors_row(one) for one in record.facts.strategies]
    return table(columns, rows, "wrong words of a run per million words of the table")


def _errors_row(one: Strategy) -> list[Cell]:
    rate = one.error_rate
    wrong = str(rate.wrong_words)
    return [
        one.name,
        str(rate.runs),
        StyledText(f"{wrong}, 0 allowed", "bad") if one.exact and rate.wrong_words else wrong,
        _millionths(rate.mean),
        _millionths(rate.standard_deviation),
        "-" if rate.relative is None else f"{rate.relative:.2f}",
        " ".join(map(_millionths, (rate.p25, rate.p50, rate.p75))),
        _millionths(rate.max),
    ]


def _millionths(rate: float | None) -> str:
    return "-" if rate is None else f"{1e6 * rate:.3g}"


add_common_sections(SECTIONS)
