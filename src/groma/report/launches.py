"""How ranks will be started, as a dry run tells it, and where they were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.launch.command import name_of
from groma.record.counting import counted
from groma.record.units import format_ids
from groma.report.document import Note, Pairs, Section, Table, Text
from groma.report.progress import format_duration
from groma.report.terminal import generic_blocks
from groma.report.words.launch import binding_words, choice_rows, machines_words
from groma.run.placement import machines

if TYPE_CHECKING:
    from groma.launch.prepare import LaunchPlan
    from groma.launch.shape import Shape
    from groma.record.launch import Launch, Plan
    from groma.report.document import Block, Cell

_BINDINGS = {
    "core": "each rank bound to its own cores",
    "none": "ranks unbound",
    "oversubscribed": "ranks unbound: more threads than cores, so times include waiting for cores",
}


def launch_model(setup: LaunchPlan) -> dict[str, Any]:
    """For programs."""
    return {
        "launcher": name_of(setup.selected),
        "reason": setup.selected.reason,
        "command": setup.command.shell_line(),
        "words": setup.command.words,
        "variables": setup.command.variables,
        "shape": msgspec.to_builtins(setup.shape),
        "plan": setup.plan,
        "estimated_seconds": setup.budget or None,
        "timeout_seconds": setup.timeouts.silence,
        "mpi": setup.program.mpi,
    }


def launch_section(setup: LaunchPlan) -> Section:
    return Section("launch", "Launch", [Pairs(_launch(setup)), Text([setup.command.shell_line()])])


def _launch(setup: LaunchPlan) -> list[tuple[str, Cell]]:
    shape = setup.shape
    return [
        ("launcher", f"{name_of(setup.selected)}: {setup.selected.reason}"),
        ("program", f"{setup.program.path} ({setup.program.mpi.partition(',')[0]})"),
        ("shape", f"{ranks_in_words(shape)}; {_BINDINGS[shape.bind]}"),
        ("timeout", f"ended after {format_duration(setup.timeouts.silence)} without output"),
    ]


def ranks_in_words(shape: Shape) -> str:
    most = "" if shape.ranks == shape.nodes * shape.per_node else "at most "
    on_each = f", {most}{shape.per_node} on each of {shape.nodes} machines" if shape.nodes > 1 else ""
    return f"{counted(shape.ranks, 'rank')} of {counted(shape.threads, 'thread')}{on_each}"


def choices_of(plan: Plan) -> list[Block]:
    """Why a plan is as it is, and what a reader has to know of it, where the native program tells it."""
    rows = choice_rows(plan)
    notes = [Note(warning) for warning in plan.warnings]
    return [*([Table(["choice", "value", "why"], rows)] if rows else []), *notes]


def plan_blocks(plan: Plan) -> list[Block]:
    """All that a plan tells."""
    reported = {name: value for name, value in msgspec.to_builtins(plan).items() if value not in _UNTOLD}
    return generic_blocks(reported)


_UNTOLD: tuple[object, ...] = (None, "", [], {})


def placement_blocks(launch: Launch | None) -> list[Block]:
    """Each rank with its machine and the processors that it may run on."""
    if launch is None:
        return []
    rows = [
        [str(one.rank), one.host, str(number), format_ids(one.cpus)]
        for number, ranks in enumerate(machines(launch.placement).values(), start=1)
        for one in ranks
    ]
    if not rows:
        return []
    return [
        Table([">rank", "host", ">machine", "may run on"], rows),
        Text([f"{machines_words(launch)}; {binding_words(launch)}"]),
    ]
