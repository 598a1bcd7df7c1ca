"""What a run of the suite will do, as a document: `groma hpcc --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.launch.command import name_of
from groma.record.units import format_value
from groma.report.document import Document, Note, Pairs, Section, Table, Text
from groma.report.progress import counted, spoken

if TYPE_CHECKING:
    from groma.hpcc.setup import Setup
    from groma.launch.shape import Shape
    from groma.report.document import Block, Cell

_BINDINGS = {
    "core": "each rank bound to cores of its own",
    "none": "ranks unbound",
    "crowded": "ranks unbound: more threads than cores, so times will be those of waiting",
}

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
    return {
        "launcher": name_of(setup.chosen),
        "reason": setup.chosen.reason,
        "command": setup.command.spoken(),
        "words": setup.command.words,
        "variables": setup.command.variables,
        "shape": msgspec.to_builtins(setup.shape),
        "sizes": setup.sizing.reason,
        "rates": setup.rates.origin or None,
        "plan": setup.plan,
        "estimated_seconds": setup.budget or None,
        "silence_allowed": setup.patience.silence,
        "mpi": setup.program.mpi,
        "blas": setup.program.blas,
    }


def setup_document(setup: Setup) -> Document:
    by_rates = f"; times by what each rank reached in {setup.rates.origin}" if setup.rates.rates else ""
    sizes = [
        Text([setup.sizing.reason + by_rates]),
        _matrices(setup.plan),
        _others(setup.plan),
        *_choices(setup.plan),
    ]
    return Document(
        [
            Section("launch", "Launch", [Pairs(_launch(setup)), Text([setup.command.spoken()])]),
            Section("sizes", "Sizes", sizes),
            Section("tests", "Tests", [_tests(setup), Text(["nothing was started"])]),
        ]
    )


def _choices(plan: dict[str, Any]) -> list[Block]:
    """Why sizes are as they are, and what a reader has to know of them, where groma-hpcc tells it."""
    rows = [[str(one.get(key, "")) for key in ("what", "value", "why")] for one in plan.get("choices", [])]
    notes = [Note(str(warning)) for warning in plan.get("warnings", [])]
    return [*([Table(["choice", "value", "why"], rows)] if rows else []), *notes]


def _launch(setup: Setup) -> list[tuple[str, Cell]]:
    shape = setup.shape
    return [
        ("launcher", f"{name_of(setup.chosen)}: {setup.chosen.reason}"),
        ("program", f"{setup.program.path} ({setup.program.mpi.partition(',')[0]})"),
        ("shape", f"{_ranks(shape)}; {_BINDINGS[shape.bind]}"),
        ("patience", f"ended after {spoken(setup.patience.silence)} without a word"),
    ]


def _ranks(shape: Shape) -> str:
    on_each = f", {shape.per_node} on each of {shape.nodes} machines" if shape.nodes > 1 else ""
    return f"{counted(shape.ranks, 'rank')} of {counted(shape.threads, 'thread')}{on_each}"


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
