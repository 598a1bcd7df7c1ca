"""The sections of a record of kind hpcc on the terminal, in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.hpccoutf.keys import KEYS
from groma.record.counting import counted
from groma.record.units import format_quantity, format_time
from groma.report.document import Pairs, StyledText
from groma.report.runs import add_launch, checks_table
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.words.environment import environment_of
from groma.report.words.launch import bound_words
from groma.report.words.suite import figure_name, name_of_test, validation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groma.facts.hpcc import Figure, HpccFacts, HpccTest
    from groma.record import Quantity, Record
    from groma.record.launch import Launch
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

    Run = Record[HpccFacts]

SECTIONS = Sections()


@SECTIONS.section("run", "HPC Challenge", "facts", "launch")
def run(record: Run) -> Blocks:
    environment, launch = environment_of(record), record.facts.launch
    items: list[tuple[str, Cell | None]] = [
        ("processor", environment.cpu.model),
        ("ranks", _ranks(launch) if launch else None),
        ("mpi", launch.mpi if launch else None),
        ("blas", launch.blas if launch else None),
        ("sizes", str(record.parameters.get("sizes") or "") or None),
        ("read from", record.facts.origin),
        ("measured", _measured(record)),
        ("validation", _verdict(record.facts)),
    ]
    return [Pairs([(name, value) for name, value in items if value])]


def _measured(record: Run) -> str:
    moment = format_time(record.created)
    return moment if record.facts.origin else f"{moment}, groma {record.build.version}"


def _ranks(launch: Launch) -> str:
    where = f"on {counted(launch.nodes, 'machine')}"
    threads = f" of {counted(launch.threads, 'thread')}" if launch.threads > 1 else ""
    return f"{launch.ranks}{threads} {where}, {bound_words(launch)}"


def _verdict(facts: HpccFacts) -> Cell:
    outcome, words = validation_of(facts)
    return StyledText(words, outcome)


@SECTIONS.section("results", "Results", "facts", "tests")
def results(record: Run) -> Blocks:
    if record.facts.origin:
        return table(["figure", ">value", "unit"], _summary_rows(record.facts.summary))
    rows = [row for test in record.facts.tests for row in _rows(test)]
    columns = ["test", "figure", "mode", ">median", "interval", ">samples", "rank by rank"]
    return table(columns, rows)


def _summary_rows(summary: Mapping[str, str]) -> list[list[Cell]]:
    """What the suite measures, as the file has it: rates and latencies."""
    measured = [key for key in KEYS if key.unit == "us" or key.unit.endswith("/s")]
    return [[key.name, summary[key.name], key.unit] for key in measured if key.name in summary]


def _rows(test: HpccTest) -> Iterator[list[Cell]]:
    name: Cell = name_of_test(test.name)
    if not test.done:
        name = StyledText(f"{name} (cut short)", "warn")
    for number, figure in enumerate(test.figures):
        value = figure.value
        yield [
            name if number == 0 else "",
            figure_name(figure),
            figure.mode,
            format_quantity(value, interval=False),
            _interval(value),
            str(value.samples.n) if value.samples else "-",
            _spread(figure),
        ]
    if not test.figures:
        yield [name, "-", "-", "-", "-", "0", "-"]


def _interval(quantity: Quantity) -> str:
    _, bracket, interval = format_quantity(quantity).partition("[")
    return f"[{interval}" if bracket else "-"


def _spread(figure: Figure) -> str:
    if figure.spread is None:
        return "-"
    low, high = (format_quantity(one, interval=False) for one in (figure.spread.min, figure.spread.max))
    return f"{low} (rank {figure.spread.min_rank}) to {high} (rank {figure.spread.max_rank})"


@SECTIONS.section("checks", "Checks", "facts", "tests")
def checks(record: Run) -> Blocks:
    return checks_table(
        [(name_of_test(test.name), check) for test in record.facts.tests for check in test.checks]
    )


add_launch(SECTIONS)


@SECTIONS.section("summary", "Summary of hpccoutf.txt", "facts", "summary", at_a_glance=False)
def summary(record: Run) -> Blocks:
    items: list[tuple[str, Cell]] = list(record.facts.summary.items())
    return [Pairs(items)] if items else []


add_common_sections(SECTIONS)
