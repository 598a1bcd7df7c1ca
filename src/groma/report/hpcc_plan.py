"""What a run of the suite will do, as a document: `groma hpcc --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.launch.command import name_of
from groma.record.counting import counted
from groma.record.units import format_value
from groma.report.document import Document, Section, Table, Text
from groma.report.launches import choices_of, launch_model, launch_section
from groma.report.progress import format_duration
from groma.report.words.suite import sizes_of

if TYPE_CHECKING:
    from groma.facts.hpcc import HpccPlan, MatrixPlan
    from groma.hpcc.setup import Setup


def headline(setup: Setup) -> str:
    """One line before a run begins."""
    shape = setup.shape
    threads = f" of {shape.threads} threads" if shape.threads > 1 else ""
    unmeasured = " with a fast network" if shape.nodes > 1 else ""
    time = f", about {format_duration(setup.budget)}{unmeasured}" if setup.budget else ""
    return (
        f"groma hpcc: {counted(len(setup.steps), 'test')} on {counted(shape.ranks, 'rank')}{threads}{time}"
        f", by {name_of(setup.selected)}"
    )


def setup_model(setup: Setup) -> dict[str, Any]:
    """The same for programs."""
    about = {"sizes": setup.sizing.reason, "rates": setup.rates.origin or None, "blas": setup.program.blas}
    return launch_model(setup) | about


def setup_document(setup: Setup) -> Document:
    by_rates = f"; times from the rates of each rank in {setup.rates.origin}" if setup.rates.rates else ""
    sizes = [
        Text([setup.sizing.reason + by_rates]),
        _matrices(setup.plan),
        _others(setup.plan),
        *choices_of(setup.plan),
    ]
    return Document(
        [
            launch_section(setup),
            Section("sizes", "Sizes", sizes),
            Section("tests", "Tests", [_tests(setup), Text(["nothing was started"])]),
        ]
    )


def _matrices(plan: HpccPlan) -> Table:
    rows = [
        [
            name,
            str(one.n),
            str(one.nb),
            f"{one.grid.rows} x {one.grid.columns}",
            one.variant or "-",
            _square(one),
        ]
        for name, matrices in (("HPL", plan.hpl), ("PTRANS", plan.ptrans))
        for one in matrices
    ]
    return Table(["matrix", ">N", ">NB", ">grid", "method", ">memory of all ranks"], rows)


def _square(one: MatrixPlan) -> str:
    return format_value(8.0 * one.n**2, "B")


def _others(plan: HpccPlan) -> Table:
    rows = [
        [one.name, str(number), one.what, format_value(float(one.bytes_of(number)), "B")]
        for one, number in sizes_of(plan)
    ]
    return Table(["size", ">number", "of", ">bytes"], rows)


def _tests(setup: Setup) -> Table:
    needed = setup.plan.memory.by_test if setup.plan.memory is not None else {}
    rows = [
        [
            step.probe,
            step.title,
            _memory(needed.get(step.probe)),
            format_duration(step.budget) if step.budget else "not estimated",
        ]
        for step in setup.steps
    ]
    most = setup.plan.memory_per_rank
    caption = f"at most {format_value(most, 'B')} of memory per rank" if most else ""
    return Table(["test", "measures", ">memory per rank", ">time, about"], rows, caption)


def _memory(size: int | None) -> str:
    return format_value(size, "B") if size else "-"
