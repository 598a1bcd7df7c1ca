"""Latencies of a random chase through caches whose sets are counted line by line, pages drawn at random.

Nothing here knows the binomial model: frames are drawn, lines are put into sets, and what overflows misses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LINE = 64
FRAMES = 1 << 22
"""16 GiB of frames of 4 KiB."""


@dataclass(frozen=True)
class PagedLevel:
    """`index` is "physical" or "virtual"; `slices` > 1 hashes lines over so many parts of the cache."""

    size: int
    ways: int
    latency: float
    index: str = "physical"
    slices: int = 1

    @property
    def sets(self) -> int:
        return self.size // (self.ways * LINE)


@dataclass(frozen=True)
class Translation:
    """A TLB whose misses, beyond `reach` bytes, add `cost` to a load."""

    reach: float
    cost: float

    def added(self, size: int) -> float:
        return self.cost * max(1.0 - self.reach / size, 0.0)


@dataclass(frozen=True)
class PagedMachine:
    levels: Sequence[PagedLevel]
    memory: float
    tlb: Sequence[Translation] = ()
    strict: float = 1.0
    """1 for LRU, where a set that overflows misses always; 0 where the most that can stays."""

    def latency(self, size: int, page: int, random: np.random.Generator) -> float:
        """Of one draw of physical pages."""
        lines = np.arange(0, size, LINE, dtype=np.int64)
        addresses = {"virtual": lines, "physical": _frames(size, page, random, lines)}
        miss = [self._missing(level, addresses[level.index]) for level in self.levels]
        found = self.levels[0].latency
        slower = [*(one.latency for one in self.levels[1:]), self.memory]
        for level, beyond, share in zip(self.levels, slower, np.minimum.accumulate(miss), strict=True):
            found += share * (beyond - level.latency)
        return float(found) + (sum(one.added(size) for one in self.tlb) if page == 4096 else 0.0)

    def _missing(self, level: PagedLevel, addresses: NDArray[np.int64]) -> float:
        counts = np.bincount(_sets(level, addresses // LINE), minlength=level.sets)
        over = counts > level.ways
        always, least = counts[over].sum(), (counts[over] - level.ways).sum()
        return float(self.strict * always + (1.0 - self.strict) * least) / len(addresses)

    def samples(
        self, sizes: Sequence[int], page: int, draws: int, noise: float, seed: int
    ) -> list[list[float]]:
        """Of each size, pages anew for each draw, with noise that adds only."""
        random = np.random.default_rng(seed)
        return [
            [self.latency(size, page, random) * (1.0 + abs(random.normal(0, noise))) for _ in range(draws)]
            for size in sizes
        ]

    def reused(self, sizes: Sequence[int], draws: int, noise: float, seed: int) -> list[list[float]]:
        """The same small pages again and again."""
        random = np.random.default_rng(seed)
        return [
            [latency * (1.0 + abs(random.normal(0, noise))) for _ in range(draws)]
            for latency in (self.latency(size, 4096, random) for size in sizes)
        ]


def _frames(size: int, page: int, random: np.random.Generator, lines: NDArray[np.int64]) -> NDArray[np.int64]:
    pages = -(-size // page)
    frames = random.integers(FRAMES * 4096 // page, size=pages)
    return frames[lines // page] * page + lines % page


def _sets(level: PagedLevel, line: NDArray[np.int64]) -> NDArray[np.int64]:
    if level.slices == 1:
        return line % level.sets
    per_slice = level.sets // level.slices
    slice_of = np.zeros_like(line)
    bits = level.slices.bit_length() - 1
    for shift in range(0, 34, bits):
        slice_of ^= (line >> shift) & (level.slices - 1)
    return slice_of * per_slice + line % per_slice
