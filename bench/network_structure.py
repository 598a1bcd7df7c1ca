"""How often the structure of a network is inferred from latencies: right, unknown, or wrong.

    python bench/network_structure.py [--seeds N] [--noise 1 2 5 10] [--only NAME …]

A hop adds 8 % to the latency of neighbours, every pair scatters by the noise. Prints for each noise the three
counts for each set of structures, of nodes in rank order and in any order. Structures of no known kind are
right where they are called unknown.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.lattice import mesh, torus
from groma.survey.infer.network.topology import structure_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # what tests share

from simulated.hops import hops_of_complete_graphs, hops_of_dragonfly, hops_of_fat_tree
from simulated.network import names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.facts.network import NetworkTopology
    from groma.interconnect.lattice import Lattice

    Matrix = NDArray[np.float64]

NEIGHBOUR = 1500e-9
HOP = 0.08 * NEIGHBOUR
ORDERS = ("in rank order", "in any order")


class Structure(NamedTuple):
    """`kind` is None where no kind describes it."""

    hops: Matrix
    kind: str | None
    shape: tuple[int, ...] = ()


def lattice(one: Lattice) -> Structure:
    kind = "ring" if one.closed and len(one.shape) == 1 else "torus" if one.closed else "mesh"
    return Structure(one.hops(), kind, one.shape)


def fat_tree(leaf: int, *above: int) -> Structure:
    hops = hops_of_fat_tree(leaf, *above)
    return Structure(hops, "tree", (leaf,) * (len(hops) // leaf))


def of_no_kind(hops: Matrix) -> Structure:
    return Structure(hops, None)


def at_routers(routers: Lattice, at_each: int) -> Structure:
    return of_no_kind(np.repeat(np.repeat(routers.hops(), at_each, axis=0), at_each, axis=1))


SETS = {
    "lattices": [
        *map(lattice, (torus(9), torus(16), torus(32), torus(4, 4), torus(4, 8), torus(3, 4, 4))),
        *map(lattice, (torus(4, 4, 4), mesh(4, 6), mesh(8, 8))),
    ],
    "fat trees": [fat_tree(4, 4, 4), fat_tree(6, 3, 3)],
    "no candidates": [of_no_kind(hops_of_dragonfly(5, 4, 2)), of_no_kind(torus(3, 3, 3, 3).hops())],
    "routers with nodes": [
        *(at_routers(torus(*shape), each) for shape, each in (((6,), 2), ((8,), 4), ((4, 4), 2))),
        at_routers(mesh(3, 3), 2),
    ],
    "complete graphs": [
        *(of_no_kind(hops_of_complete_graphs(*shape)) for shape in ((4, 4), (2, 8), (4, 8), (3, 3, 4))),
    ],
    "dragonflies": [of_no_kind(hops_of_dragonfly(*one)) for one in ((5, 4, 1), (9, 4, 1), (9, 4, 2))],
}


def latencies_on(hops: Matrix, noise: float, seed: int, order: str) -> Matrix:
    nodes = len(hops)
    random = np.random.default_rng([nodes, seed, round(1000 * noise)])
    places = random.permutation(nodes) if order == ORDERS[1] else np.arange(nodes)
    scatter = np.triu(random.normal(0.0, noise, (nodes, nodes)), 1)
    latencies = (NEIGHBOUR + HOP * hops[np.ix_(places, places)]) * np.exp(scatter + scatter.T)
    return np.where(np.eye(nodes, dtype=bool), np.nan, latencies)


def judge(structure: Structure, found: NetworkTopology | None) -> str:
    if found is None or found.kind == "unknown":
        return "right" if structure.kind is None else "unknown"
    alike = found.kind == structure.kind and sorted(found.shape) == sorted(structure.shape)
    return "right" if alike else "wrong"


def counted(structures: list[Structure], noise: float, order: str, seeds: int) -> str:
    outcomes: Counter[str] = Counter()
    for one in structures:
        for seed in range(seeds):
            found = structure_of(names(len(one.hops)), latencies_on(one.hops, noise, seed, order))
            outcomes[judge(one, found)] += 1
    return " / ".join(str(outcomes[name]) for name in ("right", "unknown", "wrong"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts structures inferred from simulated latencies.")
    parser.add_argument("--seeds", type=int, default=10, help="simulations of each structure")
    parser.add_argument("--noise", type=float, nargs="+", default=[1.0, 2.0, 5.0, 10.0], help="per cent")
    parser.add_argument("--only", nargs="+", choices=SETS, default=[*SETS], help="sets of structures")
    args = parser.parse_args()
    print(f"{'noise':7}{'structures':22}" + "".join(f"{order:18}" for order in ORDERS))
    for noise in args.noise:
        for name in args.only:
            counts = [counted(SETS[name], noise / 100.0, order, args.seeds) for order in ORDERS]
            print(f"{noise:3g} %  {name:22}" + "".join(f"{one:18}" for one in counts), flush=True)


if __name__ == "__main__":
    main()
