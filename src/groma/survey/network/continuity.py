"""All launches of a survey are of the same machines, MPI and options, also after --resume.

Samples of several launches become facts together: pairs find the layers on which others are measured, names
of hosts tie distances to pairs. Ranks tell where they are, so a launch elsewhere is refused when it begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.survey.infer.network.names import OF_LAYERS, PAIRS
from groma.survey.network.parameters import LaunchArguments, arguments_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.facts.network import NetworkLaunch
    from groma.record.launch import Plan, RankPlace
    from groma.run.launch_results import RunInfo
    from groma.survey.network.plan import NetworkPlan, PlannedLaunch

OF_PAIRS = {PAIRS, *OF_LAYERS}
MOST_NAMED = 4


def refuse_other_options(plan: NetworkPlan, done: Mapping[str, LaunchArguments]) -> None:
    """Raises GromaError (exit code 2) where a launch is done that is planned otherwise now.

    `done` holds the arguments of launches by their names.
    """
    for launch in plan.launches:
        before, now = done.get(launch.name), arguments_of(launch)
        if before is not None and before != now:
            raise GromaError(
                f"{launch.name} was measured {_unlike(before, now)}",
                "use the same options and nodes as before, or start again without --resume",
            )


def _unlike(before: LaunchArguments, now: LaunchArguments) -> str:
    for name in ("nodes", "ranks"):
        then, here = getattr(before, name), getattr(now, name)
        if then != here:
            return f"with {then} {name}, and now there are {here}"
    return "with other options"


def refuse_other_machines(
    launch: PlannedLaunch, found: RunInfo[Plan], earlier: Sequence[NetworkLaunch]
) -> None:
    """Raises GromaError (exit code 4) where ranks do not run as those of earlier launches did."""
    _refuse_other_mpi(found, earlier)
    _refuse_other_hosts(found, earlier)
    _refuse_other_order(launch, found, earlier)


def _refuse_other_mpi(found: RunInfo[Plan], earlier: Sequence[NetworkLaunch]) -> None:
    mpi = found.mpi.strip(" \0")
    other = next((one.launch.mpi for one in earlier if one.launch.mpi != mpi), None)
    if other is not None:
        raise GromaError(
            f"the survey was started with {_short(other)}, but this is {_short(mpi)}",
            "start again without --resume, or select that MPI with --launcher",
            ExitCode.ENVIRONMENT,
        )


def _refuse_other_hosts(found: RunInfo[Plan], earlier: Sequence[NetworkLaunch]) -> None:
    """The smaller launch has to run on hosts of the larger one."""
    here = _hosts(found.placement)
    for one in earlier:
        there = _hosts(one.launch.placement)
        if not (here <= there or there <= here):
            raise GromaError(
                f"the survey was started on {_listed(there)}, but this launch runs on "
                f"{_listed(here - there)}",
                "start again without --resume, or use those nodes (--hostfile, flags of --launcher)",
                ExitCode.ENVIRONMENT,
            )


def _refuse_other_order(
    launch: PlannedLaunch, found: RunInfo[Plan], earlier: Sequence[NetworkLaunch]
) -> None:
    """Ranks of pairs and of layers are those of the whole machine: each has to be where it was."""
    if launch.stage is None:
        return
    here = {launch.stage.whole_rank(one.rank): one.host for one in found.placement}
    before = [place for one in earlier if set(one.probes) <= OF_PAIRS for place in one.launch.placement]
    moved = next((one for one in before if here.get(one.rank, one.host) != one.host), None)
    if moved is not None:
        raise GromaError(
            f"rank {moved.rank} ran on {moved.host} when pairs were measured, but runs on {here[moved.rank]}",
            "start again without --resume, or put the nodes in the same order (--hostfile)",
            ExitCode.ENVIRONMENT,
        )


def _hosts(placement: Iterable[RankPlace]) -> set[str]:
    return {one.host for one in placement}


def _listed(hosts: set[str]) -> str:
    names = sorted(hosts)
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])


def _short(mpi: str) -> str:
    """The first words of what a library calls itself."""
    return mpi.partition(",")[0] or "another MPI"
