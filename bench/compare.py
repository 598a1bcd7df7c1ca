"""How often the verdicts of `groma compare` are right, and how long it takes.

.venv/bin/python bench/compare.py [rates|autocorrelated|time]

Rates are of trials with a fixed seed: noise within and between runs, a change that is planted or none.
`autocorrelated` has records of 50 quantities whose samples are autoregressive of the first order. Two of
these quantities fall. Records of one quantity follow, which does not change.
Times include the start of Python: two records of 50 quantities, and 100 such records against the first.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from groma.compare.compare import compare_sides  # noqa: E402
from groma.record.io import write_record  # noqa: E402
from suite_records import stream, suite_record  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.record import Record

TRIALS = 500
ROUNDS = 5
SEED = 2026
RATE = 1e10
Runs = list[list[float]]


def night(samples: dict[str, list[float]], number: int) -> Record[Any]:
    return suite_record(stream(samples), created=f"night {number}")


def verdict(old: Runs, new: Runs) -> str:
    numbers = iter(range(len(old) + len(new)))
    sides = [[("r", "r", night({"triad": one}, next(numbers))) for one in side] for side in (old, new)]
    (quantity,) = compare_sides(sides).quantities
    return quantity.others[0].verdict


def runs(random: np.random.Generator, number: int, between: float, factor: float = 1.0) -> Runs:
    levels = factor * RATE * random.lognormal(0.0, between, number)
    return [(level * random.normal(1.0, 0.02, 20)).tolist() for level in levels]


def halves(random: np.random.Generator, count: int, noise: float) -> tuple[Runs, Runs]:
    samples = RATE * random.lognormal(0.0, noise, count)
    return [samples[: count // 2].tolist()], [samples[count // 2 :].tolist()]


def share(wanted: str, pairs: Iterable[tuple[Runs, Runs]]) -> str:
    found = [verdict(*pair) for pair in pairs]
    return f"{100 * found.count(wanted) / len(found):5.1f} %"


def rates() -> None:
    print("halves of one measurement that are the same")
    for noise in (0.005, 0.02, 0.05, 0.25):
        row = [of_halves(count, noise) for count in (20, 40, 100)]
        print(f"  noise {noise:5.1%}, 20, 40, 100 samples  {'  '.join(row)}")
    print("runs of 20 samples with 2 % noise: no change, and one of -5 %")
    for between in (0.0, 0.01, 0.02, 0.03):
        for number in (1, 2, 3, 5, 10, 17):
            if number > 1 or between == 0.0:
                print(f"  {number:2} runs, {between:3.0%} between them  {between_runs(number, between)}")


def of_halves(count: int, noise: float) -> str:
    random = np.random.default_rng(SEED)
    return share("same", (halves(random, count, noise) for _ in range(TRIALS)))


def between_runs(number: int, between: float) -> str:
    reported = []
    for wanted, factor in (("same", 1.0), ("worse", 0.95)):
        random = np.random.default_rng(SEED)
        pairs = (
            (runs(random, number, between), runs(random, number, between, factor)) for _ in range(TRIALS)
        )
        reported.append(f"{wanted} {share(wanted, pairs)}")
    return "  ".join(reported)


QUANTITIES = 50
AUTOCORRELATED_TRIALS = 30
TRIALS_OF_ONE = 500
FALLS = {"s00": 0.9, "s01": 0.8}


def autoregressive(random: np.random.Generator, count: int, coefficient: float, noise: float) -> list[float]:
    values = random.normal(0.0, 1.0, count + 60)
    for at in range(1, len(values)):
        values[at] += coefficient * values[at - 1]
    rates: list[float] = (RATE * np.exp(noise * np.sqrt(1.0 - coefficient**2) * values[60:])).tolist()
    return rates


def autocorrelated() -> None:
    print(f"{QUANTITIES} quantities: any that did not change is reported, -10 % found, -20 % found")
    for count in (5, 10, 20):
        for coefficient in (0.0, 0.5, 0.8):
            shares = "  ".join(f"{100 * one:3.0f} %" for one in of_autocorrelated(count, coefficient))
            print(f"  {count:2} samples, coefficient {coefficient}  {shares}", flush=True)
    print("one quantity that did not change is reported")
    for noise in (0.02, 0.05):
        for count in (10, 20, 100):
            alone = of_one_quantity(count, 0.8, noise)
            print(
                f"  {count:3} samples, coefficient 0.8, noise {noise:.0%}  {100 * alone:3.0f} %", flush=True
            )


def of_one_quantity(count: int, coefficient: float, noise: float) -> float:
    random = np.random.default_rng(SEED)
    sides = (changed_of(random, ["alone"], count, coefficient, noise) for _ in range(TRIALS_OF_ONE))
    return sum(one["alone"] for one in sides) / TRIALS_OF_ONE


def changed_of(
    random: np.random.Generator, names: Sequence[str], count: int, coefficient: float, noise: float = 0.02
) -> dict[str, bool]:
    """Whether each quantity is reported as changed between two records, of which the second has the falls."""
    sides: list[list[tuple[str, str, Record[Any]]]] = []
    for factors in ({}, FALLS):
        samples = {
            name: [
                factors.get(name, 1.0) * rate for rate in autoregressive(random, count, coefficient, noise)
            ]
            for name in names
        }
        sides.append([("r", "r", night(samples, len(sides)))])
    return {
        name: one.others[0].verdict in {"better", "worse"}
        for one in compare_sides(sides).quantities
        for name in names
        if f".{name}." in one.name
    }


def of_autocorrelated(count: int, coefficient: float) -> list[float]:
    random = np.random.default_rng(SEED)
    names = [f"s{number:02}" for number in range(QUANTITIES)]
    false_alarms, found = 0, dict.fromkeys(FALLS, 0)
    for _ in range(AUTOCORRELATED_TRIALS):
        changed = changed_of(random, names, count, coefficient)
        false_alarms += any(changed[name] for name in names if name not in FALLS)
        for name in FALLS:
            found[name] += changed[name]
    return [false_alarms / AUTOCORRELATED_TRIALS, *(one / AUTOCORRELATED_TRIALS for one in found.values())]


def seconds(*files: Path) -> float:
    groma = str(Path(sys.executable).parent / "groma")
    started = time.perf_counter()
    subprocess.run([groma, "compare", *map(str, files)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def times() -> None:
    random = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"n{number}.json" for number in range(100)]
        for number, file in enumerate(files):
            samples = {f"s{one}": (RATE * random.normal(1.0, 0.02, 20)).tolist() for one in range(50)}
            write_record(file, night(samples, number))
        for chosen in (files[:2], files):
            taken = [seconds(*chosen) for _ in range(ROUNDS)]
            print(
                f"{len(chosen):3} records of 50 quantities: median {median(taken):.2f} s, "
                f"{min(taken):.2f} to {max(taken):.2f} s"
            )


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["rates", "autocorrelated", "time"]
    for name, measure in (("rates", rates), ("autocorrelated", autocorrelated), ("time", times)):
        if name in wanted:
            measure()
