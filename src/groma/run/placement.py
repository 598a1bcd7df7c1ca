"""Where the ranks really are: reported by every run, compared with the request, never assumed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.record import Advice
from groma.record.counting import counted
from groma.record.units import format_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.launch.shape import Shape
    from groma.record.launch import RankPlace


def machines(placement: Sequence[RankPlace]) -> dict[str, list[RankPlace]]:
    """The ranks by machine, in the order of ranks."""
    found: dict[str, list[RankPlace]] = {}
    for one in placement:
        found.setdefault(one.machine, []).append(one)
    return found


def is_inter_node(placement: Sequence[RankPlace]) -> bool:
    """Whether messages between some ranks cross a network: they run under different kernels."""
    return len(machines(placement)) > 1


def hosts(placement: Sequence[RankPlace]) -> dict[str, list[RankPlace]]:
    """The ranks by host as a launcher sees them: several hosts may lie on one kernel."""
    found: dict[str, list[RankPlace]] = {}
    for one in placement:
        found.setdefault(f"{one.host}/{one.boot_id}", []).append(one)
    return found


def refuse_misplaced(placement: Sequence[RankPlace], shape: Shape) -> None:
    """Raises GromaError (exit code 4) that names the host where the ranks do not lie as `shape` says."""
    by_host = hosts(placement)
    for ranks in by_host.values():
        if len(ranks) > shape.per_node:
            raise GromaError(
                f"{len(ranks)} ranks run on {ranks[0].host}, not {shape.per_node} as requested for each node",
                "the launcher places ranks differently; use --hostfile, or --launcher with its flags",
                ExitCode.ENVIRONMENT,
            )
    if len(by_host) < shape.nodes:
        raise GromaError(
            f"the ranks run on {counted(len(by_host), 'node')}, not {shape.nodes} as requested",
            "request more nodes from the scheduler, or fewer with --nodes",
            ExitCode.ENVIRONMENT,
        )


def placement_advice(placement: Sequence[RankPlace], shape: Shape) -> list[Advice]:
    """What is not as it was asked for, or not as a measurement needs it."""
    if not placement:
        return []
    return [
        *_wrong_machines(placement, shape),
        *_uneven(placement, shape),
        *_oversubscribed(shape),
        *_overlapping(placement, shape),
    ]


def _wrong_machines(placement: Sequence[RankPlace], shape: Shape) -> Iterator[Advice]:
    there = len(machines(placement))
    names = len({one.host for one in placement})
    if there < names:
        yield Advice(
            code="launch.same_kernel",
            what=f"{names} host names, but {counted(there, 'running kernel')} by boot id: "
            "there is no network between them",
            next="if these are containers on one machine, start the ranks on separate machines",
        )
    if there != shape.nodes and (there >= names or shape.nodes != names):
        yield Advice(
            code="launch.nodes",
            what=f"the ranks are on {counted(there, 'machine')}, not {shape.nodes} as requested",
            next="check the placement (facts.placement), or use a --hostfile",
        )


def _uneven(placement: Sequence[RankPlace], shape: Shape) -> Iterator[Advice]:
    most = max(len(ranks) for ranks in machines(placement).values())
    if most > shape.per_node and len(machines(placement)) >= shape.nodes:
        yield Advice(
            code="launch.per_node",
            what=f"one machine has {most} ranks, not {shape.per_node} as requested for each machine",
            next="check the placement (facts.placement)",
        )


def _oversubscribed(shape: Shape) -> Iterator[Advice]:
    if not shape.oversubscribed:
        return
    threads = shape.sharing * shape.per_node * shape.threads
    of_hosts = f" of {shape.sharing} hosts of a test bed" if shape.sharing > 1 else ""
    yield Advice(
        code="launch.oversubscribed",
        what=f"{threads} threads{of_hosts} share fewer cores: the times include waiting for cores",
        next="start fewer ranks or threads to get comparable figures",
    )


def _overlapping(placement: Sequence[RankPlace], shape: Shape) -> Iterator[Advice]:
    """Only bound ranks are blamed: unbound ones share all processors by design."""
    if shape.bind != "core":
        return
    by_machine = [sharing for ranks in machines(placement).values() if (sharing := _sharing(ranks))]
    if by_machine:
        a, b, common = _first_pair(by_machine[0])
        pairs = sum(map(_overlaps, by_machine))
        yield Advice(
            code="launch.overlapping_cpus",
            what=f"ranks {a.rank} and {b.rank} may run on the same processors "
            f"({format_ids(sorted(common))}), as may {pairs} pairs in all",
            next="the launcher did not bind them; check its options, or use --bind none",
        )


def _sharing(ranks: Sequence[RankPlace]) -> list[RankPlace]:
    """Those of one machine that have a processor which another has too."""
    users = Counter(processor for one in ranks for processor in set(one.cpus))
    return [one for one in ranks if any(users[processor] > 1 for processor in one.cpus)]


def _first_pair(sharing: Sequence[RankPlace]) -> tuple[RankPlace, RankPlace, set[int]]:
    """The first of them, the next that shares processors with it, and these processors."""
    first, *others = sharing
    own = set(first.cpus)
    return next((first, one, common) for one in others if (common := own.intersection(one.cpus)))


def _overlaps(sharing: Sequence[RankPlace]) -> int:
    """How many pairs share processors. Many ranks have the same ones: these are compared once."""
    ranks = Counter(frozenset(one.cpus) for one in sharing)
    alike = sum(count * (count - 1) // 2 for count in ranks.values())
    return alike + sum(ranks[a] * ranks[b] for a, b in combinations(ranks, 2) if not a.isdisjoint(b))
