"""How many levels the inference of caches invents in curves of noise and of smooth laws, where there is none.

    python bench/false_levels.py [--seeds N] [--grid NAME] [--samples N]

Prints, for every kind of noise and law and over all grids: how many curves got a level at all, one that is at
least 50 % and 90 % sure, and how many were called flat, smooth or noise.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.caches import infer_caches

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # what tests share

from simulated.nulls import NOISE, NULL_GRIDS, SMOOTH, noise_curve, smooth_curve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.survey.infer.curve import Curve

    Draw = Callable[[np.random.Generator], Curve]

SMOOTH_NOISE = (0.0, 0.01, 0.05)
HEADINGS = ("curves", "levels", ">= 50 %", ">= 90 %", "flat", "smooth", "noise")


def draws(grids: list[str], samples: int) -> Iterator[tuple[str, str, Draw]]:
    """Name of the noise or law, of its grid, and what draws a curve."""
    for grid in grids:
        sizes = NULL_GRIDS[grid]()
        for name, law in NOISE.items():
            yield name, grid, partial(noise_curve, law, sizes, samples=samples)
        for name, smooth in SMOOTH.items():
            for noise in SMOOTH_NOISE:
                yield f"{name}, noise {noise:.0%}", grid, partial(smooth_curve, smooth, sizes, noise)


def judge(curve: Curve, outcomes: Counter[str]) -> None:
    found = infer_caches(curve)
    surest = max((cache.size.confidence for cache in found.caches), default=-1.0)
    outcomes["curves"] += 1
    outcomes["levels"] += bool(found.caches)
    outcomes[">= 50 %"] += surest >= 0.5
    outcomes[">= 90 %"] += surest >= 0.9
    outcomes[found.explained_by] += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20, help="curves per kind and grid")
    parser.add_argument("--grid", choices=NULL_GRIDS, action="append", help="default: all")
    parser.add_argument("--samples", type=int, default=1, help="of each size of a curve of noise")
    args = parser.parse_args()
    begin = time.perf_counter()
    tallies: dict[str, Counter[str]] = {}
    for name, grid, draw in draws(args.grid or list(NULL_GRIDS), args.samples):
        tally = tallies.setdefault(name, Counter())
        for seed in range(args.seeds):
            judge(draw(np.random.default_rng([seed, zlib.crc32(f"{name} {grid}".encode())])), tally)
    report(tallies, time.perf_counter() - begin)


def report(tallies: dict[str, Counter[str]], seconds: float) -> None:
    print(f"{'':34s}" + "".join(f"{heading:>9s}" for heading in HEADINGS))
    for name, tally in [*tallies.items(), ("all", sum(tallies.values(), Counter()))]:
        print(f"{name:34s}" + "".join(f"{tally[heading]:9d}" for heading in HEADINGS))
    curves = sum(tally["curves"] for tally in tallies.values())
    print(f"{seconds / curves * 1e3:.0f} ms per curve")


if __name__ == "__main__":
    main()
