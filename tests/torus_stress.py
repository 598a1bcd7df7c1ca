"""Deadlock stress of the torus simulator: random tori at full load, with the least room that a network may
have.

    .venv/bin/python tests/torus_stress.py [--seconds 60] [--seed 1]

`make stress-torus SECONDS=600` runs it longer. A case that gets stuck, loses something or depends on the
number of threads is printed as a request for groma-torus, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = Path(__file__).parents[1] / "build/default/native/groma-torus"

MOST_NODES = 260
"""More than three words of 64 nodes, so that three threads have a share each."""

TIME_LIMIT = 120
"""Of a case, in seconds."""

LONG_HOP = 64
"""Threads meet after each hop: with shorter ones they would do nothing else."""

Request = dict[str, Any]


def cases(seed: int) -> Iterator[Request]:
    draw = random.Random(seed)  # noqa: S311 - chooses cases
    while True:
        yield _case(draw)


def _case(draw: random.Random) -> Request:
    shape = _shape(draw)
    largest = draw.choice([64, 128, 256])
    return {
        "shape": shape,
        "torus": [draw.random() < 0.8 for _ in shape],
        "network": {
            "bytes_per_cycle": draw.choice([0.03, 0.1, 0.3, 1.0]),
            "hop_latency": draw.choice([1, 7, 64, 300]),
            "packet_largest": largest,
            "channel_bytes": 2 * largest,
            "adaptive_channels": draw.choice([1, 2]),
            "routing": draw.choice(["adaptive", "deterministic"]),
            "injection_packets": draw.choice([1, 1, 2]),
            "reception_packets": draw.choice([1, 1, 2, 4]),
        },
        "processor": {"send": draw.choice([0, 70]), "receive": {"single": draw.choice([0, 190, 2000])}},
        "workload": draw.choice(_WORKLOADS)(draw, shape, largest - 16),
        "run": {"seed": draw.randrange(1000)},
    }


def _shape(draw: random.Random) -> list[int]:
    while True:
        shape = [draw.choice([2, 2, 3, 4, 5, 8, 16, 64]) for _ in range(draw.randint(1, 4))]
        if math.prod(shape) <= MOST_NODES:
            return shape


def _traffic(draw: random.Random, shape: list[int], _payload: int) -> Request:
    patterns = ["uniform", "tornado", "hot-spot"]
    if math.prod(shape).bit_count() == 1:
        patterns.append("bit-reverse")
    return {"name": draw.choice(patterns), "packets": draw.randint(10, 60)}


def _random_access(draw: random.Random, shape: list[int], payload: int) -> Request:
    algorithms = ["single-core", "direct", "multi-core"]
    if math.prod(shape).bit_count() == 1:
        algorithms.append("hypercube")
    algorithm = draw.choice(algorithms)
    costs = len(shape) + 1 if algorithm == "multi-core" else 3
    return {
        "name": "randomaccess",
        "algorithm": algorithm,
        "bucket": draw.randint(1, min(8, payload // 8)),
        "own": [draw.choice([1, 50, 150]) for _ in range(costs)],
        "updates": draw.randint(20, 100),
    }


def _all_to_all(draw: random.Random, shape: list[int], payload: int) -> Request:
    bytes_each = draw.choice([1, payload, 3 * payload]) if math.prod(shape) < 100 else 1
    return {"name": draw.choice(["all-to-all", "two-phase"]), "bytes": bytes_each}


def _messages(draw: random.Random, shape: list[int], _payload: int) -> Request:
    workload = {
        "name": draw.choice(["halo", "distance", "access", "broadcast"]),
        "bytes": draw.choice([1, 900, 5000]),
        "policy": draw.choice(["fifo", "overlapping"]),
        "polling": draw.choice(["alternate", "receive-first", "send-first"]),
    }
    if workload["name"] == "access":
        workload["cores"] = draw.choice([1, 2, 9, 48]) if math.prod(shape) < 20 else 1
    return workload


_WORKLOADS = [_traffic, _random_access, _random_access, _all_to_all, _messages]


def complaint_of(case: Request, *, compare: bool = False) -> str:
    """What is wrong with the run of a case; empty if nothing is. May compare it with that of two threads."""
    one = _run(case, 1)
    other = _run(case, 2) if compare and case["network"]["hop_latency"] >= LONG_HOP else one
    if isinstance(one, str):
        return one
    if not one["finished"] and not one["stuck"]:
        return f"it did not end in {TIME_LIMIT} s"
    if one["stuck"] or not one.get("complete", True):
        return "it got stuck"
    if one.get("astray", 0):
        return f"{one['astray']} updates went astray"
    return "" if one == other else "two threads give another result"


_VARYING = ("wall", "memory_per_node")


def _run(case: Request, threads: int) -> Request | str:
    text = json.dumps(case | {"run": case["run"] | {"threads": threads, "time_limit": TIME_LIMIT}})
    done = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    result: Request = json.loads(done.stdout.splitlines()[-1])
    return {name: value for name, value in result.items() if name not in _VARYING}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    counts: Counter[str] = Counter()
    for number, case in enumerate(cases(options.seed)):
        if time.monotonic() > until:
            break
        complaint = complaint_of(case, compare=number % 4 == 0)
        counts[case["workload"]["name"]] += 1
        if complaint:
            sys.exit(f"case {number} of seed {options.seed}: {complaint}\n{json.dumps(case)}")
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    print(f"{counts.total()} cases, none got stuck: {summary}")


if __name__ == "__main__":
    main()
