"""The sections of a run of RandomAccess on the terminal, in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_quantity, format_value
from groma.report.document import Pairs, StyledText
from groma.report.runs import add_launch, checks_table
from groma.report.series import series_of
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.views.run.sampled import OF_RANKS
from groma.report.words.environment import environment_of
from groma.report.words.randomaccess import message_kinds, message_size, validation_of, what_entries

if TYPE_CHECKING:
    from groma.facts.randomaccess import Exchange, RandomAccessFacts
    from groma.record import Record
    from groma.report.document import Cell
    from groma.report.series import PageSeries
    from groma.report.terminal import Blocks

    Run = Record[RandomAccessFacts]

SECTIONS = Sections()


@SECTIONS.section("run", "RandomAccess", "facts", "plan")
def run(record: Run) -> Blocks:
    return [
        Pairs(
            [
                ("processor", environment_of(record).cpu.model or "unknown"),
                ("ranks", str(record.facts.ranks)),
                *what_entries(record.facts),
            ]
        )
    ]


@SECTIONS.section("results", "Results", "facts")
def results(record: Run) -> Blocks:
    facts = record.facts
    items: list[tuple[str, Cell | None]] = [
        ("rate", format_quantity(facts.gups)),
        ("rate of each rank", _each(facts)),
        ("updates", None if facts.updates is None else f"{facts.updates:,}"),
        ("time of a repetition", format_quantity(facts.seconds)),
        ("wrong words", _counted(facts.errors, 0)),
        ("maximum look-ahead", _counted(facts.look_ahead_max, facts.look_ahead)),
        ("sent per update", _sent(facts.exchange) if facts.exchange else None),
        ("validation", _verdict(facts)),
    ]
    return [Pairs([(name, value) for name, value in items if value is not None])]


def _each(facts: RandomAccessFacts) -> str | None:
    if facts.gups is None or facts.ranks <= 1:
        return None
    return format_value(facts.gups.value / facts.ranks, facts.gups.unit)


def _counted(number: int | None, most: int) -> Cell | None:
    if number is None:
        return None
    return f"{number} of {most} allowed" if number <= most else StyledText(f"{number}, {most} allowed", "bad")


def _sent(exchange: Exchange) -> str:
    size = message_size(exchange)
    by_messages = f"{exchange.bytes:.3g} B in {exchange.messages:.3g} messages{f' of {size}' if size else ''}"
    kinds = "".join(f", {kind}" for kind in message_kinds(exchange))
    return f"{by_messages}{kinds}, {exchange.handed:.3g} through shared memory"


def _verdict(facts: RandomAccessFacts) -> Cell:
    outcome, words = validation_of(facts)
    return StyledText(words, outcome)


@SECTIONS.section("checks", "Checks", "facts", "checks")
def checks(record: Run) -> Blocks:
    return checks_table([("RandomAccess", check) for check in record.facts.checks])


@SECTIONS.section("loads", "Loads", "facts", "loads")
def loads(record: Run) -> Blocks:
    rows = [
        [one.role, str(one.ranks), format_quantity(one.worked), format_quantity(one.waited)]
        for one in record.facts.loads
    ]
    return table(["role", ">ranks", "worked", "waited"], rows, "of a repetition, mean over the ranks")


@SECTIONS.section("ranks", "Rank by rank", "samples", at_a_glance=False)
def ranks(record: Run) -> Blocks:
    found = [series for samples in record.samples.values() for series in series_of(samples)]
    rows = [_ranks_row(one) for one in found if "role" in one.labels]
    columns = ["of a repetition", "role", ">ranks", ">least", ">rank", ">middle", ">most", ">rank"]
    return table(columns, rows, "medians of single ranks over the repetitions")


def _ranks_row(series: PageSeries) -> list[Cell]:
    name, unit = OF_RANKS.get(series.labels["series"], (series.labels["series"], series.labels["unit"]))
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


add_launch(SECTIONS)
add_common_sections(SECTIONS)
