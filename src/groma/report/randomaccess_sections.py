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
from groma.report.runs import checks_table, launch_line, samples_table
from groma.report.series import series_of
from groma.report.terminal import environment_of, generic_blocks, notes_of, section, table

if TYPE_CHECKING:
    from groma.launch.prepare import Prepared
    from groma.record import Record
    from groma.record.randomaccess import Exchange, OwnerLookup, Strategy
    from groma.report.document import Block, Cell
    from groma.report.series import PageSeries
    from groma.report.terminal import Blocks

    Run = Record[RandomAccessFacts]

WORD = 8

ALLOWED = 0.01
"""Wrong words over words that the rules of the benchmark allow."""


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
        ("rate of each rank", _each(facts)),
        ("updates", None if facts.updates is None else str(facts.updates)),
        ("time of a repetition", format_quantity(facts.seconds)),
        ("wrong words", _counted(facts.errors, 0)),
        ("look-ahead, most", _counted(facts.look_ahead_max, facts.look_ahead)),
        ("sent for an update", _sent(facts.exchange) if facts.exchange else None),
        ("validation", _verdict(facts)),
    ]
    return [Pairs([(name, value) for name, value in items if value is not None])]


def _each(facts: RandomAccessFacts) -> str | None:
    if facts.gups is None or facts.ranks == 1:
        return None
    return format_value(facts.gups.value / facts.ranks, facts.gups.unit)


def _counted(number: int | None, most: int) -> Cell | None:
    if number is None:
        return None
    return f"{number} of {most} allowed" if number <= most else Toned(f"{number}, {most} allowed", "bad")


def _sent(exchange: Exchange) -> str:
    size = f" of {format_value(exchange.bytes / exchange.messages, 'B')}" if exchange.messages else ""
    by_messages = f"{exchange.bytes:.3g} B in {exchange.messages:.3g} messages{size}"
    return f"{by_messages}, {exchange.handed:.3g} through shared memory"


def _verdict(facts: RandomAccessFacts) -> Cell:
    if facts.success is None:
        return Toned("the run did not come to its checks", "warn")
    return Toned("passed", "good") if facts.success else Toned("FAILED", "bad")


@section("checks", "Checks", "facts", "checks", of=RandomAccessFacts)
def checks(record: Run) -> Blocks:
    return checks_table([("RandomAccess", check) for check in record.facts.checks])


@section("loads", "Loads", "facts", "loads", of=RandomAccessFacts)
def loads(record: Run) -> Blocks:
    rows = [
        [one.role, str(one.ranks), format_quantity(one.worked), format_quantity(one.waited)]
        for one in record.facts.loads
    ]
    return table(["role", ">ranks", "worked", "waited"], rows, "of a repetition, mean over the ranks")


@section("ranks", "Rank by rank", "samples", of=RandomAccessFacts, at_a_glance=False)
def ranks(record: Run) -> Blocks:
    found = [series for samples in record.samples.values() for series in series_of(samples)]
    rows = [_ranks_row(one) for one in found if "role" in one.labels]
    columns = ["of a repetition", "role", ">ranks", ">least", ">rank", ">middle", ">most", ">rank"]
    return table(columns, rows, "medians of single ranks over the repetitions")


def _ranks_row(series: PageSeries) -> list[Cell]:
    name, unit = _OF_RANKS.get(series.labels["series"], (series.labels["series"], series.labels["unit"]))
    ordered = sorted(zip(series.median, series.members, strict=True))
    (least, (first,)), (middle, _), (most, (last,)) = ordered[0], ordered[len(ordered) // 2], ordered[-1]
    return [
        name,
        series.labels["role"],
        str(len(ordered)),
        format_value(least, unit),
        str(first),
        format_value(middle, unit),
        format_value(most, unit),
        str(last),
    ]


# What is sampled of each rank, in which unit.
_OF_RANKS = {
    "worked": ("time worked", "s"),
    "waited": ("time waited", "s"),
    "pending": ("updates held at most", "updates"),
    "messages": ("messages sent", "messages"),
    "sent": ("bytes sent", "B"),
    "handed": ("updates handed on", "updates"),
}


@section("placement", "Placement", "facts", "launch", "placement", of=RandomAccessFacts, at_a_glance=False)
def placement(record: Run) -> Blocks:
    return placement_blocks(record.facts.launch)


@section("launch", "Launch", "facts", "launch", of=RandomAccessFacts, at_a_glance=False)
def launch(record: Run) -> Blocks:
    return launch_line(record.facts.launch)


@section("plan", "Plan", "facts", "plan", of=RandomAccessFacts, at_a_glance=False)
def plan(record: Run) -> Blocks:
    return generic_blocks(record.facts.plan)


@section("samples", "Samples", "samples", of=RandomAccessFacts, at_a_glance=False)
def samples(record: Run) -> Blocks:
    return samples_table(record.samples)


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
                ("processor", environment_of(record).cpu.model or "unknown"),
                ("table", f"{facts.table_words} words, {format_value(WORD * facts.table_words, 'B')}"),
                ("updates", f"{facts.updates} in a run"),
                ("threads", str(facts.threads)),
                ("validation", _exact(facts)),
                ("not synchronised", _loose(facts)),
            ]
        )
    ]


def _exact(facts: ErrorFacts) -> Cell:
    exact = [one for one in facts.strategies if one.exact]
    if not exact:
        return "no strategy was run that has to be exact"
    broken = [one.name for one in exact if one.error_rate.wrong_words]
    if broken:
        return Toned(f"FAILED: {', '.join(broken)} lost updates", "bad")
    return Toned(
        f"passed: exact in all of {counted(sum(one.error_rate.runs for one in exact), 'run')}", "good"
    )


def _loose(facts: ErrorFacts) -> str:
    """What threads get wrong that do not synchronise, and what it gains."""
    loose = next((one for one in facts.strategies if one.name == "unsynchronised"), None)
    if loose is None:
        return "not run"
    rate = loose.error_rate
    deviation = f" ± {_millionths(rate.standard_deviation)}" if rate.standard_deviation else ""
    wrong = f"{_millionths(rate.mean)}{deviation} wrong words per million ({1e6 * ALLOWED:.0f} allowed)"
    gain = f", {format_quantity(loose.to_serial)} as fast as one thread" if loose.to_serial else ""
    return f"{wrong}{gain}"


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
        ">quartiles",
        ">max",
    ]
    rows = [_errors_row(one) for one in record.facts.strategies]
    return table(columns, rows, "wrong words per million words of the table, of a run")


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
        " ".join(map(_millionths, (rate.p25, rate.p50, rate.p75))),
        _millionths(rate.max),
    ]


def _millionths(rate: float | None) -> str:
    return "-" if rate is None else f"{1e6 * rate:.3g}"


# ---- around all of them ------------------------------------------------------------------------------------


def _around(facts: type) -> None:
    """Every kind ends with what surrounded it and what a reader has to know."""

    @section("environment", "Environment", "environment", of=facts, at_a_glance=False)
    def environment(record: Record[Any]) -> Blocks:
        return generic_blocks(record.environment)

    @section("warnings", "Warnings", "warnings", of=facts)
    def warnings(record: Record[Any]) -> list[Block]:
        return list(notes_of(record.warnings))


for _facts in (RandomAccessFacts, OwnerFacts, ErrorFacts):
    _around(_facts)
