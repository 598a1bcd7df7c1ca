"""Grids of sizes as tools and articles use them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

K, M = 1 << 10, 1 << 20


def power_of_two_grid(first: float = 4 * K, last: float = 128 * M) -> NDArray[np.float64]:
    return 2.0 ** np.arange(math.log2(first), math.log2(last) + 0.5)


def eighths_grid(first: float = 4 * K, last: float = 256 * M) -> NDArray[np.float64]:
    """M * 2^e with m = 8 … 15, the grid of groma's own probe."""
    powers = power_of_two_grid(first, last)
    return np.array([p * m / 8 for p in powers for m in range(8, 16) if p * m / 8 <= last])


def quarters_grid(first: float = K, last: float = 128 * M) -> NDArray[np.float64]:
    """Four sizes per octave, as lat_mem_rd steps."""
    powers = power_of_two_grid(first, last)
    return np.array([p * m / 4 for p in powers for m in range(4, 8) if p * m / 4 <= last])


def halves_grid(first: float = 2 * K, last: float = 512 * M) -> NDArray[np.float64]:
    powers = power_of_two_grid(first, last)
    return np.array([p * m / 2 for p in powers for m in (2, 3) if p * m / 2 <= last])


def article_grid() -> NDArray[np.float64]:
    """The uneven list of sizes (KiB) that microbenchmark articles use."""
    kib = (
        *(
            2,
            4,
            8,
            12,
            16,
            24,
            32,
            48,
            64,
            96,
            128,
            192,
            256,
            384,
            512,
            600,
            768,
            1024,
            1536,
            2048,
            3072,
            4096,
        ),
        *(5120, 6144, 8192, 10240, 12288, 16384, 24567, 32768, 65536, 98304, 131072, 262144, 393216, 524288),
        1048576,
    )
    return np.array(kib, dtype=np.float64) * K


def scattered_grid(random: np.random.Generator) -> NDArray[np.float64]:
    """Sizes a user typed by hand: uneven, two to six per octave."""
    octaves = np.cumsum(random.uniform(0.15, 0.6, 80))
    sizes = np.round(2.0 ** (11 + octaves) / 64) * 64
    return np.unique(sizes[sizes < random.choice([64, 256, 1024]) * M])


GRIDS: dict[str, Callable[[], NDArray[np.float64]]] = {
    "powers": power_of_two_grid,
    "powers_long": lambda: power_of_two_grid(K, 1024 * M),
    "article": article_grid,
    "eighths": eighths_grid,
    "quarters": quarters_grid,
    "quarters_short": lambda: quarters_grid(512, 64 * M),
    "halves": halves_grid,
}
