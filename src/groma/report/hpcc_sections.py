"""The sections of a record of kind hpcc on the terminal, in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.hpcc.hpccoutf_keys import KEYS
from groma.record.hpcc import HpccFacts
from groma.record.units import format_quantity, format_time, format_value
from groma.report.document import Block, Pairs, Toned
from groma.report.launches import placement_blocks
from groma.report.progress import counted
from groma.report.runs import checks_table, launch_line, samples_table
from groma.report.terminal import environment_of, generic_blocks, notes_of, section, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groma.record import Quantity, Record
    from groma.record.hpcc import Figure, HpccTest
    from groma.record.launch import Launch
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

    Run = Record[HpccFacts]


@section("run", "HPC Challenge", "facts", "launch", of=HpccFacts)
def run(record: Run) -> Blocks:
    around, launch = environment_of(record), record.facts.launch
    items: list[tuple[str, Cell | None]] = [
        ("processor", around.cpu.model),
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
    bound = {"core": "bound to cores", "none": "unbound", "crowded": "unbound, more than cores"}
    return f"{launch.ranks}{threads} {where}, {bound.get(launch.binding, launch.binding)}"


def _verdict(facts: HpccFacts) -> Cell:
    checks = [check for test in facts.tests for check in test.checks]
    if facts.origin:
        return _said(facts.success)
    if facts.success is None:
        return Toned("not every test came to its end", "warn")
    if facts.success:
        return Toned(f"all {counted(len(checks), 'check')} passed", "good")
    return Toned(
        f"{sum(not check.passed for check in checks)} of {counted(len(checks), 'check')} failed", "bad"
    )


def _said(success: bool | None) -> Cell:
    if success is None:
        return Toned("the file does not say", "warn")
    return Toned("passed, as the file says", "good") if success else Toned("failed, as the file says", "bad")


@section("results", "Results", "facts", "tests", of=HpccFacts)
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
    name: Cell = test.name if test.done else Toned(f"{test.name} (cut short)", "warn")
    for number, figure in enumerate(test.figures):
        value = figure.value
        yield [
            name if number == 0 else "",
            _figure_name(figure),
            figure.mode,
            format_quantity(value, interval=False),
            _interval(value),
            str(value.samples.n) if value.samples else "-",
            _spread(figure),
        ]
    if not test.figures:
        yield [name, "-", "-", "-", "-", "0", "-"]


def _figure_name(figure: Figure) -> str:
    labels = " ".join(
        format_value(value, "B") if key.endswith("bytes") else f"{key} {value}"
        for key, value in figure.labels.items()
    )
    return f"{figure.series} {labels}".strip()


def _interval(quantity: Quantity) -> str:
    _, bracket, interval = format_quantity(quantity).partition("[")
    return f"[{interval}" if bracket else "-"


def _spread(figure: Figure) -> str:
    if figure.spread is None:
        return "-"
    low, high = (
        format_quantity(one, interval=False) for one in (figure.spread.lowest, figure.spread.highest)
    )
    return f"{low} (rank {figure.spread.lowest_rank}) to {high} (rank {figure.spread.highest_rank})"


@section("checks", "Checks", "facts", "tests", of=HpccFacts)
def checks(record: Run) -> Blocks:
    return checks_table([(test.name, check) for test in record.facts.tests for check in test.checks])


@section("placement", "Placement", "facts", "launch", "placement", of=HpccFacts, at_a_glance=False)
def placement(record: Run) -> Blocks:
    return placement_blocks(record.facts.launch)


@section("plan", "Plan", "facts", "plan", of=HpccFacts, at_a_glance=False)
def plan(record: Run) -> Blocks:
    return generic_blocks(record.facts.plan)


@section("launch", "Launch", "facts", "launch", of=HpccFacts, at_a_glance=False)
def launch(record: Run) -> Blocks:
    return launch_line(record.facts.launch)


@section("samples", "Samples", "samples", of=HpccFacts, at_a_glance=False)
def samples(record: Run) -> Blocks:
    return samples_table(record.samples)


@section("summary", "Summary of hpccoutf.txt", "facts", "summary", of=HpccFacts, at_a_glance=False)
def summary(record: Run) -> Blocks:
    items: list[tuple[str, Cell]] = list(record.facts.summary.items())
    return [Pairs(items)] if items else []


@section("environment", "Environment", "environment", of=HpccFacts, at_a_glance=False)
def environment(record: Run) -> Blocks:
    return generic_blocks(record.environment)


@section("warnings", "Warnings", "warnings", of=HpccFacts)
def warnings(record: Run) -> list[Block]:
    return list(notes_of(record.warnings))
