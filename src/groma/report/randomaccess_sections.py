"""Records of RandomAccess on the terminal, and what a dry run tells, in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.launch.command import name_of
from groma.randomaccess.infer import planned_facts
from groma.record.randomaccess import ErrorFacts, OwnerFacts, RandomAccessFacts
from groma.record.units import format_quantity, format_value
from groma.report.document import Document, Pairs, Section, Text, Toned
from groma.report.launches import choices_of, launch_model, launch_section, placement_blocks
from groma.report.progress import counted, spoken
from groma.report.terminal import environment_of, generic_blocks, notes_of, section, table

if TYPE_CHECKING:
    from groma.launch.prepare import Prepared
    from groma.record import Record
    from groma.record.randomaccess import Exchange, OwnerLookup, Strategy
    from groma.report.document import Block, Cell
    from groma.report.terminal import Blocks

    Run = Record[RandomAccessFacts]

WORD = 8


# ---- a dry run ---------------------------------------------------------------------------------------------


def headline(setup: Prepared) -> str:
    """One line before a run begins."""
    what = f"{setup.plan['algorithm']} on {counted(setup.shape.ranks, 'rank')}"
    return f"groma randomaccess: {what}, about {spoken(setup.budget)}, by {name_of(setup.chosen)}"


def setup_model(setup: Prepared) -> dict[str, Any]:
    """The same for programs."""
    return launch_model(setup)


def setup_document(setup: Prepared) -> Document:
    plan = setup.plan
    run = Pairs(
        [
            *_what(planned_facts(plan, setup.shape.ranks)),
            ("updates", f"{plan['updates']}, in {counted(plan['repetitions'], 'part')}"),
            ("memory", f"{format_value(plan['memory_per_rank'], 'B')} of each rank"),
            ("time", f"about {spoken(setup.budget)}"),
        ]
    )
    return Document(
        [
            launch_section(setup),
            Section("run", "Run", [run, *choices_of(plan), Text(["nothing was started"])]),
        ]
    )


def _what(facts: RandomAccessFacts) -> list[tuple[str, Cell]]:
    """What was decided before the run."""
    grid = "x".join(map(str, facts.grid))
    words = facts.table_words
    items: list[tuple[str, Cell]] = [
        ("algorithm", f"{facts.algorithm}{f' on a grid of {grid}' if grid else ''}"),
        ("mapping mode", str(facts.mapping_mode)),
        ("table", f"{words} words, {format_value(WORD * words, 'B')}"),
        ("sequence", facts.generator),
        ("owners", f"by {facts.owner}" if facts.owner else ""),
        ("look-ahead", str(facts.look_ahead)),
    ]
    return [(name, value) for name, value in items if value]


# ---- a run -------------------------------------------------------------------------------------------------


@section("run", "RandomAccess", "facts", "plan", of=RandomAccessFacts)
def run(record: Run) -> Blocks:
    return [
        Pairs(
            [
                ("processor", environment_of(record).cpu.model or "unknown"),
                ("ranks", str(record.facts.ranks)),
                *_what(record.facts),
            ]
        )
    ]


@section("results", "Results", "facts", of=RandomAccessFacts)
def results(record: Run) -> Blocks:
    facts = record.facts
    items: list[tuple[str, Cell | None]] = [
        ("rate", format_quantity(facts.gups)),
        ("updates", None if facts.updates is None else str(facts.updates)),
        ("time of a repetition", format_quantity(facts.seconds)),
        ("wrong words", _counted(facts.errors, 0)),
        ("look-ahead, most", _counted(facts.look_ahead_max, facts.look_ahead)),
        ("sent for an update", _sent(facts.exchange) if facts.exchange else None),
        ("validation", _verdict(facts)),
    ]
    return [Pairs([(name, value) for name, value in items if value is not None])]


def _counted(number: int | None, most: int) -> Cell | None:
    if number is None:
        return None
    return f"{number} of {most} allowed" if number <= most else Toned(f"{number}, {most} allowed", "bad")


def _sent(exchange: Exchange) -> str:
    by_messages = f"{exchange.bytes:.3g} B in {exchange.messages:.3g} messages"
    return f"{by_messages}, {exchange.handed:.3g} through shared memory"


def _verdict(facts: RandomAccessFacts) -> Cell:
    if facts.success is None:
        return Toned("the run did not come to its checks", "warn")
    return Toned("passed", "good") if facts.success else Toned("FAILED", "bad")


@section("loads", "Loads", "facts", "loads", of=RandomAccessFacts)
def loads(record: Run) -> Blocks:
    rows = [
        [one.role, str(one.ranks), format_quantity(one.worked), format_quantity(one.waited)]
        for one in record.facts.loads
    ]
    return table(["role", ">ranks", "worked", "waited"], rows, "of a repetition, mean over the ranks")


@section("placement", "Placement", "facts", "launch", "placement", of=RandomAccessFacts, at_a_glance=False)
def placement(record: Run) -> Blocks:
    return placement_blocks(record.facts.launch)


@section("launch", "Launch", "facts", "launch", of=RandomAccessFacts, at_a_glance=False)
def launch_line(record: Run) -> Blocks:
    launch = record.facts.launch
    return [Pairs([("launcher", launch.launcher), ("command", launch.command)])] if launch else []


@section("plan", "Plan", "facts", "plan", of=RandomAccessFacts, at_a_glance=False)
def plan(record: Run) -> Blocks:
    return generic_blocks(record.facts.plan)


@section("environment", "Environment", "environment", of=RandomAccessFacts, at_a_glance=False)
def environment(record: Run) -> Blocks:
    return generic_blocks(record.environment)


@section("warnings", "Warnings", "warnings", of=RandomAccessFacts)
def warnings(record: Run) -> list[Block]:
    return list(notes_of(record.warnings))


# ---- lookups of owners -------------------------------------------------------------------------------------


@section("lookups", "Finding the owner of a word", "facts", "lookups", of=OwnerFacts)
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
        "prediction" if one.predicted else "search",
        format_quantity(one.ratio),
    ]


# ---- errors of a shared table ------------------------------------------------------------------------------


@section("table", "RandomAccess on a shared table", "facts", of=ErrorFacts)
def shared_table(record: Record[ErrorFacts]) -> Blocks:
    facts = record.facts
    return [
        Pairs(
            [
                ("table", f"{facts.table_words} words, {format_value(WORD * facts.table_words, 'B')}"),
                ("updates", f"{facts.updates} in a run"),
                ("threads", str(facts.threads)),
            ]
        )
    ]


@section("rates", "Rates", "facts", "strategies", of=ErrorFacts)
def strategy_rates(record: Record[ErrorFacts]) -> Blocks:
    columns = ["strategy", ">threads", "rate", "to serial", "to unsynchronised"]
    return table(columns, [_rates_row(one) for one in record.facts.strategies])


def _rates_row(one: Strategy) -> list[Cell]:
    to_serial, to_unsynchronised = format_quantity(one.to_serial), format_quantity(one.to_unsynchronised)
    return [one.name, str(one.threads), format_quantity(one.gups), to_serial, to_unsynchronised]


@section("errors", "Errors", "facts", "strategies", of=ErrorFacts)
def strategy_errors(record: Record[ErrorFacts]) -> Blocks:
    columns = [
        "strategy",
        ">runs",
        ">wrong words",
        ">mean",
        ">deviation",
        ">deviation/mean",
        ">median",
        ">max",
    ]
    rows = [_errors_row(one) for one in record.facts.strategies]
    return table(columns, rows, "wrong words over words of the table, of a run, in 1e-6")


def _errors_row(one: Strategy) -> list[Cell]:
    rate = one.error_rate
    wrong = str(rate.wrong_words)
    return [
        one.name,
        str(rate.runs),
        Toned(f"{wrong}, 0 allowed", "bad") if one.exact and rate.wrong_words else wrong,
        _millionths(rate.mean),
        _millionths(rate.standard_deviation),
        "-" if rate.relative is None else f"{rate.relative:.2f}",
        _millionths(rate.p50),
        _millionths(rate.max),
    ]


def _millionths(rate: float | None) -> str:
    return "-" if rate is None else f"{1e6 * rate:.3g}"


@section("warnings", "Warnings", "warnings", of=ErrorFacts)
def warnings_of_errors(record: Record[ErrorFacts]) -> list[Block]:
    return list(notes_of(record.warnings))
