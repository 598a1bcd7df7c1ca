"""How often the structure of a network is inferred from latencies: right, unknown, or wrong.

    python bench/network_structure.py [--seeds N] [--noise 1 2 5 10] [--disturbed 3] [--only NAME …]

A hop adds 8 % to the latency of neighbours, every pair scatters by the noise. Disturbed pairs take 1.3 to 3
times as long. Prints for each noise the three counts for each set of structures, of nodes in rank order and
in any order. Structures of no known kind are right where they are called unknown.
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

from simulated.hops import (
    at_routers,
    hops_of_complete_graphs,
    hops_of_dragonfly,
    hops_of_fat_tree,
    hops_of_groups,
    hops_of_racks_in_a_row,
    hops_of_random_graph,
    hops_of_slim_fly,
)
from simulated.network import names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.facts.network import NetworkTopology
    from groma.interconnect.lattice import Lattice

    Matrix = NDArray[np.float64]

NEIGHBOUR = 1500e-9
HOP = 0.08 * NEIGHBOUR
ORDERS = ("in rank order", "in any order")
LATE = (1.3, 3.0)
"""Disturbed pairs: how many times as long they take."""


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


def groups(sizes: tuple[int, ...], ways_out: tuple[float, ...]) -> Structure:
    return Structure(hops_of_groups(sizes, ways_out), "tree", sizes)


def racks_in_a_row(racks: int, nodes: int, per_rack: float) -> Structure:
    return Structure(hops_of_racks_in_a_row(racks, nodes, per_rack), "tree", (nodes,) * racks)


def part_of(one: Lattice, nodes: int) -> Structure:
    kept = np.sort(np.random.default_rng(nodes).choice(one.nodes, nodes, replace=False))
    return of_no_kind(one.hops()[np.ix_(kept, kept)])


SETS = {
    "lattices": [
        *map(lattice, (torus(9), torus(16), torus(32), torus(4, 4), torus(4, 8), torus(3, 4, 4))),
        *map(lattice, (torus(4, 4, 4), mesh(4, 6), mesh(8, 8))),
    ],
    "fat trees": [fat_tree(4, 4, 4), fat_tree(6, 3, 3)],
    "no candidates": [of_no_kind(hops_of_dragonfly(5, 4, 2)), of_no_kind(torus(3, 3, 3, 3).hops())],
    "routers with nodes": [
        *(
            of_no_kind(at_routers(one.hops(), each))
            for one, each in ((torus(6), 2), (torus(8), 4), (torus(4, 4), 2), (mesh(3, 3), 2))
        ),
    ],
    "complete graphs": [
        *(of_no_kind(hops_of_complete_graphs(*shape)) for shape in ((4, 4), (2, 8), (4, 8), (3, 3, 4))),
    ],
    "groups of any sizes": [
        *(groups(sizes, (1.0,) * len(sizes)) for sizes in ((6, 4, 6), (7, 3, 1, 12, 5), (10, 2, 2, 2))),
    ],
    "switches of two kinds": [
        groups((6,) * 4, (1.0, 1.0, 3.0, 3.0)),
        groups((4,) * 6, (1.0, 2.0, 1.0, 1.0, 2.0, 1.0)),
        groups((8, 6, 10, 4, 8), (1.0, 2.0, 2.0, 1.0, 1.5)),
    ],
    "racks in a row": [racks_in_a_row(6, 6, 0.5), racks_in_a_row(4, 8, 0.25), racks_in_a_row(8, 4, 0.25)],
    "parts of lattices": [
        *(part_of(one, nodes) for one, nodes in ((torus(4, 4, 4), 40), (torus(8, 8), 30), (mesh(6, 6), 20))),
    ],
    "random graphs": [
        *(
            of_no_kind(hops_of_random_graph(nodes, links, seed))
            for nodes, links in ((20, 3), (24, 4))
            for seed in (1, 2)
        ),
        of_no_kind(at_routers(hops_of_random_graph(16, 3, 1), 2)),
    ],
    "Slim Flies": [of_no_kind(hops_of_slim_fly(5)), of_no_kind(at_routers(hops_of_slim_fly(5), 2))],
    "dragonflies": [of_no_kind(hops_of_dragonfly(*one)) for one in ((5, 4, 1), (9, 4, 1), (9, 4, 2))],
}


class Noise(NamedTuple):
    """Relative scatter of all pairs, and the share of those that are disturbed."""

    scatter: float
    disturbed: float


def latencies_on(hops: Matrix, noise: Noise, seed: int, order: str) -> Matrix:
    nodes = len(hops)
    random = np.random.default_rng([nodes, seed, round(1000 * noise.scatter)])
    places = random.permutation(nodes) if order == ORDERS[1] else np.arange(nodes)
    factors = np.exp(random.normal(0.0, noise.scatter, (nodes, nodes)))
    factors *= np.where(
        random.random(factors.shape) < noise.disturbed, random.uniform(*LATE, factors.shape), 1.0
    )
    above = np.triu((NEIGHBOUR + HOP * hops[np.ix_(places, places)]) * factors, 1)
    return np.where(np.eye(nodes, dtype=bool), np.nan, above + above.T)


def judge(structure: Structure, found: NetworkTopology | None) -> str:
    if found is None or found.kind == "unknown":
        return "right" if structure.kind is None else "unknown"
    alike = found.kind == structure.kind and sorted(found.shape) == sorted(structure.shape)
    return "right" if alike else "wrong"


def counted(structures: list[Structure], noise: Noise, order: str, seeds: int) -> str:
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
    parser.add_argument("--disturbed", type=float, default=0.0, help="per cent of all pairs")
    parser.add_argument("--only", nargs="+", choices=SETS, default=[*SETS], help="sets of structures")
    args = parser.parse_args()
    print(f"{'noise':7}{'structures':22}" + "".join(f"{order:18}" for order in ORDERS))
    for scatter in args.noise:
        noise = Noise(scatter / 100.0, args.disturbed / 100.0)
        for name in args.only:
            counts = [counted(SETS[name], noise, order, args.seeds) for order in ORDERS]
            print(f"{scatter:3g} %  {name:22}" + "".join(f"{one:18}" for one in counts), flush=True)


if __name__ == "__main__":
    main()
