"""Other machines than those of `matrices`: a latency is what its two ends and the way between them cost.

They are held out: the rules of the inference were not made on them. Ends have clocks of their own, ways lead
over rings, meshes and links between sockets, and noise is an added waiting time. Whole bursts of the
measurement may be disturbed, as when a neighbour of a guest wakes up.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


class Place(NamedTuple):
    """Where a hardware thread is; threads of one core have equal places."""

    socket: int
    die: int
    cluster: int
    core: int
    kind: int = 0


Cost = tuple[float, int]
"""Nanoseconds of the way, and the number of the layer that it belongs to."""


@dataclass(frozen=True)
class Chip:
    """`way` tells the cost between two different places or threads of one."""

    name: str
    places: tuple[Place, ...]
    way: Callable[[Place, Place], Cost]


@dataclass(frozen=True)
class NoiseModel:
    """`waiting` is the mean time that is added (a part of the latency), `clocks` how much ends differ.

    `bursts` is the part of the measurement in which something else ran, `lost` that of single cells.
    """

    waiting: float = 0.01
    clocks: float = 0.02
    bursts: float = 0.0
    lost: float = 0.0
    tick: float = 0.0
    gaps: float = 0.0


@dataclass(frozen=True, eq=False)
class MeasuredChip:
    name: str
    latency: Matrix
    layer: NDArray[np.intp]
    spoilt: NDArray[np.bool_]


def measured(chip: Chip, noise: NoiseModel, seed: int, *, moved: bool = False) -> MeasuredChip:
    """The symmetric matrix as a tool records it, with the true layer of each pair (-1: none)."""
    random = np.random.default_rng(seed)
    places = [chip.places[i] for i in random.permutation(len(chip.places))] if moved else list(chip.places)
    n = len(places)
    latency, layer = np.full((n, n), np.nan), np.full((n, n), -1)
    clocks = random.uniform(1.0 - noise.clocks, 1.0 + noise.clocks, n)
    for i, j in combinations(range(n), 2):
        cost, layer[i, j] = chip.way(places[i], places[j])
        latency[i, j] = cost * (clocks[i] + clocks[j]) / 2.0
    times, spoilt = _with_noise(latency[np.triu_indices(n, 1)], noise, random)
    latency[np.triu_indices(n, 1)] = times
    bad = np.zeros((n, n), dtype=bool)
    bad[np.triu_indices(n, 1)] = spoilt
    latency = np.where(np.isnan(latency), latency.T, latency)
    np.fill_diagonal(latency, np.nan)
    return MeasuredChip(chip.name, latency, np.maximum(layer, layer.T), bad | bad.T)


def _with_noise(
    times: NDArray[np.float64], noise: NoiseModel, random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    count = len(times)
    found = times * (1.0 + random.exponential(noise.waiting, count))
    spoilt = random.random(count) < noise.lost
    burst = max(2, count // 200)
    for _ in range(int(noise.bursts * count / burst)):
        first = int(random.integers(max(count - burst, 1)))
        spoilt[first : first + burst] = True
    found[spoilt] = found[spoilt] * random.uniform(1.6, 3.0, int(spoilt.sum())) + random.exponential(
        500.0, int(spoilt.sum())
    )
    if noise.tick:
        found = np.maximum(np.ceil(found / noise.tick), 1.0) * noise.tick
    found[random.random(count) < noise.gaps] = np.nan
    return found, spoilt


# ---- machines ----------------------------------------------------------------------------------------------


def _threads(sockets: int, dies: int, clusters: int, cores: int, smt: int) -> tuple[Place, ...]:
    """Hardware threads of a core one after the other's cores, as some systems number them."""
    one_each = [
        Place(s, d, c, k)
        for s in range(sockets)
        for d in range(dies)
        for c in range(clusters)
        for k in range(cores)
    ]
    return tuple(place for _ in range(smt) for place in one_each)


def _same_core(one: Place, other: Place) -> bool:
    return one[:4] == other[:4]


def _ring(one: int, other: int, length: int) -> int:
    return min((one - other) % length, (other - one) % length)


def ring_of_cores(one: Place, other: Place) -> Cost:
    """A client: threads, then a ring of ten stops."""
    return (6.5, 0) if _same_core(one, other) else (20.0 + 0.8 * _ring(one.core, other.core, 10), 1)


def four_sockets(one: Place, other: Place) -> Cost:
    """Sockets on a ring: neighbours, and those two links away."""
    hops = _ring(one.socket, other.socket, 4)
    if hops:
        return (70.0 + 55.0 * hops, hops)
    return 45.0 + 0.6 * abs(one.core - other.core), 0


def hybrid(one: Place, other: Place) -> Cost:
    """Fast cores with threads and slow ones in clusters of four, all on one ring."""
    if _same_core(one, other):
        return 4.6, 0
    return 31.0 + 2.0 * (one.kind + other.kind) + 0.5 * abs(one.cluster - other.cluster), 1


def phone(one: Place, other: Place) -> Cost:
    """One prime core, three large and four small ones: clusters see each other through the bus."""
    if one.cluster == other.cluster:
        return (35.0, 0) if one.cluster == 1 else (58.0, 1)
    return 140.0 + 5.0 * (one.cluster + other.cluster), 2


def by_four_threads(one: Place, other: Place) -> Cost:
    """Four threads a core, two cores a pair, two sockets."""
    if _same_core(one, other):
        return 14.0, 0
    if one.socket != other.socket:
        return 640.0, 3
    return (60.0, 1) if one.core // 2 == other.core // 2 else (390.0 + 4.0 * abs(one.core - other.core), 2)


def mesh_server(one: Place, other: Place) -> Cost:
    """Two sockets, each a mesh of 7 x 8 tiles in four clusters of NUMA that show a little."""
    if _same_core(one, other):
        return 8.3, 0
    x, y = abs(one.core % 7 - other.core % 7), abs(one.core // 7 - other.core // 7)
    way = 42.0 + 1.4 * x + 1.2 * y
    return (way + 66.0, 2) if one.socket != other.socket else (way, 1)


def arm_server(one: Place, other: Place) -> Cost:
    """One mesh of 64 cores without threads; distance shows, and nothing else."""
    return 33.0 + 1.9 * (abs(one.core % 8 - other.core % 8) + abs(one.core // 8 - other.core // 8)), 0


def io_die(one: Place, other: Place) -> Cost:
    """Chiplets of 6 cores with threads around a die for input and output, two sockets."""
    if _same_core(one, other):
        return 10.1, 0
    if one.socket != other.socket:
        return 196.0 + 3.0 * abs(one.die - other.die), 3
    if one.die == other.die:
        return 24.0 + 0.7 * _ring(one.core, other.core, 6), 1
    return 92.0 + 3.5 * abs(one.die % 4 - other.die % 4) + 2.0 * (one.die // 4 != other.die // 4), 2


def two_core_modules(one: Place, other: Place) -> Cost:
    """Pairs of cores around a second-level cache, else the bus."""
    return (59.0, 0) if one.cluster == other.cluster else (228.0, 1)


def pair(_one: Place, _other: Place) -> Cost:
    return 34.0, 0


CHIPS = (
    Chip("ring of cores", _threads(1, 1, 1, 10, 2), ring_of_cores),
    Chip("four sockets", _threads(4, 1, 1, 12, 1), four_sockets),
    Chip(
        "hybrid",
        (
            *(Place(0, 0, k, k) for k in range(6) for _ in range(2)),
            *(Place(0, 0, 6 + k // 4, 6 + k, 1) for k in range(8)),
        ),
        hybrid,
    ),
    Chip("phone", tuple(Place(0, 0, c, k) for k, c in enumerate((0, 1, 1, 1, 2, 2, 2, 2))), phone),
    Chip("four threads", _threads(2, 1, 1, 8, 4), by_four_threads),
    Chip("mesh server", _threads(2, 1, 1, 56, 2), mesh_server),
    Chip("ARM server", _threads(1, 1, 1, 64, 1), arm_server),
    Chip("chiplets around a die", _threads(2, 8, 1, 6, 2), io_die),
    Chip("modules of two", _threads(1, 1, 8, 2, 1), two_core_modules),
    Chip("two cores", _threads(1, 1, 1, 2, 1), pair),
)
NOISE_MODELS = {
    "calm": NoiseModel(),
    "waiting": NoiseModel(waiting=0.06, clocks=0.04),
    "guest": NoiseModel(waiting=0.04, lost=0.03),
    "crowded guest": NoiseModel(waiting=0.05, bursts=0.04, lost=0.04),
    "ticks of 4 ns": NoiseModel(tick=4.0),
    "ticks of 10 ns": NoiseModel(tick=10.0),
    "gaps": NoiseModel(gaps=0.15),
}


def measured_chips(seed: int, most_cores: int = 512) -> Iterator[tuple[str, MeasuredChip]]:
    """Every chip under every noise model, with cores in order and not, by the name of the noise model."""
    for name, noise in NOISE_MODELS.items():
        for number, chip in enumerate(CHIPS):
            if len(chip.places) <= most_cores:
                one = measured(chip, noise, 1000 * seed + number, moved=bool((seed + number) % 2))
                if np.isfinite(one.latency).any():
                    yield name, one
