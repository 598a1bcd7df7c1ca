"""How often layers and groups of cores are right on simulated matrices with known layers.

    python bench/matrix_inference.py [--rounds N] [--seed S] [--cores N]

Prints, for the machines that the rules were made on and for held-out ones of another kind: the share of
matrices with the right number of layers, with at least 97 % of the undisturbed pairs in their layer, and with
the groups of cores that the measured pairs show; and the time for a matrix of 512 cores.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.stats.matrix_layers import MatrixLayers, matrix_layers
from groma.stats.similarity import grouped

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # what tests share

from simulated.matrices import simulated_matrices
from simulated.networks_on_chip import measured_chips

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

IN_THEIR_LAYER = 0.97


class Case(NamedTuple):
    """A symmetric matrix, the true layer of each cell, and which cells were disturbed."""

    machine: str
    noise: str
    latency: Matrix
    layer: NDArray[np.intp]
    spoilt: NDArray[np.bool_]


class Outcome(NamedTuple):
    layers: bool
    pairs: bool
    groups: bool


def tuning(seed: int, cores: int) -> Iterator[Case]:
    for noise, one in simulated_matrices(seed, cores):
        yield Case(one.name, noise, one.symmetric(), one.layer, one.spoilt)


def held_out(seed: int, cores: int) -> Iterator[Case]:
    for noise, one in measured_chips(seed, cores):
        yield Case(one.name, noise, one.latency, one.layer, one.spoilt)


def judged(case: Case) -> Outcome:
    found = matrix_layers(case.latency)
    ends = np.argwhere(np.triu(np.isfinite(case.latency), 1))
    true, good = case.layer[tuple(ends.T)], ~case.spoilt[tuple(ends.T)]
    reported = np.full(len(ends), -2)
    for number, layer in enumerate(found.layers):
        reported[layer] = number
    layers = len(found.layers) == int(true.max()) + 1
    agree = float((reported[good] == true[good]).mean()) if good.any() else 1.0
    return Outcome(layers, layers and agree >= IN_THEIR_LAYER, layers and _groups_hold(found, case))


def _groups_hold(found: MatrixLayers, case: Case) -> bool:
    """Whether those of each layer are the ones that undisturbed pairs make by their true layers."""
    known = np.isfinite(case.latency) & ~case.spoilt
    return all(
        groups == grouped(known & (case.layer <= number), known).groups()
        for number, groups in enumerate(found.groups)
    )


def report(title: str, outcomes: dict[str, list[Outcome]]) -> None:
    print(f"\n{title:42s} {'layers':>8s} {'pairs':>8s} {'groups':>8s}")
    for heading, some in outcomes.items():
        shares = "".join(f"{np.mean(column):9.1%}" for column in zip(*some, strict=True))
        print(f"  {heading:40s}{shares} of {len(some)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--cores", type=int, default=256, help="leave larger machines out")
    parser.add_argument("--misses", action="store_true", help="name what was not right")
    args = parser.parse_args()
    for title, cases in (("machines the rules were made on", tuning), ("held-out machines", held_out)):
        outcomes: dict[str, list[Outcome]] = defaultdict(list)
        for seed in range(args.seed, args.seed + args.rounds):
            for case in cases(seed, args.cores):
                outcome = judged(case)
                for heading in ("all", f"noise: {case.noise}", f"machine: {case.machine}"):
                    outcomes[heading].append(outcome)
                if args.misses and not all(outcome):
                    print(seed, case.noise, case.machine, outcome)
        report(title, outcomes)
    (large,) = (case for case in tuning(args.seed, 512) if (case.machine, case.noise) == ("large", "quiet"))
    begin = time.perf_counter()
    matrix_layers(large.latency)
    print(f"\n512 cores: {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    main()
