"""Facts and warnings that every launch has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.launch.command import name_of
from groma.record import Advice
from groma.record.counting import counted
from groma.record.launch import Launch
from groma.run.placement import is_inter_node, machines, placement_advice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.launch.prepare import LaunchPlan, Tool
    from groma.record import ProbeSamples
    from groma.run.job import JobResult
    from groma.run.launch_results import LaunchResults


def launch_of(known: LaunchResults, setup: LaunchPlan) -> Launch | None:
    """How the ranks were started and where they were found; None before they report it."""
    run = known.run
    if run is None:
        return None
    return Launch(
        launcher=name_of(setup.selected),
        command=setup.command.shell_line(),
        ranks=run.ranks,
        nodes=len(machines(run.placement)) or 1,
        threads=setup.shape.threads,
        binding=setup.shape.bind,
        inter_node=is_inter_node(run.placement),
        mpi=run.mpi.strip(" \0"),
        blas=run.blas,
        placement=run.placement,
    )


def launch_advice(known: LaunchResults, setup: LaunchPlan) -> list[Advice]:
    return placement_advice(known.run.placement, setup.shape) if known.run is not None else []


def ending_advice(ended: JobResult) -> list[Advice]:
    if ended.ending != "lingering":
        return []
    return [
        Advice(
            code="launch.lingering",
            what="all data was measured, but the ranks did not end, so groma ended them",
            next="the figures are valid; MPI_Finalize of MPICH before 4.2 may wait forever over TCP",
        )
    ]


def budget_advice(measured: Iterable[ProbeSamples], kind: str) -> list[Advice]:
    """Tests whose time ended while their medians still moved or had wide intervals."""
    tests = list(dict.fromkeys(one.probe for one in measured if one.ended == "budget"))
    if not tests:
        return []
    return [
        Advice(
            code=f"{kind}.unsettled",
            what=f"time ended before the medians had settled: {', '.join(tests)}",
            next="give more time, and ask for more samples: --budget 5m --repeat 20",
        )
    ]


def unread_advice(known: LaunchResults, kind: str, tool: Tool) -> list[Advice]:
    if not known.unread:
        return []
    return [
        Advice(
            code=f"{kind}.unread",
            what=f"{counted(known.unread, 'line')} of {tool.program} "
            f"{'was' if known.unread == 1 else 'were'} damaged by the launcher: samples are missing",
            next="check whether another program writes to its standard output",
        )
    ]
