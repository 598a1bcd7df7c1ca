"""Machines by name (torus:4x4x4, mesh:4x4, tree:2x4x8, hwloc:FILE, hwloc:DESCRIPTION), and nodes."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.errors import GromaError
from groma.launch.native import ask, decoded, native_program
from groma.map.machine import MOST_OF_MATRIX, LatticeMachine, MatrixMachine, TreeMachine
from groma.record.reading import is_missing
from groma.record.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groma.map.machine import Machine

MOST_PLACES = 1 << 20
MOST_COST = 1e30
"""Of a level of a tree: bytes times costs stay finite."""

KNOWN = "use torus:4x4x4, mesh:4x4, tree:2x4x8, tree:2x4x8:10,5,1, hwloc:FILE or hwloc:DESCRIPTION"


class FoundMachine(NamedTuple):
    """A machine. `allowed` are the places that ranks may use; `cores[place]` is the logical id of a hardware
    thread where places are those of `topology`, the first one where places are `teams` of several.
    """

    machine: Machine
    allowed: tuple[int, ...]
    topology: Topology | None = None
    cores: tuple[int, ...] = ()
    teams: tuple[tuple[int, ...], ...] = ()

    def threads_at(self, place: int) -> tuple[int, ...]:
        """Logical ids of the hardware threads of a place of a node."""
        return self.teams[place] if self.teams else (self.cores[place],)


def machine_named(text: str, folder: str | None = None) -> FoundMachine:
    """Raises GromaError: exit code 2 for a name that is none, 4 where hwloc cannot read the file."""
    kind, colon, shape = text.partition(":")
    if not colon or not shape:
        raise GromaError(f"{text!r} is not a topology", KNOWN)
    if kind == "hwloc":
        return node_of(hwloc_topology(shape, folder))
    if kind in {"torus", "mesh"}:
        return _whole(LatticeMachine(_extents(text, shape), closed=kind == "torus"))
    if kind == "tree":
        return _whole(_tree(text, shape))
    raise GromaError(f"unknown topology {kind!r}", KNOWN)


def _whole(machine: Machine) -> FoundMachine:
    return FoundMachine(machine, tuple(range(machine.places)))


def _extents(text: str, shape: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[1-9][0-9]{0,6}(x[1-9][0-9]{0,6})*", shape, re.ASCII):
        raise GromaError(f"{text!r} has no extents", KNOWN)
    extents = tuple(int(word) for word in shape.split("x"))
    if math.prod(extents) > MOST_PLACES:
        raise GromaError(f"{text!r} has more than {MOST_PLACES} places", "map a part of the machine")
    return extents


def _tree(text: str, shape: str) -> TreeMachine:
    """Without costs, those of hops up to the common switch and down again."""
    arities, _, given = shape.partition(":")
    levels = _extents(text, arities)
    if not given:
        return TreeMachine(levels, tuple(2.0 * level for level in range(len(levels), 0, -1)))
    if not re.fullmatch(r"[0-9.]+(,[0-9.]+)*", given, re.ASCII):
        raise GromaError(f"{text!r} has no list of costs", KNOWN)
    try:
        costs = tuple(float(word) for word in given.split(","))
    except ValueError:
        raise GromaError(f"{text!r} has no list of costs", KNOWN) from None
    if max(costs) > MOST_COST:
        raise GromaError(f"{text[:40]}… has a cost above {MOST_COST:g}", KNOWN)
    if len(costs) != len(levels):
        raise GromaError(f"{text!r} has {len(levels)} levels and {len(costs)} costs", KNOWN)
    if list(costs) != sorted(costs, reverse=True):
        raise GromaError(
            f"{text!r} has costs that rise from the top switch to the leaves",
            "begin with the cost of the top switch, the highest: tree:2x4x8:10,5,1",
        )
    return TreeMachine(levels, costs)


# ---- nodes -------------------------------------------------------------------------------------------------


def hwloc_topology(source: str, folder: str | None = None) -> Topology:
    """Of a file of hwloc (XML), or of its synthetic description: "numa:4 l3:1 l2:4 core:2 pu:1".

    Raises GromaError (exit code 2) where hwloc cannot read it.
    """
    is_file = not is_missing(Path(source))
    if not is_file and not re.fullmatch(r"[\w\s:()=.,\[\]*-]+", source):
        raise GromaError(f"there is no file {source}", "name a file that lstopo wrote: lstopo machine.xml")
    variables = {"HWLOC_XMLFILE" if is_file else "HWLOC_SYNTHETIC": source}
    program = native_program(folder=folder)
    try:
        found = decoded(ask(program, "topology", variables), Topology, program)
    except GromaError:
        raise _unreadable(source, is_file) from None
    if found.this_system:  # hwloc falls back to the machine that it runs on
        raise _unreadable(source, is_file)
    return found


def _unreadable(source: str, is_file: bool) -> GromaError:
    step = "use a file of lstopo (XML version 2), or a synthetic description"
    return GromaError(f"hwloc cannot read {source}" if is_file else f"there is no file {source}", step)


class _Level(NamedTuple):
    """Groups of cores that share something, as sorted positions in the list of cores: each core in one."""

    name: str
    groups: list[list[int]]

    @property
    def pairs(self) -> int:
        """Of cores in one group: what contains others has more of them."""
        return sum(len(group) ** 2 for group in self.groups)


def node_of(topology: Topology) -> FoundMachine:
    """The hardware threads of a node that may be used. Two of them are as far apart as the number of levels
    of what they share at the nearest: core, caches, NUMA node, package, in the order in which these contain
    each other. NUMA nodes may be within a shared cache, as with sub-NUMA clustering.
    """
    allowed = set(topology.allowed)
    cores = [one for one in topology.cores if one.logical in allowed]
    if len(cores) > MOST_OF_MATRIX:
        raise GromaError(f"{len(cores)} cores are more than {MOST_OF_MATRIX}", "map to a part of the machine")
    levels = [*_levels(topology, [one.logical for one in cores])]
    count = len(cores)
    layer = np.full((count, count), len(levels) + 1, dtype=np.int64)
    for number in range(len(levels), 0, -1):
        for group in levels[number - 1].groups:
            layer[np.ix_(group, group)] = number
    np.fill_diagonal(layer, 0)
    names = ("same place", *(level.name for level in levels), "same machine")
    machine = MatrixMachine(
        f"node of {count} hardware threads", layer.astype(np.float64), names, layer, _outermost(levels, count)
    )
    return FoundMachine(machine, tuple(range(count)), topology, tuple(one.logical for one in cores))


def _levels(topology: Topology, cores: Sequence[int]) -> Iterator[_Level]:
    """Nearest first; only those that hold some of the cores together, and not all. Of levels with the same
    groups the first one is named.
    """
    before = [[at] for at in range(len(cores))]
    every = [list(range(len(cores)))]
    for level in sorted(_candidates(topology, cores), key=lambda one: one.pairs):
        if level.groups not in (before, every):
            yield level
            before = level.groups


def _candidates(topology: Topology, cores: Sequence[int]) -> Iterator[_Level]:
    """What the cores may share, in the usual order."""
    by_id = {one.logical: one for one in topology.cores}
    yield _level("same core", _by_key((core, by_id[core].core) for core in cores), cores)
    caches = [one for one in topology.caches if _is_data(one.kind)]
    for number in sorted({one.level for one in caches}):
        yield _level(f"same L{number}", [one.cores for one in caches if one.level == number], cores)
    local = sorted(_with_local_memory(topology).intersection(cores))
    yield _level("same NUMA node", _by_key((core, by_id[core].numa) for core in local), cores)
    yield _level("same package", _by_key((core, by_id[core].package) for core in cores), cores)


def _with_local_memory(topology: Topology) -> set[int]:
    """All cores where no NUMA node says which are local to it."""
    local = {core for one in topology.numa for core in one.cores}
    return local or {one.logical for one in topology.cores}


def _level(name: str, members: Iterable[Sequence[int]], cores: Sequence[int]) -> _Level:
    """A core that is no member of any group is alone."""
    position = {core: at for at, core in enumerate(cores)}
    groups = [sorted(position[core] for core in group if core in position) for group in members]
    grouped = {at for group in groups for at in group}
    alone = [[at] for at in range(len(cores)) if at not in grouped]
    return _Level(name, sorted([*filter(None, groups), *alone]))


def _is_data(kind: str) -> bool:
    return kind != "instruction"


def _by_key(keyed: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    groups: dict[int, list[int]] = {}
    for core, key in keyed:
        groups.setdefault(key, []).append(core)
    return [tuple(group) for group in groups.values()]


def _outermost(levels: Sequence[_Level], count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Groups of the outermost level that divides the node: packages, NUMA nodes, caches or cores."""
    if not levels:
        return None
    of_core = np.zeros(count, dtype=np.int64)
    for number, group in enumerate(levels[-1].groups):
        of_core[group] = number
    return of_core
