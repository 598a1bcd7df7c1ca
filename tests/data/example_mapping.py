"""A synthetic mapping: a halo exchange whose ranks were numbered at random, back on the nodes of its torus.

    python example_mapping.py [--side 4] [--seed 1] > example-mapping.json

One rank ran elsewhere than planned; the mapping gains a factor of two.
"""

from __future__ import annotations

import argparse
import random
import sys

import msgspec
from example_run import BUILD, CREATED, environment

from groma.facts.mapping import MappedRank, MappingFacts
from groma.facts.placed import Gain, PlacedRank, Verification
from groma.map.machine import LatticeMachine
from groma.map.matrix import Matrix
from groma.map.quality import block, cyclic, drawn, quality_of
from groma.map.replay import halo
from groma.map.traffic import Traffic
from groma.record import Record
from groma.stats.quantities import median_quantity
from groma.stats.ratios import ratio_quantity


def example_mapping(side: int = 4, seed: int = 1) -> Record[MappingFacts]:
    rng = random.Random(seed)  # noqa: S311 - an example, not a secret
    machine = LatticeMachine((side, side), closed=True)
    ranks = side * side
    mapping = list(range(ranks))
    rng.shuffle(mapping)
    rank_at = {place: rank for rank, place in enumerate(mapping)}
    traffic = [Traffic(rank_at[one.source], rank_at[one.target], one.bytes) for one in halo(ranks, 65536)]
    matrix = Matrix(ranks, tuple(traffic))
    every = list(range(ranks))
    others = {
        "block": block(every, ranks),
        "cyclic": cyclic(machine, every, ranks),
        "random": drawn(every, ranks, seed),
        "a launch file with a long name that has been there for years.txt": every[::-1],
    }
    facts = MappingFacts(
        mapping=mapping,
        quality=quality_of(machine, matrix, mapping),
        baselines={name: quality_of(machine, matrix, one) for name, one in others.items()},
        machine=machine.title,
        places=ranks,
        ranks=ranks,
        method="topology-aware (embedding)",
        objective="hop-bytes",
        traffic="m.csv",
        targets=[MappedRank(host=f"node{place:04}") for place in mapping],
        launcher="openmpi",
        verification=Verification(command="mpirun -n 16 groma-replay", ranks=_placed(mapping)),
        gain=_gain(rng, mapping),
    )
    return Record(
        kind="mapping",
        created=CREATED,
        command=["groma", "map"],
        build=BUILD,
        environment=environment(),
        parameters={},
        samples={},
        facts=facts,
    )


def _placed(mapping: list[int]) -> list[PlacedRank]:
    return [
        PlacedRank(
            rank=rank,
            host=f"node{place if rank else 9999:04}",
            cpus=[0, 1],
            planned_host=f"node{place:04}",
            planned_cpus=[],
        )
        for rank, place in enumerate(mapping)
    ]


def _gain(rng: random.Random, mapping: list[int]) -> Gain:
    slow, fast = ([base * (1 + 0.1 * rng.random()) for _ in range(5)] for base in (4e-4, 2e-4))
    return Gain(
        kernel="the given matrix",
        launches=5,
        default=median_quantity(slow, "s", "median over launches"),
        mapped=median_quantity(fast, "s", "median over launches"),
        gain=ratio_quantity(slow, fast, "median time by default over median time under the mapping"),
        default_command="mpirun -n 16 groma-replay run --pattern p",
        mapped_command="mpirun -n 16 --rankfile ranks.txt groma-replay run --pattern p",
        default_hosts=[f"node{rank:04}" for rank in range(len(mapping))],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints a synthetic record of a mapping.")
    parser.add_argument("--side", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    sys.stdout.buffer.write(msgspec.json.encode(example_mapping(**vars(parser.parse_args()))) + b"\n")


if __name__ == "__main__":
    main()
