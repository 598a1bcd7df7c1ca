"""What a survey of the network will start, as a document: `groma survey --network --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.launch.command import name_of
from groma.record.counting import counted
from groma.report.document import Document, Note, Section, Table, Text
from groma.report.launches import ranks_in_words
from groma.report.progress import format_duration

if TYPE_CHECKING:
    from groma.survey.network.plan import PlannedLaunch
    from groma.survey.network.setup import NetworkSetup


def headline(setup: NetworkSetup) -> str:
    """One line before a survey begins."""
    room = setup.plan.room
    return (
        f"groma survey --network ({setup.plan.depth}): {counted(len(setup.plan.launches), 'job')} on "
        f"{counted(room.nodes, 'node')} of {counted(room.cores, 'core')}, "
        f"{format_duration(setup.plan.budget)} at most, by {name_of(setup.site.selected)}"
    )


def plan_document(setup: NetworkSetup) -> Document:
    plan = setup.plan
    rows = [_row(launch) for launch in plan.launches]
    table = Table(["launch", "measures", "shape", ">start", ">measure", "sample"], rows)
    total = (
        f"{counted(len(plan.launches), 'job')}, {format_duration(plan.budget)} at most; nothing was started"
    )
    lines = [Text([f"{name}: {line}"]) for name, line in setup.lines().items()]
    notes = [Note(note) for note in plan.notes]
    return Document(
        [
            Section("plan", f"Plan of a {plan.depth} network survey", [table, Text([total]), *notes]),
            Section("lines", f"Launch commands, by {name_of(setup.site.selected)}", lines),
        ]
    )


def _row(launch: PlannedLaunch) -> list[str]:
    measuring = launch.budget - launch.starting
    return [
        launch.name,
        launch.title,
        ranks_in_words(launch.shape),
        f"{launch.starting:.1f} s",
        f"{measuring:.1f} s",
        launch.why,
    ]
