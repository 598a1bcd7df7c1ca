"""How often the inference of caches is right on simulated machines with known caches.

    python bench/cache_inference.py [--curves N] [--seed S] [--stolen SHARE | --sparse SIZES]

Prints, for the machines the rules were made on and for the held-out ones: the share of first and second
levels whose true size lies in its bracket, of brackets wider than two grid steps on either side, of curves
with an invented level, how often a stated confidence came true, and the time per curve. With --stolen, curves
of 20 points of the held-out machines alone, on which other work stole time from that share of the points.
With --sparse, curves of all machines at so many powers of two, drawn at random: wide gaps lie between them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.caches import CacheInference, infer_caches
from groma.survey.infer.curve import Curve

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # what tests share

from simulated.curves import SimulatedCurve, simulated_curves
from simulated.machines import HELD_OUT, HELD_OUT_NOISE, TUNING, TUNING_NOISE

if TYPE_CHECKING:
    from groma.survey.infer.cache_numbers import CacheLevel

CONFIDENCES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)


@dataclass
class Tally:
    """Outcomes (right or wrong) under each heading."""

    outcomes: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    seconds: list[float] = field(default_factory=list)

    def note(self, heading: str, outcome: bool) -> None:
        self.outcomes[heading].append(bool(outcome))

    def share(self, heading: str) -> str:
        found = self.outcomes[heading]
        return f"{np.mean(found):6.1%} of {len(found)}" if found else "-"


def judge(simulated: SimulatedCurve, tally: Tally) -> None:
    begin = time.perf_counter()
    found = infer_caches(simulated.curve)
    tally.seconds.append(time.perf_counter() - begin)
    for i, true in enumerate(simulated.sizes[: min(2, simulated.visible)]):
        held = i < len(found.caches) and holds(found.caches[i], true)
        tally.note(f"L{i + 1} in bracket", held)
        tally.note(f"L{i + 1} in bracket, grid {simulated.grid}", held)
        tally.note(f"L{i + 1} in bracket, {simulated.name}", held)
        if i < len(found.caches):
            tally.note(confidence_heading(found.caches[i]), held)
    for cache in found.caches:
        tally.note("bracket within two steps", within_two_steps(simulated, cache))
    tally.note("no invented level", not invents(simulated, found))
    tally.note("all visible levels found", len(found.caches) >= simulated.visible)


def holds(cache: CacheLevel, true: float) -> bool:
    return cache.size.low <= true <= cache.size.high


def confidence_heading(cache: CacheLevel) -> str:
    at = min(int(np.searchsorted(CONFIDENCES, cache.size.confidence, side="right")), len(CONFIDENCES) - 1)
    return f"confidence {CONFIDENCES[at - 1]:.2f} to {CONFIDENCES[at]:.2f}"


def within_two_steps(simulated: SimulatedCurve, cache: CacheLevel) -> bool:
    sizes = [cache.size.low, cache.size.value, cache.size.high]
    low, value, high = np.searchsorted(simulated.curve.size_bytes, np.multiply(sizes, 0.999))
    return bool(value - low <= 2 and high - value <= 2)


def invents(simulated: SimulatedCurve, found: CacheInference) -> bool:
    """More levels than there are, or one that no true size (alone or summed up) comes near."""
    sums = np.cumsum(simulated.sizes)
    near = [
        any(cache.size.low / 2 <= size <= cache.size.high * 2 for size in (*simulated.sizes, *sums))
        for cache in found.caches
    ]
    return len(found.caches) > len(simulated.sizes) or not all(near)


STOLEN_POINTS = 20


def with_stolen_time(simulated: SimulatedCurve, share: float, random: np.random.Generator) -> SimulatedCurve:
    curve = simulated.curve
    kept = np.unique(np.linspace(0, len(curve.size_bytes) - 1, STOLEN_POINTS).astype(int))
    stolen = random.random(len(kept)) < share
    slowed = curve.latency[kept] * (1.0 + stolen * random.exponential(1.0, len(kept)))
    return replace(simulated, curve=Curve(size_bytes=curve.size_bytes[kept], latency=slowed))


SPARSE_GRID = "powers_long"
SMALLEST_SPARSE = 16 * 1024


def with_few_sizes(simulated: SimulatedCurve, count: int, random: np.random.Generator) -> SimulatedCurve:
    """The smallest and the largest size, and others of the curve drawn evenly."""
    curve = simulated.curve
    usable = np.flatnonzero(curve.size_bytes >= SMALLEST_SPARSE)
    between = random.choice(usable[1:-1], size=count - 2, replace=False)
    kept = np.sort([usable[0], *between, usable[-1]])
    return replace(simulated, curve=Curve(size_bytes=curve.size_bytes[kept], latency=curve.latency[kept]))


def report(title: str, tally: Tally) -> None:
    print(f"\n{title}")
    for heading in sorted(tally.outcomes):
        print(f"  {heading:60s} {tally.share(heading)}")
    p50, p95 = np.quantile(tally.seconds, [0.5, 0.95])
    print(f"  {'time per curve, median and 95th percentile':60s} {p50 * 1e3:.0f} and {p95 * 1e3:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--curves", type=int, default=1200, help="curves per set")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--stolen", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--sparse", type=int, default=0, metavar="SIZES", help="8 to 16")
    args = parser.parse_args()
    if args.sparse:
        random, tally = np.random.default_rng(args.seed), Tally()
        for machines, noise in ((TUNING, TUNING_NOISE), (HELD_OUT, HELD_OUT_NOISE)):
            for simulated in simulated_curves(machines, noise, args.curves, args.seed, [SPARSE_GRID]):
                judge(with_few_sizes(simulated, args.sparse, random), tally)
        report(f"{args.sparse} powers of two", tally)
        return
    if args.stolen:
        random, tally = np.random.default_rng(args.seed), Tally()
        for simulated in simulated_curves(HELD_OUT, HELD_OUT_NOISE, args.curves, args.seed):
            judge(with_stolen_time(simulated, args.stolen, random), tally)
        report(f"{STOLEN_POINTS} points, stolen time in {args.stolen:.0%} of them", tally)
        return
    for title, machines, noise in (
        ("machines the rules were made on", TUNING, TUNING_NOISE),
        ("held-out machines and noise", HELD_OUT, HELD_OUT_NOISE),
    ):
        tally = Tally()
        for simulated in simulated_curves(machines, noise, args.curves, args.seed):
            judge(simulated, tally)
        report(title, tally)


if __name__ == "__main__":
    main()
