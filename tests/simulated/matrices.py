"""Matrices of latencies between cores of machines whose layers and groups are known.

A machine is a hierarchy: groups of so many cores, each with a latency between those that meet there first.
The spread within a level grows smoothly with the distance, as on a mesh. Noise, stolen time, a coarse clock,
missing cells and the numbering of the cores are laid over it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Matrix = NDArray[np.float64]
Groups = list[list[int]]


@dataclass(frozen=True)
class Level:
    """`size` cores meet at `latency` (ns), within ± `spread` of it by their distance."""

    size: int
    latency: float
    spread: float = 0.04


@dataclass(frozen=True)
class Disturbance:
    noise: float = 0.01
    stolen: float = 0.0
    missing: float = 0.0
    step: float = 0.0
    asymmetry: float = 0.0
    shuffled: bool = False


@dataclass(frozen=True)
class Machine:
    name: str
    levels: tuple[Level, ...]
    disturbance: Disturbance = field(default_factory=Disturbance)

    @property
    def cores(self) -> int:
        return self.levels[-1].size


@dataclass(frozen=True, eq=False)
class SimulatedMatrix:
    """`latency[i, j]` as core i measured it; `layer[i, j]` is the true one, -1 on the diagonal.

    `spoilt` cells had their time stolen, `groups` are the true ones of each layer.
    """

    name: str
    latency: Matrix
    layer: NDArray[np.intp]
    spoilt: NDArray[np.bool_]
    groups: list[Groups]

    def symmetric(self) -> Matrix:
        return np.fmin(self.latency, self.latency.T)


def simulated(machine: Machine, seed: int) -> SimulatedMatrix:
    random = np.random.default_rng(seed)
    n = machine.cores
    number = random.permutation(n) if machine.disturbance.shuffled else _offset_threads(machine)
    layer = np.full((n, n), -1)
    latency = np.full((n, n), np.nan)
    places = np.arange(n)
    for index, level in reversed(list(enumerate(machine.levels))):
        together = places[:, None] // level.size == places[None, :] // level.size
        layer[together] = index
        latency[together] = (level.latency * _by_distance(n, level))[together]
    np.fill_diagonal(layer, -1)
    spoilt, measured = _disturbed(latency, machine.disturbance, random)
    order = np.argsort(number)
    return SimulatedMatrix(
        machine.name,
        measured[np.ix_(order, order)],
        layer[np.ix_(order, order)],
        spoilt[np.ix_(order, order)],
        [_groups(number, level.size) for level in machine.levels],
    )


def _offset_threads(machine: Machine) -> NDArray[np.intp]:
    """Hardware threads of a core are half of all numbers apart, as Linux counts them."""
    n = machine.cores
    if machine.levels[0].size != 2 or len(machine.name) % 2:
        return np.arange(n)
    places = np.arange(n)
    return places // 2 + (places % 2) * (n // 2)


def _by_distance(n: int, level: Level) -> Matrix:
    """Factors around 1 that grow smoothly with the distance on a square within the level."""
    side = max(1, round(level.size**0.5))
    x, y = np.arange(n) % level.size % side, np.arange(n) % level.size // side
    hops = np.abs(x[:, None] - x[None, :]) + np.abs(y[:, None] - y[None, :])
    factors: Matrix = 1.0 + level.spread * (2.0 * hops / max(float(hops.max()), 1.0) - 1.0)
    return factors


def _disturbed(
    latency: Matrix, how: Disturbance, random: np.random.Generator
) -> tuple[NDArray[np.bool_], Matrix]:
    n = len(latency)
    upper = np.triu(random.normal(0.0, how.noise, (n, n)), 1)
    own = random.normal(0.0, how.noise / 2, (n, n)) + random.normal(
        how.asymmetry, how.asymmetry / 4, (n, n)
    ) * (np.arange(n)[:, None] > np.arange(n)[None, :])
    measured = latency * np.exp(upper + upper.T + own)
    spoilt = random.random((n, n)) < how.stolen
    spoilt |= spoilt.T
    measured[spoilt] *= np.exp(random.uniform(np.log(2.0), np.log(60.0), int(spoilt.sum())))
    if how.step:
        measured = np.maximum(np.round(measured / how.step), 1.0) * how.step + random.choice(
            [0, 0.1, 0.2], (n, n)
        )
    gone = random.random((n, n)) < how.missing
    measured[gone | gone.T] = np.nan
    np.fill_diagonal(measured, np.nan)
    return spoilt, measured


def _groups(number: NDArray[np.intp], size: int) -> Groups:
    return sorted(sorted(number[first : first + size].tolist()) for first in range(0, len(number), size))


THREADS = Level(2, 8.0, 0.0)
MACHINES: Sequence[Machine] = (
    Machine("flat quad", (Level(4, 40.0),)),
    Machine("threads of a quad", (THREADS, Level(8, 21.0, 0.08))),
    Machine("mesh of 36", (Level(36, 55.0, 0.25),)),
    Machine("one socket with threads", (THREADS, Level(64, 48.0, 0.12))),
    Machine("two sockets, threads", (THREADS, Level(40, 40.0, 0.12), Level(80, 115.0, 0.05))),
    Machine("chiplets", (THREADS, Level(16, 19.0, 0.08), Level(32, 84.0))),
    Machine(
        "server of chiplets", (THREADS, Level(16, 25.0, 0.08), Level(96, 105.0, 0.1), Level(192, 200.0, 0.05))
    ),
    Machine("chiplets by four", (Level(4, 25.0, 0.02), Level(64, 110.0, 0.12), Level(128, 230.0, 0.06))),
    Machine("clusters of a phone", (Level(4, 40.0, 0.05), Level(8, 145.0, 0.05))),
    Machine("tiles", (Level(2, 42.0, 0.0), Level(64, 92.0, 0.12))),
    Machine("four dies", (THREADS, Level(8, 24.0), Level(16, 90.0), Level(64, 155.0))),
    Machine("large", (THREADS, Level(16, 32.0, 0.1), Level(256, 110.0, 0.1), Level(512, 204.0, 0.04))),
)
DISTURBANCES = {
    "quiet": Disturbance(),
    "shuffled": Disturbance(shuffled=True),
    "noisy": Disturbance(noise=0.05),
    "very noisy": Disturbance(noise=0.1),
    "stolen time": Disturbance(noise=0.03, stolen=0.02),
    "much stolen time": Disturbance(noise=0.03, stolen=0.06),
    "gaps": Disturbance(noise=0.02, missing=0.1),
    "coarse clock": Disturbance(noise=0.01, step=5.0),
    "asymmetric": Disturbance(noise=0.02, asymmetry=0.08),
}


def simulated_matrices(seed: int, most_cores: int = 512) -> Iterator[tuple[str, SimulatedMatrix]]:
    """Every machine with every disturbance, by the name of the disturbance."""
    for name, disturbance in DISTURBANCES.items():
        for number, machine in enumerate(MACHINES):
            if machine.cores <= most_cores:
                yield name, simulated(replace(machine, disturbance=disturbance), 1000 * seed + number)
