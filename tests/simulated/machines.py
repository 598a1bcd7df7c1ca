"""Ranges from which simulated machines and their noise are drawn.

`TUNING` and `HELD_OUT` hold different machines, `TUNING_NOISE` and `HELD_OUT_NOISE` different noise: rules
are made on the first and judged on the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulated.caches import Policy

K, M = 1 << 10, 1 << 20


@dataclass(frozen=True)
class LevelRange:
    """Possible sizes and ways of a level, its latency in cycles and the policies it may have."""

    sizes: tuple[int, ...]
    ways: tuple[int, ...]
    cycles: tuple[float, float]
    policies: tuple[Policy, ...] = ("lru",)
    hashed: bool = False
    exclusive: bool = False


@dataclass(frozen=True)
class TlbRange:
    """Entries of 4 KiB pages and the cycles that a miss adds (the last level adds a page walk on top)."""

    entries: tuple[int, ...]
    cycles: tuple[float, float]


@dataclass(frozen=True)
class Archetype:
    name: str
    levels: tuple[LevelRange, ...]
    memory_ns: tuple[float, float]
    gigahertz: tuple[float, float]
    tlb: tuple[TlbRange, ...] = (TlbRange((64,), (4, 8)), TlbRange((1024, 1536, 2048), (10, 25)))
    guest: bool = False


@dataclass(frozen=True)
class NoiseRange:
    """Relative noise near and far from the core, share and size of upward outliers, list-code artefacts."""

    near: tuple[float, float] = (0.001, 0.02)
    far: tuple[float, float] = (0.005, 0.06)
    outliers: tuple[float, float] = (0.0, 0.05)
    outlier_factor: tuple[float, float] = (1.05, 2.0)
    list_step: float = 0.15
    disturbed_stretch: float = 0.1
    rounding: tuple[float, ...] = (0.001, 0.01, 0.1)


_SBC_TLB = (TlbRange((10, 16, 32), (3, 7)), TlbRange((512,), (15, 40)))
_SMALL_SERVER_TLB = (TlbRange((32, 48), (4, 8)), TlbRange((1024, 1280), (15, 35)))
_LARGE_L3: tuple[Policy, ...] = ("not_recent", "random", "resistant")

TUNING = (
    Archetype(
        "client, slices of L3",
        (
            LevelRange((32 * K,), (8,), (4, 5)),
            LevelRange((256 * K,), (4, 8), (12, 14), ("not_recent", "lru")),
            LevelRange((3 * M, 6 * M, 8 * M, 12 * M, 16 * M), (16, 12), (34, 50), _LARGE_L3, hashed=True),
        ),
        (50, 85),
        (2.4, 5.0),
    ),
    Archetype(
        "server, victim L3",
        (
            LevelRange((32 * K,), (8,), (4, 5)),
            LevelRange((1 * M,), (16,), (14, 16), ("not_recent",)),
            LevelRange(
                (11 * M, 22 * M, 28 * M, 36 * M), (11,), (55, 90), _LARGE_L3, hashed=True, exclusive=True
            ),
        ),
        (80, 125),
        (2.1, 3.6),
    ),
    Archetype(
        "chiplet",
        (
            LevelRange((32 * K,), (8,), (4, 5)),
            LevelRange((512 * K, 1 * M), (8,), (12, 15), ("lru", "not_recent")),
            LevelRange(
                (4 * M, 8 * M, 16 * M, 32 * M, 96 * M), (16,), (35, 55), ("lru", "not_recent"), True, True
            ),
        ),
        (65, 130),
        (2.5, 5.4),
    ),
    Archetype(
        "small in-order core",
        (
            LevelRange((32 * K,), (4,), (3, 3), ("random", "not_recent")),
            LevelRange((256 * K, 512 * K, 1 * M), (16,), (12, 22), ("random", "not_recent")),
        ),
        (100, 220),
        (0.8, 2.0),
        _SBC_TLB,
    ),
    Archetype(
        "middle core of a board",
        (
            LevelRange((32 * K, 48 * K), (2, 3), (4, 4), ("lru",)),
            LevelRange((512 * K, 1 * M, 2 * M, 4 * M), (16,), (15, 24), ("random", "not_recent")),
        ),
        (90, 180),
        (1.2, 2.3),
        _SMALL_SERVER_TLB,
    ),
    Archetype(
        "big core of a board",
        (
            LevelRange((64 * K,), (4,), (4, 4), ("not_recent",)),
            LevelRange((256 * K, 512 * K), (8,), (9, 13), ("not_recent",)),
            LevelRange((2 * M, 3 * M, 4 * M), (16,), (30, 60), ("random", "not_recent"), True, True),
        ),
        (100, 170),
        (1.8, 3.0),
        _SMALL_SERVER_TLB,
    ),
    Archetype(
        "mesh server",
        (
            LevelRange((64 * K,), (4,), (4, 4), ("not_recent", "lru")),
            LevelRange((512 * K, 1 * M), (8,), (11, 14), ("not_recent",)),
            LevelRange((16 * M, 32 * M), (16,), (65, 120), _LARGE_L3, True),
        ),
        (85, 140),
        (2.2, 3.3),
        (TlbRange((48,), (4, 8)), TlbRange((1280,), (15, 30))),
    ),
    Archetype(
        "wide core, shared L2",
        (
            LevelRange((128 * K,), (8,), (3, 4), ("not_recent",)),
            LevelRange((8 * M, 12 * M), (12,), (16, 20), ("not_recent", "random"), True),
            LevelRange((8 * M, 16 * M), (16,), (100, 140), ("not_recent", "random"), True, True),
        ),
        (90, 120),
        (2.9, 3.5),
        (TlbRange((160,), (4, 8)), TlbRange((3072,), (15, 30))),
    ),
    Archetype(
        "older server, small ways",
        (
            LevelRange((64 * K,), (2,), (3, 3)),
            LevelRange((512 * K,), (16,), (12, 16), ("not_recent", "lru"), False, True),
            LevelRange((2 * M, 6 * M), (48,), (40, 60), ("not_recent",), True, True),
        ),
        (55, 110),
        (1.8, 3.4),
        (TlbRange((48,), (3, 8)), TlbRange((512, 1024), (15, 35))),
    ),
    Archetype(
        "older, two levels",
        (
            LevelRange((32 * K, 64 * K), (2, 8), (3, 3)),
            LevelRange((512 * K, 1 * M, 2 * M, 4 * M, 6 * M), (8, 16), (12, 18), ("not_recent", "lru")),
        ),
        (50, 120),
        (1.6, 3.2),
        (TlbRange((16, 32), (2, 5)), TlbRange((256, 512), (10, 30))),
    ),
    Archetype(
        "low power, exclusive L2",
        (
            LevelRange((64 * K,), (16,), (3, 5)),
            LevelRange((1 * M,), (16, 32), (18, 28), ("not_recent",), False, True),
        ),
        (80, 160),
        (1.0, 1.8),
        (TlbRange((128,), (5, 15)),),
    ),
    Archetype(
        "guest with a share of L3",
        (
            LevelRange((32 * K,), (8,), (4, 4)),
            LevelRange((1 * M,), (16,), (14, 16), ("not_recent",)),
            LevelRange((2 * M, 3 * M, 5 * M), (11,), (60, 90), ("random", "resistant"), True, True),
        ),
        (90, 130),
        (2.4, 3.2),
        guest=True,
    ),
    Archetype(
        "first many-core servers, two levels",
        (
            LevelRange((32 * K,), (32,), (3, 4), ("lru", "not_recent")),
            LevelRange((8 * M, 16 * M), (16,), (38, 44), ("not_recent", "random"), True),
        ),
        (60, 120),
        (1.8, 2.2),
        (TlbRange((32, 256), (4, 12)), TlbRange((1024,), (15, 40))),
    ),
    Archetype(
        "pair of cores, small cache behind",
        (
            LevelRange((32 * K,), (2,), (4, 4), ("lru",)),
            LevelRange((512 * K, 1 * M), (16,), (17, 22), ("not_recent", "random")),
            LevelRange((1 * M, 8 * M), (16,), (70, 100), ("random", "not_recent"), True, True),
        ),
        (120, 160),
        (1.8, 2.2),
        _SMALL_SERVER_TLB,
    ),
)

HELD_OUT = (
    Archetype(
        "hybrid, big core",
        (
            LevelRange((48 * K,), (12,), (5, 5)),
            LevelRange((1280 * K, 2 * M), (10, 16), (14, 16), ("not_recent",)),
            LevelRange((12 * M, 24 * M, 30 * M, 36 * M), (12,), (60, 85), _LARGE_L3, hashed=True),
        ),
        (70, 110),
        (3.0, 5.8),
        (TlbRange((96,), (5, 8)), TlbRange((2048,), (10, 25))),
    ),
    Archetype(
        "hybrid, small core",
        (
            LevelRange((32 * K,), (8,), (3, 4), ("not_recent",)),
            LevelRange((2 * M, 4 * M), (16,), (16, 22), ("not_recent", "random"), True),
            LevelRange((6 * M, 12 * M, 30 * M), (12,), (60, 90), _LARGE_L3, hashed=True),
        ),
        (75, 120),
        (2.0, 4.3),
        (TlbRange((48,), (4, 8)), TlbRange((2048,), (15, 30))),
    ),
    Archetype(
        "large mesh server",
        (
            LevelRange((48 * K,), (12,), (5, 5)),
            LevelRange((1280 * K, 2 * M), (20, 16), (14, 17), ("not_recent",)),
            LevelRange((30 * M, 48 * M, 60 * M, 105 * M), (15, 12), (70, 140), _LARGE_L3, True, True),
        ),
        (95, 160),
        (2.0, 3.7),
        (TlbRange((64, 96), (5, 8)), TlbRange((1536, 2048), (10, 25))),
    ),
    Archetype(
        "large SMT server",
        (
            LevelRange((32 * K, 64 * K), (8,), (3, 5), ("lru",)),
            LevelRange((256 * K, 512 * K), (8,), (11, 15), ("lru", "not_recent")),
            LevelRange(
                (4 * M, 8 * M, 10 * M), (8, 20), (25, 50), ("lru", "not_recent", "random"), True, True
            ),
        ),
        (80, 140),
        (2.8, 4.0),
        (TlbRange((64,), (3, 10)), TlbRange((512, 1024), (20, 50))),
    ),
    Archetype(
        "small L1, slow L2",
        (
            LevelRange((16 * K,), (4,), (4, 4), ("lru", "not_recent")),
            LevelRange((1 * M, 2 * M), (16,), (19, 27), ("not_recent",)),
            LevelRange((6 * M, 8 * M), (48, 64), (50, 75), ("not_recent",), True, True),
        ),
        (55, 110),
        (2.1, 4.2),
        (TlbRange((32, 64), (5, 12)), TlbRange((1024,), (15, 35))),
    ),
    Archetype(
        "deep pipeline, two levels",
        (
            LevelRange((8 * K, 16 * K), (4, 8), (3, 4), ("lru",)),
            LevelRange((256 * K, 512 * K, 1 * M, 2 * M), (8,), (18, 30), ("lru", "not_recent")),
        ),
        (80, 140),
        (1.5, 3.8),
        (TlbRange((64,), (15, 40)),),
    ),
    Archetype(
        "recent small core",
        (
            LevelRange((32 * K, 64 * K), (4,), (3, 4), ("random", "not_recent")),
            LevelRange((128 * K, 256 * K), (4, 8), (8, 12), ("not_recent", "random")),
            LevelRange((512 * K, 1 * M, 2 * M), (16,), (25, 45), ("random", "not_recent"), True),
        ),
        (110, 250),
        (1.2, 2.2),
        _SBC_TLB,
    ),
    Archetype(
        "many-core server",
        (
            LevelRange((64 * K,), (4,), (4, 4), ("lru",)),
            LevelRange((512 * K,), (8,), (8, 12), ("not_recent", "random")),
            LevelRange((24 * M, 32 * M, 48 * M, 64 * M), (15, 16), (50, 130), _LARGE_L3, True),
        ),
        (90, 150),
        (2.0, 3.0),
        (TlbRange((32,), (4, 9)), TlbRange((1024,), (15, 40))),
    ),
    Archetype(
        "open instruction set",
        (
            LevelRange((32 * K, 64 * K), (2, 4, 8), (3, 4), ("random", "lru", "not_recent")),
            LevelRange((128 * K, 512 * K, 1 * M, 2 * M), (8, 16), (13, 28), ("random", "not_recent")),
        ),
        (90, 230),
        (0.7, 2.5),
        (TlbRange((16, 32, 40), (3, 15)), TlbRange((512, 1024), (15, 50))),
    ),
    Archetype(
        "many small cores, tiles",
        (
            LevelRange((24 * K, 32 * K), (6, 8), (3, 5), ("not_recent",)),
            LevelRange((512 * K, 1 * M, 2 * M), (16,), (13, 20), ("not_recent",)),
        ),
        (100, 190),
        (1.1, 2.4),
        (TlbRange((48, 64), (4, 12)), TlbRange((128, 256), (15, 40))),
    ),
    Archetype(
        "recent chiplet",
        (
            LevelRange((32 * K, 48 * K), (8, 12), (4, 4)),
            LevelRange((1 * M,), (8, 16), (14, 14), ("lru", "not_recent")),
            LevelRange((16 * M, 32 * M, 96 * M), (16,), (46, 62), ("not_recent", "resistant"), True, True),
        ),
        (75, 140),
        (2.2, 5.7),
        (TlbRange((72, 96), (5, 8)), TlbRange((3072, 4096), (10, 25))),
    ),
    Archetype(
        "wide core, small system cache",
        (
            LevelRange((96 * K, 128 * K), (6, 8), (3, 4), ("not_recent", "lru")),
            LevelRange((12 * M, 16 * M), (12, 16), (15, 22), ("not_recent", "resistant"), True),
            LevelRange((6 * M, 8 * M, 24 * M), (12, 16), (90, 150), ("random", "resistant"), True, True),
        ),
        (95, 140),
        (2.4, 4.3),
        (TlbRange((160, 256), (4, 8)), TlbRange((2048, 3072), (15, 30))),
    ),
    Archetype(
        "small cores by four, shared L2 and L3",
        (
            LevelRange((32 * K,), (8,), (3, 4), ("not_recent",)),
            LevelRange((1536 * K, 2 * M, 4 * M), (12, 16), (17, 22), ("not_recent", "lru"), True),
            LevelRange((4 * M, 6 * M, 18 * M), (16, 12), (55, 85), ("not_recent", "random"), True, True),
        ),
        (90, 130),
        (2.4, 3.7),
        (TlbRange((32, 48), (5, 9)), TlbRange((2048,), (15, 30))),
    ),
)

TUNING_NOISE = NoiseRange()
HELD_OUT_NOISE = NoiseRange(
    near=(0.0, 0.03),
    far=(0.0, 0.09),
    outliers=(0.0, 0.07),
    outlier_factor=(1.02, 3.0),
    list_step=0.25,
    disturbed_stretch=0.2,
    rounding=(0.0001, 0.001, 0.01, 0.1),
)
