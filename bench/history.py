"""How often `groma history` raises an alarm for nothing, and how often it finds a fall.

    .venv/bin/python bench/history.py [--histories 25] [--quantities 50]

Simulated histories of one machine with a fixed seed: the noise from night to night is 2 %, independent and
normal, autoregressive with a coefficient of 0.5, or with the tail of Student's distribution with 3 degrees of
freedom. Three of the quantities fall in the last nights. The output is the table of docs/compare.md.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.comparison import Thresholds
from groma.history.index import Entry
from groma.history.trends import trends_of
from groma.record import Quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.facts.history import Trend

    Array = NDArray[np.float64]

SPREAD = 0.02
COEFFICIENT = 0.5
SETTLED = 60  # nights before the first one
FALLING = 3  # quantities
PLACES_OFF = 2  # nights by which the date of a change may err


class Fall(NamedTuple):
    """A factor in the last nights."""

    factor: float
    nights: int


FALLS = (Fall(0.85, 1), Fall(0.9, 2), Fall(0.9, 7))


def noise(random: np.random.Generator, kind: str, nights: int, quantities: int) -> Array:
    """Logarithms, night by night."""
    shape = (nights, quantities)
    if kind == "tail":
        tailed: Array = SPREAD / np.sqrt(3.0) * random.standard_t(3, shape)
        return tailed
    if kind == "normal":
        return random.normal(0.0, SPREAD, shape)
    values = random.normal(0.0, 1.0, (SETTLED + nights, quantities))
    for night in range(1, len(values)):
        values[night] += COEFFICIENT * values[night - 1]
    autocorrelated: Array = SPREAD * np.sqrt(1.0 - COEFFICIENT**2) * values[SETTLED:]
    return autocorrelated


def trends(logs: Array) -> list[Trend]:
    entries = []
    for night, row in enumerate(logs):
        created = f"2026-{1 + night // 28:02}-{1 + night % 28:02}T00:00:00+00:00"
        for number, value in enumerate((1e10 * np.exp(row)).tolist()):
            rate = Quantity(
                value=value,
                unit="B/s",
                low=0.99 * value,
                high=1.01 * value,
                confidence=0.95,
                method="simulated",
            )
            entries.append(
                Entry("node", "hpcc", "2 ranks", f"q{number:02}", "higher", created, f"{night}.json", rate)
            )
    return trends_of(entries, Thresholds()).trends


def is_found(trend: Trend, fall: Fall) -> bool:
    if fall.nights == 1:
        return trend.latest == "worse"
    begin = len(trend.points) - fall.nights
    return any(abs(one.at - begin) <= PLACES_OFF and one.verdict == "worse" for one in trend.changes)


def row_of(kind: str, nights: int, histories: int, quantities: int) -> str:
    alarms = changes = 0
    found = [0] * len(FALLS)
    for seed in range(histories):
        logs = noise(np.random.default_rng(seed), kind, nights, quantities)
        quiet = trends(logs)
        alarms += any(one.latest not in {"usual", "open"} for one in quiet)
        changes += any(one.changes for one in quiet)
        for place, fall in enumerate(FALLS):
            fallen = logs.copy()
            fallen[-fall.nights :, :FALLING] += np.log(fall.factor)
            found[place] += sum(is_found(one, fall) for one in trends(fallen)[:FALLING])
    shares = [alarms / histories, changes / histories, *(one / histories / FALLING for one in found)]
    return f"| {kind}, {nights} | {' | '.join(f'{100 * one:.0f} %' for one in shares)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--histories", type=int, default=25)
    parser.add_argument("--quantities", type=int, default=50)
    options = parser.parse_args()
    falls = " | ".join(f"-{100 * (1 - one.factor):.0f} % for {one.nights} nights found" for one in FALLS)
    print(f"| noise, nights | any false alarm tonight | any false change | {falls} |")
    print(f"|{'---|' * (3 + len(FALLS))}")
    for kind in ("normal", "autocorrelated", "tail"):
        for nights in (15, 30, 60):
            print(row_of(kind, nights, options.histories, options.quantities), flush=True)


if __name__ == "__main__":
    main()
