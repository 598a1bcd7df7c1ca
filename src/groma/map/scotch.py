"""Scotch as a second engine: its program gmap, its files of graphs and targets.

gmap balances loads within a margin, so that it may put two ranks on one place and leave another one empty.
Ranks beyond the first of a place go to the nearest free place.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from groma.errors import ExitCode, GromaError
from groma.map.machine import LatticeMachine, TreeMachine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.machine import Machine
    from groma.map.matrix import Matrix

PROGRAMS = ("scotch_gmap", "gmap")
"""Debian's name first: gmap is also an aligner of genomes."""
SECONDS = 3600.0

_LARGEST = 2**30
"""Scotch may be built with integers of 32 bits, and adds up loads times distances in them."""
_FINE = 1000
"""Weights and distances that are no integers are rounded to so many parts of the largest one."""


class ScotchMapping(NamedTuple):
    """`moved`: ranks for which Scotch left no place of their own."""

    mapping: list[int]
    moved: int


def mapped_by_scotch(machine: Machine, matrix: Matrix) -> ScotchMapping:
    """Raises GromaError: exit code 2 for a machine that Scotch does not know, 4 where Scotch is missing or
    fails.
    """
    target = target_of(machine)
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise GromaError(
            "Scotch is not installed",
            "install it (apt-get install scotch), or leave out --engine scotch",
            ExitCode.ENVIRONMENT,
        )
    with tempfile.TemporaryDirectory(prefix="groma-scotch-") as name:
        folder = Path(name)
        (folder / "graph").write_text(graph_of(matrix, target.farthest))
        (folder / "target").write_text(f"{target.words}\n")
        return with_places_of_their_own(machine, _answer(program, folder, matrix.ranks))


# ---- what Scotch reads -------------------------------------------------------------------------------------


class Target(NamedTuple):
    """A machine in the words of Scotch; `farthest` bounds its distances."""

    words: str
    farthest: int


def target_of(machine: Machine) -> Target:
    """Raises GromaError (exit code 2) for a machine that is no lattice or tree."""
    if isinstance(machine, LatticeMachine):
        extents = " ".join(map(str, machine.shape))
        kind = "torus" if machine.closed else "mesh"
        return Target(f"{kind}XD {len(machine.shape)} {extents}", sum(machine.shape))
    if isinstance(machine, TreeMachine):
        costs = _as_integers(machine.costs)
        levels = " ".join(f"{arity} {cost}" for arity, cost in zip(machine.arities, costs, strict=True))
        return Target(f"tleaf {len(costs)} {levels}", max(costs))
    raise GromaError(
        f"Scotch maps to tori, meshes and trees only, this is a {machine.title}", "leave out --engine scotch"
    )


def _as_integers(costs: Sequence[float]) -> list[int]:
    """Costs that Scotch can read: the same, or in parts of the largest one."""
    if all(cost == int(cost) and 1 <= cost <= _FINE for cost in costs):
        return [int(cost) for cost in costs]
    largest = max(costs) or 1.0
    return [max(1, round(cost / largest * _FINE)) for cost in costs]


def graph_of(matrix: Matrix, farthest: int) -> str:
    """Traffic of both directions as a graph with weights, vertices counted from 0."""
    partners = _partners(matrix)
    scale = _scale_of([weight for own in partners for weight in own.values()], farthest)
    rows = [
        " ".join([str(len(own)), *(f"{max(1, round(own[rank] * scale))} {rank}" for rank in sorted(own))])
        for own in partners
    ]
    return "\n".join(["0", f"{matrix.ranks} {sum(map(len, partners))}", "0 010", *rows]) + "\n"


def _partners(matrix: Matrix) -> list[dict[int, float]]:
    partners: list[dict[int, float]] = [{} for _ in range(matrix.ranks)]
    for one in matrix.traffic:
        if one.bytes > 0:
            for rank, other in ((one.source, one.target), (one.target, one.source)):
                partners[rank][other] = partners[rank].get(other, 0.0) + one.bytes
    return partners


def _scale_of(weights: Sequence[float], farthest: int) -> float:
    """1 for whole bytes; less where sums would not fit, more where fractions of bytes would be lost."""
    largest = max(weights, default=1.0)
    fine = 1.0 if largest >= _FINE else _FINE / largest
    return min(fine, _LARGEST / (largest * farthest), _LARGEST / max(sum(weights) * farthest, 1.0))


# ---- what Scotch writes ------------------------------------------------------------------------------------


def _answer(program: str, folder: Path, ranks: int) -> list[int]:
    files = [str(folder / name) for name in ("graph", "target", "mapping")]
    try:
        done = subprocess.run([program, *files], capture_output=True, timeout=SECONDS, check=False)
        if done.returncode:
            _fail(program, done.stderr.decode(errors="replace").strip().partition("\n")[0])
        return parse_mapping((folder / "mapping").read_text(), ranks)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        _fail(program, str(error))


def _fail(program: str, why: str) -> NoReturn:
    reported = f": {why}" if why else ""
    raise GromaError(f"{program} failed{reported}", "leave out --engine scotch", ExitCode.ENVIRONMENT)


def parse_mapping(text: str, ranks: int) -> list[int]:
    """The place of each rank. Raises ValueError for what is no mapping of so many ranks."""
    words = [int(word) for word in text.split()]
    pairs = dict(zip(words[1::2], words[2::2], strict=True))
    if sorted(pairs) != list(range(ranks)):
        raise ValueError(f"it maps {len(pairs)} of {ranks} ranks")
    return [pairs[rank] for rank in range(ranks)]


def with_places_of_their_own(machine: Machine, mapping: Sequence[int]) -> ScotchMapping:
    """There are at least as many places as ranks. Raises GromaError (exit code 4) for unknown places."""
    if not all(0 <= place < machine.places for place in mapping):
        _fail("Scotch", f"it knows places that {machine.title} does not have")
    found, free = list(mapping), np.ones(machine.places, dtype=np.bool_)
    surplus = []
    for rank, place in enumerate(mapping):
        if not free[place]:
            surplus.append(rank)
        free[place] = False
    for rank in surplus:
        left = np.flatnonzero(free)
        found[rank] = int(left[np.argmin(machine.distances(np.full(1, found[rank]), left))])
        free[found[rank]] = False
    return ScotchMapping(found, len(surplus))
