"""A small Monte-Carlo model of caches under a random chase, to test the inference against known truth.

A dependent chase visits every line of its working set once a lap, in the same random order. Each set of a
cache then sees its own lines in a fixed cyclic order, so the miss ratio follows from two things that are both
simulated here: how many lines fall into each set (page placement, index hash) and what the replacement policy
does with k lines cycling through w ways.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LINE_BYTES = 64
PAGE_BYTES = 4096

Policy = Literal["lru", "random", "not_recent", "resistant"]
Index = Literal["contiguous", "coloured", "runs", "hashed"]

_LAPS = 12
_SETS = 32


@dataclass(frozen=True)
class CacheModel:
    """One level: `latency` in cycles when it hits; `exclusive` adds the level above to its capacity."""

    size_bytes: int
    ways: int
    latency: float
    policy: Policy = "lru"
    index: Index = "contiguous"
    exclusive: bool = False


def miss_ratio(
    cache: CacheModel, sizes: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float64]:
    """Share of loads that miss in `cache` for a chase over each of `sizes` bytes."""
    by_lines = cyclic_miss_table(cache.policy, cache.ways)
    return np.array([_mean_miss(_lines_per_set(cache, size, random), by_lines) for size in sizes])


def _lines_per_set(cache: CacheModel, size: float, random: np.random.Generator) -> NDArray[np.float64]:
    """A sample of how many lines fall into one set."""
    sets = max(cache.size_bytes // (cache.ways * LINE_BYTES), 1)
    lines = size / LINE_BYTES
    colours = cache.size_bytes / (cache.ways * PAGE_BYTES)
    if cache.index == "hashed":
        return random.poisson(lines / sets, size=1024).astype(np.float64)
    if cache.index in ("coloured", "runs") and colours > 1:
        run = 1 if cache.index == "coloured" else int(random.integers(2, 32))
        return _pages_per_colour(round(colours), size, run, random)
    fuller = lines / sets - math.floor(lines / sets)
    return math.floor(lines / sets) + (np.arange(64) < 64 * fuller).astype(np.float64)


def _pages_per_colour(
    colours: int, size: float, run: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """Runs of neighbouring pages at random places; a line of each page falls into every set of its colour."""
    pages = max(round(size / PAGE_BYTES), 1)
    starts = random.integers(0, colours, size=math.ceil(pages / run))
    taken = (starts[:, None] + np.arange(run)[None, :]).ravel()[:pages] % colours
    return np.bincount(taken, minlength=colours).astype(np.float64)


def _mean_miss(lines: NDArray[np.float64], by_lines: NDArray[np.float64]) -> float:
    """Misses per load: a set with more lines is also visited more often."""
    total = float(lines.sum())
    if total == 0.0:
        return 0.0
    misses = np.interp(lines, np.arange(len(by_lines)), by_lines, right=1.0)
    return float((lines * misses).sum()) / total


@lru_cache(maxsize=64)
def cyclic_miss_table(policy: Policy, ways: int) -> NDArray[np.float64]:
    """Miss ratio of one set for k = 0 … 10 * ways lines visited in cyclic order."""
    longest = 10 * ways
    table = np.zeros(longest + 1)
    if policy == "lru":
        table[ways + 1 :] = 1.0
        return table
    knots = sorted({ways + 1, *(round(ways * f) for f in (1.15, 1.3, 1.5, 1.75, 2, 2.5, 3, 4, 6, 10))})
    simulated = [_simulate_set(policy, ways, lines) for lines in knots]
    table[ways + 1 :] = np.interp(np.arange(ways + 1, longest + 1), knots, simulated)
    return table


def _simulate_set(policy: Policy, ways: int, lines: int) -> float:
    """Many copies of one set at once; the first half of the laps only warms up."""
    random = np.random.default_rng(lines * 1000 + ways)
    held = np.full((_SETS, ways), -1)
    recent = np.zeros((_SETS, ways), dtype=bool)
    rows = np.arange(_SETS)
    misses = 0
    for step in range(_LAPS * lines):
        where = held == step % lines
        missed = ~where.any(axis=1)
        victim = _victims(policy, recent, random)
        touched = np.where(missed, victim, where.argmax(axis=1))
        held[rows, touched] = step % lines
        _mark(policy, recent, touched, missed, random)
        if step >= _LAPS * lines // 2:
            misses += int(missed.sum())
    return misses / (_SETS * (_LAPS * lines - _LAPS * lines // 2))


def _victims(policy: Policy, recent: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.intp]:
    """Random replacement takes any way; the others the first that was not used recently."""
    if policy == "random":
        return random.integers(0, recent.shape[1], size=len(recent), dtype=np.intp)
    return np.asarray((~recent).argmax(axis=1), dtype=np.intp)


def _mark(
    policy: Policy,
    recent: NDArray[np.bool_],
    touched: NDArray[np.intp],
    missed: NDArray[np.bool_],
    random: np.random.Generator,
) -> None:
    """Sets the use bits. A thrash-resistant policy lets nearly all new lines be the next victim."""
    rows = np.arange(len(recent))
    promote = np.ones(len(recent), dtype=bool)
    if policy == "resistant":
        promote = ~missed | (random.random(len(recent)) < 1 / 16)
    recent[rows[promote], touched[promote]] = True
    full = recent.all(axis=1)
    recent[full] = False
    recent[rows[full & promote], touched[full & promote]] = True
