"""What a run of the suite will do, as a document: `groma hpcc --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.launch.command import name_of
from groma.record.units import format_value
from groma.report.document import Document, Section, Table, Text
from groma.report.launches import choices_of, launch_model, launch_section
from groma.report.progress import counted, spoken

if TYPE_CHECKING:
    from groma.hpcc.setup import Setup

# Sizes of the plan, with how they are called and what one element takes in bytes.
_SIZES = (
    ("dgemm_n", "DGEMM: order of three matrices", 0),
    ("stream_elements", "STREAM: each of three vectors and rank", 8),
    ("random_access_words", "RandomAccess: table of each rank", 8),
    ("mpi_random_access_words", "RandomAccess: table of all ranks", 8),
    ("fft_points", "FFT: points of each rank", 16),
    ("mpi_fft_points", "FFT: points of all ranks", 16),
)


def headline(setup: Setup) -> str:
    """One line before a run begins."""
    shape = setup.shape
    threads = f" of {shape.threads} threads" if shape.threads > 1 else ""
    time = f", about {spoken(setup.budget)}" if setup.budget else ""
    return (
        f"groma hpcc: {counted(len(setup.steps), 'test')} on {counted(shape.ranks, 'rank')}{threads}{time}"
        f", by {name_of(setup.chosen)}"
    )


def setup_model(setup: Setup) -> dict[str, Any]:
    """The same for programs."""
    about = {"sizes": setup.sizing.reason, "rates": setup.rates.origin or None, "blas": setup.program.blas}
    return launch_model(setup) | about


def setup_document(setup: Setup) -> Document:
    by_rates = f"; times by what each rank reached in {setup.rates.origin}" if setup.rates.rates else ""
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


def _matrices(plan: dict[str, Any]) -> Table:
    rows = [
        [
            name,
            str(one["n"]),
            str(one["nb"]),
            f"{one['grid']['rows']} x {one['grid']['columns']}",
            _square(one),
        ]
        for name, key in (("HPL", "hpl"), ("PTRANS", "ptrans"))
        for one in plan.get(key, [])
    ]
    return Table(["matrix", ">N", ">NB", ">grid", ">memory of all ranks"], rows)


def _square(one: dict[str, Any]) -> str:
    return format_value(8.0 * one["n"] ** 2, "B")


def _others(plan: dict[str, Any]) -> Table:
    rows = [
        [
            title,
            str(plan[key]),
            format_value(plan[key] * bytes_each, "B") if bytes_each else _three(plan[key]),
        ]
        for key, title, bytes_each in _SIZES
        if key in plan
    ]
    return Table(["size", ">elements", ">bytes"], rows)


def _three(order: int) -> str:
    return format_value(24.0 * order**2, "B")


def _tests(setup: Setup) -> Table:
    needed = (setup.plan.get("memory") or {}).get("by_test", {})
    rows = [
        [
            step.probe,
            step.title,
            format_value(needed[step.probe], "B") if needed.get(step.probe) else "-",
            spoken(step.budget) if step.budget else "not estimated",
        ]
        for step in setup.steps
    ]
    most = setup.plan.get("memory_per_rank")
    caption = f"at most {format_value(most, 'B')} of memory in each rank" if most else ""
    return Table(["test", "measures", ">memory of a rank", ">time, about"], rows, caption)
