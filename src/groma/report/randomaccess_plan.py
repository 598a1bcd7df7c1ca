"""What a run of RandomAccess will do, as a document: `groma randomaccess run --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.launch.command import name_of
from groma.randomaccess.infer import planned_facts
from groma.record.counting import counted
from groma.record.units import format_value
from groma.report.document import Document, Pairs, Section, Text
from groma.report.launches import choices_of, launch_model, launch_section
from groma.report.progress import format_duration
from groma.report.words.randomaccess import what_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.randomaccess import RandomAccessPlan
    from groma.randomaccess.setup import Setup


def headline(setup: Setup, study: str = "") -> str:
    """One line before a run begins."""
    what = f"{setup.plan.algorithm} on {counted(setup.shape.ranks, 'rank')}"
    verb = f"groma randomaccess {study}".rstrip()
    return f"{verb}: {what}, about {format_duration(setup.budget)}, by {name_of(setup.selected)}"


def setup_model(setup: Setup) -> dict[str, Any]:
    """The same for programs."""
    return launch_model(setup)


def setup_document(setup: Setup) -> Document:
    plan = setup.plan
    run = Pairs(
        [
            *what_entries(planned_facts(plan, setup.shape.ranks)),
            *_amounts(plan),
            ("time", f"about {format_duration(setup.budget)}"),
        ]
    )
    return Document(
        [
            launch_section(setup),
            Section("run", "Run", [run, *choices_of(plan), Text(["nothing was started"])]),
        ]
    )


def _amounts(plan: RandomAccessPlan) -> Iterator[tuple[str, str]]:
    """As far as the native program gives them."""
    if plan.updates is not None and plan.repetitions is not None:
        yield "updates", f"{plan.updates}, in {counted(plan.repetitions, 'part')}"
    if plan.memory_per_rank is not None:
        yield "memory", f"{format_value(plan.memory_per_rank, 'B')} per rank"
