"""A synthetic record of the HPC Challenge suite, in the shape of real runs, for tests of the page.

    python example_hpcc.py [--ranks 8] [--machines 2] [--seed 1] [--curves] > example-hpcc.json

The same arguments give the same bytes. No machine was measured for it. The figures follow from the samples
by the same inference as those of real runs.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from example_run import BUILD, CREATED, REPETITIONS, Run, environment, launch_of, samples_of

from groma.facts.hpcc import Grid, HpccFacts, HpccPlan, HpccTest, MatrixPlan
from groma.hpcc.infer import facts_of_test, success_of
from groma.record import ProbeSamples, Record
from groma.record.launch import CheckResult, Choice
from groma.run.launch_results import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PAIRS = 1024
RINGS = 10
SIZES = [2**exponent for exponent in range(0, 23, 2)]
HPL = "WR01C2R4"

# Series, unit, value of one rank alone, of each rank where all run, of all together.
RATES: dict[str, list[tuple[str, str, float | None, float | None, float | None]]] = {
    "hpl": [(HPL, "flop/s", None, None, 38e9)],
    "dgemm": [("dgemm", "flop/s", 52e9, 46e9, None)],
    "ptrans": [("ptrans", "B/s", None, None, 1.6e9)],
    "stream": [
        (name, "B/s", 13e9 * factor, 6e9 * factor, None)
        for name, factor in (("copy", 1.0), ("scale", 0.99), ("add", 1.05), ("triad", 1.06))
    ],
    "random_access": [
        ("random_access_lcg", "update/s", 60e6, 52e6, 31e6),
        ("random_access", "update/s", 61e6, 53e6, 32e6),
    ],
    "fft": [("fft", "flop/s", 9e9, 6.5e9, 3.1e9)],
}

TITLES = {
    "hpl": "solving a dense linear system",
    "dgemm": "matrix multiplication",
    "stream": "memory bandwidth",
}


@dataclass
class SuiteRun(Run):
    curves: bool = False


CaseSamples = tuple[dict[str, Any], list[float]]


def rates(run: Run, test: str) -> Iterator[CaseSamples]:
    for series, unit, alone, each, together in RATES[test]:
        case = {"unit": unit, "series": series}
        if together is not None:
            total = together * (run.ranks if test != "ptrans" else 1)
            yield {**case, "mode": "mpi", "rank": 0, **grid_labels(test)}, run.several(total)
        if each is not None:
            for rank in range(run.ranks):
                yield {**case, "mode": "star", "rank": rank}, run.several(each * run.speed_of(rank))
        if alone is not None:
            yield {**case, "mode": "single", "rank": run.ranks - 1}, run.several(alone)


def grid_labels(test: str) -> dict[str, Any]:
    return {"n": 750, "nb": 192, "grid": "1x2"} if test == "ptrans" else {}


def pairs(run: Run) -> list[tuple[int, int]]:
    every = [(a, b) for a in range(run.ranks) for b in range(run.ranks) if a != b]
    return every if len(every) <= MOST_PAIRS else run.rng.sample(every, MOST_PAIRS)


def pair_time(run: Run, pair: tuple[int, int], size: float) -> float:
    near = run.machine_of(pair[0]) == run.machine_of(pair[1])
    return 3e-7 + size / 1.2e10 if near else 1.6e-6 + size / 3e9


def ring_time(run: Run, ring: int, size: float) -> float:
    return 6e-7 + size / 5e9 if ring == 0 or run.machines == 1 else 2.6e-6 + size / 9e8


HEADLINES = {
    "ping_pong_latency_max": ("s", 1.7e-6),
    "random_ring_latency": ("s", 2.6e-6),
    "ping_pong_bandwidth_min": ("B/s", 2.9e9),
    "natural_ring_bandwidth": ("B/s", 4.2e9),
    "random_ring_bandwidth": ("B/s", 0.85e9),
    "ping_pong_latency_min": ("s", 3e-7),
    "ping_pong_latency_mean": ("s", 1.1e-6),
    "ping_pong_bandwidth_max": ("B/s", 11e9),
    "ping_pong_bandwidth_mean": ("B/s", 6e9),
    "natural_ring_latency": ("s", 6e-7),
}


def messages(run: SuiteRun) -> Iterator[CaseSamples]:
    for series, (unit, value) in HEADLINES.items():
        case = {"unit": unit, "series": series, "mode": "mpi", "rank": 0}
        yield case, run.several(value)
        yield {**case, "buffers": "reused_huge"}, run.several(value * 1.02)
    if run.curves:
        yield from curves(run)
    for size in (8, 2_000_000):
        yield from pair_samples(run, size)
        yield from ring_samples(run, size)


def pattern(pattern_name: str, exchange: str, size: int, **labels: Any) -> dict[str, Any]:
    shared = {"purpose": "definition", "buffers": "reused", "warm_ups": 64, "loop": 8}
    case = {"unit": "s", "series": "time", "mode": "mpi", **shared}
    return {**case, "pattern": pattern_name, "exchange": exchange, "bytes": size, **labels}


def pair_samples(run: Run, size: int) -> Iterator[CaseSamples]:
    for client, server in pairs(run):
        case = pattern("pair", "ping_pong", size, client=client, server=server)
        time = pair_time(run, (client, server), size)
        yield {**case, "raw": True}, run.several(time, 10)
        yield {**case, "series": "warm_up", "raw": True}, run.several(1.2 * time, 10)


def ring_samples(run: Run, size: int) -> Iterator[CaseSamples]:
    for exchange in ("sendrecv", "nonblocking"):
        for ring in range(RINGS + 1):
            place = "random_ring" if ring else "natural_ring"
            case = pattern(place, exchange, size, ring=ring)
            time = ring_time(run, ring, size)
            order = list(range(run.ranks))
            yield {**case, "order": order, "raw": True}, run.several(time, 10)
            yield {**case, "series": "warm_up", "raw": True}, run.several(1.3 * time, 10)


def curves(run: Run) -> Iterator[CaseSamples]:
    for size in SIZES:
        shared = {"purpose": "curve"}
        yield (
            {**pattern("pair", "ping_pong", size, client=0, server=1), **shared},
            run.several(pair_time(run, (0, 1), size)),
        )
        for ring, place in enumerate(("natural_ring", "random_ring")):
            case = {**pattern(place, "sendrecv", size, ring=ring), **shared}
            yield case, run.several(ring_time(run, ring, size))


def sampled(run: SuiteRun, test: str) -> ProbeSamples:
    reported = list(messages(run) if test == "effective_bandwidth" else rates(run, test))
    return samples_of(run, test, reported)


def check_of(test: str) -> CheckResult:
    name = f"HPL residual of {HPL}" if test == "hpl" else f"{test} residual"
    return CheckResult(name=name, value=0.0041, limit=16.0, passed=True)


def tests_of(samples: dict[str, ProbeSamples]) -> list[HpccTest]:
    return [
        facts_of_test(name, TITLES.get(name, name), [one], Outcome(benchmark=name, checks=[check_of(name)]))
        for name, one in samples.items()
    ]


def plan_of(run: SuiteRun) -> HpccPlan:
    grid = Grid(rows=1, columns=run.ranks)
    return HpccPlan(
        hpl=[MatrixPlan(n=1500, nb=192, grid=grid)],
        ptrans=[MatrixPlan(n=750, nb=192, grid=grid)],
        dgemm_n=612,
        stream_elements=375000,
        random_access_words=1048576,
        mpi_random_access_words=1048576 * run.ranks,
        fft_points=262144,
        mpi_fft_points=262144 * run.ranks,
        repetitions=REPETITIONS,
        budget=60,
        seed=run.seed,
        curves=run.curves,
        choices=[Choice(what="N", value="1500", why="as -N asks")],
    )


def example_record(run: SuiteRun | None = None) -> Record[HpccFacts]:
    run = run or SuiteRun()
    samples = {test: sampled(run, test) for test in (*RATES, "effective_bandwidth")}
    tests = tests_of(samples)
    return Record(
        kind="hpcc",
        created=CREATED,
        command=["groma", "hpcc", "-n", str(run.ranks), "-N", "1500"],
        build=BUILD,
        environment=environment(),
        parameters={"sizes": "as -N asks"},
        samples=samples,
        facts=HpccFacts(
            tests=tests,
            success=success_of(tests),
            launch=launch_of(run, "groma-hpcc", "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH"),
            plan=plan_of(run),
            summary={"Success": "1", "CommWorldProcs": str(run.ranks)},
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints a synthetic record of the HPC Challenge suite.")
    for option, default in (("ranks", 8), ("machines", 2), ("seed", 1)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--curves", action="store_true")
    record = example_record(SuiteRun(**vars(parser.parse_args())))
    sys.stdout.buffer.write(msgspec.json.encode(record) + b"\n")


if __name__ == "__main__":
    main()
