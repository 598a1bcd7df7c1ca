"""Mapping: hop-bytes of groma-map beside those of Scotch's gmap on the same problems, in one run.

Regular patterns on the torus that they fit, in a random order of ranks, and random sparse matrices of 64 to
512 ranks on trees and tori; with --large, 16,384 ranks as well. Distances are counted here, from the mappings
alone. Tori given as a matrix, as nodes and profiles are, come first: there the best dilation is known.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.lattice import torus
from groma.launch.native import native_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Pairs = dict[tuple[int, int], int]


class Machine(NamedTuple):
    """Words of groma-map and of Scotch for the same places, and the distances of pairs of them."""

    name: str
    places: int
    groma: str
    scotch: str
    distance: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


class Case(NamedTuple):
    name: str
    machine: Machine
    ranks: int
    pairs: Pairs


class Result(NamedTuple):
    hop_bytes: float
    dilation: float
    seconds: float
    doubled: int


# ---- machines ----------------------------------------------------------------------------------------------


def torus_machine(*extents: int) -> Machine:
    shape = " ".join(map(str, extents))
    return Machine(
        f"torus {'x'.join(map(str, extents))}",
        math.prod(extents),
        f"places torus {shape}",
        f"torus{len(extents)}D {shape}",
        lambda one, other: torus_hops(extents, one, other),
    )


def torus_hops(
    extents: tuple[int, ...], one: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The first coordinate runs fastest."""
    hops = np.zeros(np.broadcast(one, other).shape)
    for extent in extents:
        steps = np.abs(one % extent - other % extent)
        hops += np.minimum(steps, extent - steps)
        one, other = one // extent, other // extent
    return hops


def by_distances_alone(machine: Machine) -> Machine:
    """The same places as a matrix, in which groma-map finds no lattice."""
    number = np.arange(machine.places)
    rows = machine.distance(number[:, None], number[None, :])
    lines = [" ".join(f"{one:g}" for one in row) for row in rows]
    return machine._replace(groma="\n".join([f"places matrix {machine.places}", *lines]), scotch="")


def tree_machine(arities: tuple[int, ...], costs: tuple[int, ...]) -> Machine:
    places = math.prod(arities)
    distance = np.zeros((places, places))
    below = places
    number = np.arange(places)
    for arity, cost in zip(arities, costs, strict=True):
        distance[(number[:, None] // below) == (number[None, :] // below)] = cost
        below //= arity
    np.fill_diagonal(distance, 0)
    levels = " ".join(f"{arity} {cost}" for arity, cost in zip(arities, costs, strict=True))
    return Machine(
        f"tree {'x'.join(map(str, arities))}",
        places,
        f"places tree {' '.join(map(str, arities))} costs {' '.join(map(str, costs))}",
        f"tleaf {len(arities)} {levels}",
        lambda one, other: distance[one, other],
    )


# ---- traffic -----------------------------------------------------------------------------------------------


def shuffled(pairs: Pairs, ranks: int, rng: random.Random) -> Pairs:
    order = list(range(ranks))
    rng.shuffle(order)
    return {_pair(order[one], order[other]): size for (one, other), size in pairs.items()}


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def lattice_pairs(*extents: int) -> Pairs:
    return {_pair(*pair): 1000 for pair in torus(*extents).neighbours()}


def random_pairs(ranks: int, degree: int, rng: random.Random) -> Pairs:
    """Any rank with any other."""
    pairs: Pairs = {}
    while len(pairs) < ranks * degree // 2:
        one, other = rng.sample(range(ranks), 2)
        pairs[_pair(one, other)] = rng.randint(1, 1000)
    return pairs


def denser_pairs(ranks: int, degree: int, rng: random.Random) -> Pairs:
    return random_pairs(ranks, 3 * degree, rng)


def geometric_pairs(ranks: int, degree: int, rng: random.Random) -> Pairs:
    """Ranks that are near to each other in a random square, as the parts of an unstructured grid."""
    where = np.array([[rng.random(), rng.random()] for _ in range(ranks)])
    pairs: Pairs = {}
    for rank in range(ranks):
        apart = np.linalg.norm(where - where[rank], axis=1)
        near = np.argpartition(apart, degree // 2 + 2)[: degree // 2 + 2]
        for other in near[np.argsort(apart[near])][1:].tolist():
            pairs[_pair(rank, other)] = rng.randint(100, 1000)
    return pairs


def clustered_pairs(ranks: int, degree: int, rng: random.Random) -> Pairs:
    """Groups of uneven sizes with much traffic inside and some between."""
    group = [min(int(rng.expovariate(0.4)), ranks // 8) for _ in range(ranks)]
    pairs: Pairs = {}
    while len(pairs) < ranks * degree // 2:
        one, other = rng.sample(range(ranks), 2)
        if group[one] == group[other]:
            pairs[_pair(one, other)] = rng.randint(500, 2000)
        elif rng.random() < 0.2:
            pairs[_pair(one, other)] = rng.randint(1, 200)
    return pairs


# ---- the two mappers ---------------------------------------------------------------------------------------


def by_groma(case: Case, _folder: Path) -> tuple[list[int], float]:
    lines = [case.machine.groma, f"ranks {case.ranks}"]
    lines += [f"traffic {one} {other} {size}" for (one, other), size in case.pairs.items()]
    begun = time.perf_counter()
    done = subprocess.run(
        [str(native_program("groma-map"))], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)["mapping"], time.perf_counter() - begun


def by_scotch(case: Case, folder: Path) -> tuple[list[int], float]:
    partners: list[list[tuple[int, int]]] = [[] for _ in range(case.ranks)]
    for (one, other), size in case.pairs.items():
        partners[one].append((size, other))
        partners[other].append((size, one))
    graph = [f"0\n{case.ranks} {2 * len(case.pairs)}\n0 010"]
    graph += [" ".join([str(len(own)), *(f"{size} {other}" for size, other in own)]) for own in partners]
    (folder / "graph").write_text("\n".join(graph) + "\n")
    (folder / "target").write_text(case.machine.scotch + "\n")
    begun = time.perf_counter()
    program = shutil.which("gmap") or shutil.which("scotch_gmap") or "gmap"
    names = [str(folder / name) for name in ("graph", "target", "map")]
    subprocess.run([program, *names], check=True, capture_output=True)
    seconds = time.perf_counter() - begun
    rows = (folder / "map").read_text().split("\n")[1:]
    pairs = [row.split() for row in rows if row.strip()]
    found = {int(rank): int(place) for rank, place in pairs}
    return [found[rank] for rank in range(case.ranks)], seconds


def judged(case: Case, mapping: list[int], seconds: float) -> Result:
    ends = np.array([(mapping[one], mapping[other]) for one, other in case.pairs], dtype=np.int64)
    sizes = np.array(list(case.pairs.values()), dtype=np.float64)
    total = np.sum(sizes * case.machine.distance(ends[:, 0], ends[:, 1]))
    return Result(
        float(total), float(total) / sum(case.pairs.values()), seconds, case.ranks - len(set(mapping))
    )


# ---- the run -----------------------------------------------------------------------------------------------


def regular_cases(rng: random.Random) -> list[Case]:
    return [regular_case(shape, rng) for shape in ((4, 4, 4), (8, 8, 8), (8, 4, 2), (16, 8))]


def regular_case(shape: tuple[int, ...], rng: random.Random) -> Case:
    machine, ranks = torus_machine(*shape), math.prod(shape)
    pairs = shuffled(lattice_pairs(*shape), ranks, rng)
    return Case(f"{machine.name}, ranks in any order", machine, ranks, pairs)


def sparse_cases(rng: random.Random) -> list[Case]:
    """Sixteen: four kinds of traffic by four machines, 64 to 512 ranks."""
    machines = [
        tree_machine((4, 4, 4), (10, 5, 1)),
        torus_machine(8, 4, 4),
        tree_machine((2, 8, 16), (8, 3, 1)),
        torus_machine(32, 16),
    ]
    kinds = {
        "random": random_pairs,
        "geometric": geometric_pairs,
        "clustered": clustered_pairs,
        "denser random": denser_pairs,
    }
    return [
        Case(f"{name}, {machine.places} ranks", machine, machine.places, make(machine.places, 8, rng))
        for machine in machines
        for name, make in kinds.items()
    ]


def large_cases(rng: random.Random) -> list[Case]:
    return [
        Case("geometric, 16384 ranks", torus_machine(32, 32, 16), 16384, geometric_pairs(16384, 8, rng)),
    ]


def hidden_cases(rng: random.Random) -> list[Case]:
    """Neighbours on a torus talk; the order of the ranks is lost, and so is the torus."""
    return [
        case._replace(name=f"{case.machine.name}, distances alone", machine=by_distances_alone(case.machine))
        for shape in ((6, 6), (10, 10), (8, 4, 4), (16, 16))
        for case in (regular_case(shape, rng) for _ in range(3))
    ]


def beside_the_best(case: Case, folder: Path) -> None:
    """The best mapping has a dilation of 1."""
    found = judged(case, *by_groma(case, folder))
    print(f"{case.name:51} dilation {found.dilation:7.3f} best 1  {found.seconds:5.2f} s", flush=True)


def compared(case: Case, folder: Path) -> float:
    """Hop-bytes over those of Scotch, printed with both times."""
    ours = judged(case, *by_groma(case, folder))
    theirs = judged(case, *by_scotch(case, folder))
    ratio = ours.hop_bytes / theirs.hop_bytes
    print(
        f"{case.machine.name:14} {case.name:36} dilation {ours.dilation:7.3f} Scotch {theirs.dilation:7.3f}"
        f"  ratio {ratio:.3f}  {ours.seconds:5.2f} s, {theirs.seconds:5.2f} s"
        + (f"  Scotch doubles {theirs.doubled}" if theirs.doubled else ""),
        flush=True,
    )
    return ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true", help="add 16,384 ranks: about a minute, 1 GB")
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311 - problems, not secrets
    if not (shutil.which("gmap") or shutil.which("scotch_gmap")):
        sys.exit("Scotch is not installed: apt-get install scotch")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in hidden_cases(random.Random(options.seed)):  # noqa: S311
            beside_the_best(case, folder)
        for case in regular_cases(rng):
            compared(case, folder)
        sparse = [compared(case, folder) for case in sparse_cases(rng)]
        for case in large_cases(rng) if options.large else ():
            compared(case, folder)
    better = sum(one <= 1.0 for one in sparse)
    print(f"hop-bytes at most Scotch's on {better} of {len(sparse)}, worst ratio {max(sparse):.3f}")


if __name__ == "__main__":
    main()
