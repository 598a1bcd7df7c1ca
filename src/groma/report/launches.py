"""How ranks will be started, as a dry run tells it, and where they were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.launch.command import name_of
from groma.launch.placement import machines
from groma.record.units import format_ids
from groma.report.document import Note, Pairs, Section, Table, Text
from groma.report.progress import counted, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.prepare import Prepared
    from groma.launch.shape import Shape
    from groma.record.launch import Launch
    from groma.report.document import Block, Cell

_BINDINGS = {
    "core": "each rank bound to cores of its own",
    "none": "ranks unbound",
    "crowded": "ranks unbound: more threads than cores, so times will be those of waiting",
}


def launch_model(setup: Prepared) -> dict[str, Any]:
    """For programs."""
    return {
        "launcher": name_of(setup.chosen),
        "reason": setup.chosen.reason,
        "command": setup.command.spoken(),
        "words": setup.command.words,
        "variables": setup.command.variables,
        "shape": msgspec.to_builtins(setup.shape),
        "plan": setup.plan,
        "estimated_seconds": setup.budget or None,
        "silence_allowed": setup.patience.silence,
        "mpi": setup.program.mpi,
    }


def launch_section(setup: Prepared) -> Section:
    return Section("launch", "Launch", [Pairs(_launch(setup)), Text([setup.command.spoken()])])


def _launch(setup: Prepared) -> list[tuple[str, Cell]]:
    shape = setup.shape
    return [
        ("launcher", f"{name_of(setup.chosen)}: {setup.chosen.reason}"),
        ("program", f"{setup.program.path} ({setup.program.mpi.partition(',')[0]})"),
        ("shape", f"{ranks_in_words(shape)}; {_BINDINGS[shape.bind]}"),
        ("patience", f"ended after {spoken(setup.patience.silence)} without a word"),
    ]


def ranks_in_words(shape: Shape) -> str:
    on_each = f", {shape.per_node} on each of {shape.nodes} machines" if shape.nodes > 1 else ""
    return f"{counted(shape.ranks, 'rank')} of {counted(shape.threads, 'thread')}{on_each}"


def choices_of(plan: Mapping[str, Any]) -> list[Block]:
    """Why a plan is as it is, and what a reader has to know of it, where the native program tells it."""
    rows = [[str(one.get(key, "")) for key in ("what", "value", "why")] for one in plan.get("choices", [])]
    notes = [Note(str(warning)) for warning in plan.get("warnings", [])]
    return [*([Table(["choice", "value", "why"], rows)] if rows else []), *notes]


def placement_blocks(launch: Launch | None) -> list[Block]:
    """Each rank with its machine and the processors that it may run on."""
    if launch is None:
        return []
    rows = [
        [str(one.rank), one.host, str(number), format_ids(one.cpus)]
        for number, ranks in enumerate(machines(launch.placement).values(), start=1)
        for one in ranks
    ]
    where = "some messages cross a network" if launch.inter_node else "all ranks lie on one machine"
    if not rows:
        return []
    return [Table([">rank", "host", ">machine", "may run on"], rows), Text([where])]
