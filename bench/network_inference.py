"""How long the inference of the network takes on all pairs of simulated nodes, and how much memory.

    python bench/network_inference.py [--nodes N …] [--repetitions R]

One rank on each node, sixteen nodes at a switch. Prints for each number of nodes: pairs, seconds, these over
the line before, the peak of memory so far, and what was found.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from groma.survey.infer.registry import infer_network

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # what tests share

from simulated.network import Scatter, on_hosts, pair_samples

if TYPE_CHECKING:
    from groma.record import ProbeSamples

AT_A_SWITCH = 16


def latency(one: int, other: int) -> float:
    return 20e-6 if one // AT_A_SWITCH == other // AT_A_SWITCH else 30e-6


def samples_of(nodes: int, repetitions: int) -> ProbeSamples:
    pairs = list(combinations(range(nodes), 2))
    samples = pair_samples(pairs, latency, Scatter(repetitions, noise=0.05))
    return on_hosts(samples, [f"node{node:03}" for node in range(nodes)])


def found_in(samples: ProbeSamples) -> str:
    facts, _ = infer_network({samples.probe: samples})
    if facts is None or facts.topology is None:
        return "nothing"
    return f"{len(facts.layers)} layers, {facts.topology.kind}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Times the inference of the network on all pairs.")
    parser.add_argument("--nodes", type=int, nargs="+", default=[64, 128, 256, 512])
    parser.add_argument("--repetitions", type=int, default=9)
    args = parser.parse_args()
    found_in(samples_of(AT_A_SWITCH, args.repetitions))  # imports
    before = None
    for nodes in args.nodes:
        samples = samples_of(nodes, args.repetitions)
        began = time.perf_counter()
        found = found_in(samples)
        took = time.perf_counter() - began
        growth = f"x {took / before:4.1f}" if before else " " * 6
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{nodes:5} nodes {len(samples.cases):7} pairs {took:6.2f} s {growth} {peak:5.0f} MiB  {found}")
        before = took


if __name__ == "__main__":
    main()
