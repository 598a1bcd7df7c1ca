"""All launches of a survey are of the same machines, MPI and options, also after --resume.

Samples of several launches become facts together: pairs find the layers on which others are measured, names
of hosts tie distances to pairs. Ranks tell where they are, so a launch elsewhere is refused when it begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError
from groma.survey.infer.network.names import OF_LAYERS, PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.launch.gather import RunInfo
    from groma.record.launch import RankPlace
    from groma.record.network import NetworkLaunch
    from groma.survey.network.plan import NetworkPlan, PlannedLaunch

OF_PAIRS = {PAIRS, *OF_LAYERS}
SIZED_BY_TIME = {"seed", "budget", "pairs"}
"""Parameters that change how much is sampled, and not what."""

MOST_NAMED = 4


def arguments_of(launch: PlannedLaunch) -> dict[str, Any]:
    """What makes a launch the same as an earlier one. Another seed or time makes no difference."""
    calls = [
        {"probe": call.probe, **{k: v for k, v in call.parameters.items() if k not in SIZED_BY_TIME}}
        for call in launch.calls
    ]
    return {"ranks": launch.shape.ranks, "nodes": launch.shape.nodes, "calls": calls}


def refuse_other_options(plan: NetworkPlan, done: Mapping[str, Any]) -> None:
    """Raises GromaError (exit code 2) where a launch is done that is planned otherwise now.

    `done` holds the arguments of launches by their names.
    """
    for launch in plan.launches:
        before, now = done.get(launch.name), arguments_of(launch)
        if before is not None and before != now:
            raise GromaError(
                f"{launch.name} was measured {_unlike(before, now)}",
                "give the same options and nodes as before, or begin anew without --resume",
            )


def _unlike(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    differing = [name for name in ("nodes", "ranks") if before[name] != now[name]]
    told = [f"with {before[name]} {name}, and now there are {now[name]}" for name in differing[:1]]
    return next(iter(told), "with other options")


def refuse_other_machines(launch: PlannedLaunch, found: RunInfo, earlier: Sequence[NetworkLaunch]) -> None:
    """Raises GromaError (exit code 4) where ranks do not run as those of earlier launches did."""
    _refuse_other_mpi(found, earlier)
    _refuse_other_hosts(found, earlier)
    _refuse_other_order(launch, found, earlier)


def _refuse_other_mpi(found: RunInfo, earlier: Sequence[NetworkLaunch]) -> None:
    mpi = found.mpi.strip(" \0")
    other = next((one.launch.mpi for one in earlier if one.launch.mpi != mpi), None)
    if other is not None:
        raise GromaError(
            f"the survey was begun with {_short(other)}, and this is {_short(mpi)}",
            "begin anew without --resume, or take that MPI with --launcher",
            ExitCode.ENVIRONMENT,
        )


def _refuse_other_hosts(found: RunInfo, earlier: Sequence[NetworkLaunch]) -> None:
    """The smaller launch has to run on hosts of the larger one."""
    here = _hosts(found.placement)
    for one in earlier:
        there = _hosts(one.launch.placement)
        if not (here <= there or there <= here):
            raise GromaError(
                f"the survey was begun on {_listed(there)}, and this launch runs on {_listed(here - there)}",
                "begin anew without --resume, or start on those nodes (--hostfile, flags of --launcher)",
                ExitCode.ENVIRONMENT,
            )


def _refuse_other_order(launch: PlannedLaunch, found: RunInfo, earlier: Sequence[NetworkLaunch]) -> None:
    """Ranks of pairs and of layers are those of the whole machine: each has to be where it was."""
    if launch.stage is None:
        return
    here = {launch.stage.whole_rank(one.rank): one.host for one in found.placement}
    before = [place for one in earlier if set(one.probes) <= OF_PAIRS for place in one.launch.placement]
    moved = next((one for one in before if here.get(one.rank, one.host) != one.host), None)
    if moved is not None:
        raise GromaError(
            f"rank {moved.rank} ran on {moved.host} when pairs were measured, and runs on {here[moved.rank]}",
            "begin anew without --resume, or have the nodes in the same order (--hostfile)",
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
