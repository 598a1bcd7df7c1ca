"""Latency curves of simulated machines: known caches, TLBs, pages, grids, noise; reproducible by a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.survey.infer.curve import Curve
from simulated.caches import PAGE_BYTES, CacheModel, Index, miss_ratio
from simulated.grids import GRIDS, K, M, scattered_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulated.machines import Archetype, NoiseRange

    Array = NDArray[np.float64]

Pages = Literal["small", "runs", "huge"]
"""4 KiB pages from anywhere, in runs of neighbours, or 2 MiB pages."""


@dataclass(frozen=True)
class SimulatedCurve:
    """A curve with the truth: `sizes` in bytes and `latencies` in ns of all levels, `memory` in ns.

    `visible` is the number of levels whose end lies on the grid. With an `exclusive` level a chase sees the
    sum of its size and the size above. `tlb` is the reach of the first TLB with these pages, in bytes, and
    what a miss costs in ns.
    """

    name: str
    grid: str
    pages: Pages
    curve: Curve
    sizes: tuple[int, ...]
    exclusive: tuple[bool, ...]
    latencies: tuple[float, ...]
    memory: float
    tlb: tuple[float, float]

    @property
    def visible(self) -> int:
        return sum(2 * size <= float(self.curve.size_bytes[-1]) for size in self.sizes)


def simulated_curves(
    archetypes: Sequence[Archetype],
    noise: NoiseRange,
    count: int,
    seed: int,
    grids: Sequence[str] | None = None,
) -> list[SimulatedCurve]:
    """`count` curves of machines drawn evenly from the archetypes, on any of `grids` (all by default)."""
    random = np.random.default_rng(seed)
    names = list(grids or (*GRIDS, "scattered"))
    return [
        _draw(archetypes[i % len(archetypes)], noise, names[int(random.integers(len(names)))], random)
        for i in range(count)
    ]


def _draw(machine: Archetype, noise: NoiseRange, grid: str, random: np.random.Generator) -> SimulatedCurve:
    sizes = scattered_grid(random) if grid == "scattered" else GRIDS[grid]()
    kinds: tuple[Pages, ...] = ("small", "small", "runs", "huge")
    pages = kinds[int(random.integers(len(kinds)))]
    caches = _draw_caches(machine, pages, random)
    chase = _Chase(machine, caches, pages, random)
    latency = chase.latency(sizes)
    return SimulatedCurve(
        name=machine.name,
        grid=grid,
        pages=pages,
        curve=Curve(size_bytes=sizes, latency=_disturbed(latency, sizes, noise, random)),
        tlb=chase.tlb,
        sizes=tuple(cache.size_bytes for cache in caches),
        exclusive=tuple(cache.exclusive for cache in caches),
        latencies=tuple(cache.latency / chase.clock for cache in caches),
        memory=chase.memory / chase.clock,
    )


def _draw_caches(machine: Archetype, pages: Pages, random: np.random.Generator) -> list[CacheModel]:
    caches: list[CacheModel] = []
    for level in machine.levels:
        larger = [
            size for size in level.sizes if not caches or level.exclusive or size > 2 * caches[-1].size_bytes
        ]
        index = _page_index(pages, first=not caches, random=random)
        caches.append(
            CacheModel(
                size_bytes=int(random.choice(larger)),
                ways=int(random.choice(level.ways)),
                latency=float(random.uniform(*level.cycles)),
                policy=level.policies[int(random.integers(len(level.policies)))],
                index="hashed" if level.hashed else index,
                exclusive=level.exclusive,
            )
        )
    return caches


def _page_index(pages: Pages, *, first: bool, random: np.random.Generator) -> Index:
    """A first level is often indexed by the virtual address, whatever pages lie below."""
    if pages == "huge" or (first and random.random() < 0.5):
        return "contiguous"
    return "runs" if pages == "runs" else "coloured"


class _Chase:
    """One machine: clock in GHz, latency of memory in cycles, and whether the chase repeats one cycle."""

    def __init__(
        self, machine: Archetype, caches: Sequence[CacheModel], pages: Pages, random: np.random.Generator
    ) -> None:
        self.machine, self.caches, self.pages, self.random = machine, caches, pages, random
        self.clock = float(random.uniform(*machine.gigahertz))
        self.memory = float(random.uniform(*machine.memory_ns)) * self.clock
        # Some tools draw a new random address each time instead of following one cycle.
        self.cyclic = bool(random.random() < 0.9)

    def latency(self, sizes: Array) -> Array:
        """Nanoseconds per load of an undisturbed chase over each size."""
        cycles = self._hierarchy(sizes)
        return (cycles + self._translation(sizes, cycles)) / self.clock

    def _hierarchy(self, sizes: Array) -> Array:
        cycles = np.zeros_like(sizes)
        reaching = np.ones_like(sizes)
        held_above = 0
        for cache in self.caches:
            capacity = cache.size_bytes + (held_above if cache.exclusive else 0)
            missing = np.minimum(reaching, self._missing(cache, capacity, sizes))
            cycles += (reaching - missing) * cache.latency * self._slices(cache, capacity, sizes)
            reaching, held_above = missing, capacity
        # Memory costs more when more DRAM rows are open than the controller tracks.
        rows = 1.0 + 0.15 * float(self.random.random()) * np.clip(np.log2(sizes / sizes[-1]) / 6 + 1, 0, 1)
        return np.asarray(cycles + reaching * self.memory * rows, dtype=np.float64)

    def _missing(self, cache: CacheModel, capacity: int, sizes: Array) -> Array:
        if self.cyclic:
            effective = CacheModel(capacity, cache.ways, cache.latency, cache.policy, cache.index)
            return miss_ratio(effective, sizes, self.random)
        return np.asarray(np.maximum(0.0, 1.0 - capacity / sizes), dtype=np.float64)

    def _slices(self, cache: CacheModel, capacity: int, sizes: Array) -> Array:
        """A sliced cache is a little slower when all its slices are in use."""
        farther = 0.25 * float(self.random.random()) if cache.index == "hashed" else 0.0
        return np.asarray(1.0 + farther * np.clip(np.log2(sizes / capacity) / 4 + 1, 0, 1), dtype=np.float64)

    def _translation(self, sizes: Array, cycles: Array) -> Array:
        """Cycles of TLB misses; the page walk itself loads from the same hierarchy."""
        page = PAGE_BYTES if self.pages != "huge" or self.machine.guest else 512 * PAGE_BYTES
        added = np.zeros_like(sizes)
        pages = sizes / page
        for i, tlb in enumerate(self.machine.tlb):
            # First-level TLBs have fewer entries for large pages.
            entries = int(self.random.choice(tlb.entries)) * (1.0 if page == PAGE_BYTES or i else 0.5)
            cost = np.full_like(sizes, self.random.uniform(*tlb.cycles))
            if i == len(self.machine.tlb) - 1:
                # Eight bytes of table per page.
                cost += np.interp(8 * pages, sizes, cycles) * self.random.uniform(0.3, 1.0)
            added += np.maximum(0.0, 1.0 - entries / pages) * cost
            if i == 0:
                self.tlb = (entries * page, float(cost[0]) / self.clock)
        slowdown = self.random.uniform(1.5, 2.5) if self.machine.guest else 1.0
        self.tlb = (self.tlb[0], slowdown * self.tlb[1])
        return added * slowdown


def _disturbed(latency: Array, sizes: Array, noise: NoiseRange, random: np.random.Generator) -> Array:
    near, far = random.uniform(*noise.near), random.uniform(*noise.far)
    spread = near + (far - near) * np.clip(np.log2(sizes / M) / 6, 0, 1)
    upwards = np.abs(random.normal(0, 1, len(sizes)))
    noisy = latency * np.exp((upwards + 0.3 * random.normal(0, 1, len(sizes))) * spread)
    hit = random.random(len(sizes)) < random.uniform(*noise.outliers)
    noisy[hit] *= random.uniform(*noise.outlier_factor, size=int(hit.sum()))
    if random.random() < noise.list_step:
        noisy[sizes <= random.choice([4, 8]) * K] *= random.uniform(0.6, 1.3)
    if random.random() < noise.disturbed_stretch:
        start = int(random.integers(len(sizes)))
        noisy[start : start + 1 + len(sizes) // 12] *= random.uniform(1.0, 1.4)
    step = float(random.choice(noise.rounding))
    rounded: Array = np.maximum(np.round(noisy / step) * step, step)
    return rounded
