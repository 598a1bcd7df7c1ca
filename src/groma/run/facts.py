"""Facts and warnings that every launch has."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from groma.launch.command import name_of
from groma.record import Advice
from groma.record.counting import counted
from groma.record.launch import Launch
from groma.run.placement import is_inter_node, machines, placement_advice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.launch.prepare import LaunchPlan, Tool
    from groma.record import ProbeSamples, Quantity
    from groma.record.launch import Plan
    from groma.run.job import JobResult
    from groma.run.launch_results import LaunchResults

FEWEST_SETTLED = 6
"""Repetitions from which the median of a benchmark has the interval that it needs to settle."""


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


def means_over_ranks(values: Sequence[Sequence[float]]) -> list[float]:
    """The mean over the ranks in each repetition that all of them finished."""
    return [statistics.fmean(of_all) for of_all in zip(*values, strict=False)]


def more_samples(unstable: Iterable[Quantity], plan: Plan) -> str:
    """What to do about figures with wide intervals: more samples than the one that had most."""
    most = max((one.samples.n for one in unstable if one.samples is not None), default=0)
    return f"run again on an idle machine, or take more samples: {_more_than(most, plan)}"


def _more_than(repetitions: int, plan: Plan) -> str:
    """Options of a longer run: twice the repetitions, in five times the budget."""
    minutes = math.ceil(5 * (plan.budget or 0.0) / 60)
    return f"--repeat {max(20, 2 * repetitions)} --budget {max(5, minutes)}m"


def unsettled_advice(measured: Sequence[ProbeSamples], kind: str, plan: Plan) -> list[Advice]:
    """Tests that ended while their medians still moved or had wide intervals, by what ended them."""
    short = [one for one in measured if one.ended == "budget"]
    noisy = [one for one in measured if one.ended == "rounds" and len(one.rounds) >= FEWEST_SETTLED]
    found = []
    if short:
        most = max(len(one.rounds) for one in short)
        found.append(
            Advice(
                code=f"{kind}.unsettled",
                what=f"time ended before the medians had settled: {_names(short)}",
                next=f"give more time, and ask for more samples: {_more_than(most, plan)}",
            )
        )
    if noisy:
        most = max(len(one.rounds) for one in noisy)
        found.append(
            Advice(
                code=f"{kind}.unsettled",
                what=f"the medians had not settled after {counted(most, 'repetition')}: {_names(noisy)}",
                next=f"run again on an idle machine, or ask for more samples: --repeat {2 * most}",
            )
        )
    return found


def _names(some: Iterable[ProbeSamples]) -> str:
    return ", ".join(dict.fromkeys(one.probe for one in some))


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
