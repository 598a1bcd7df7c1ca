"""How fast the torus simulator runs, under the load of RandomAccess on Blue Gene/P, or with a full network.

    .venv/bin/python bench/torus.py [--load full] [--shape 32x32x32] [--updates 100] [--rounds 3]

In the full network every node of Blue Gene/L sends to random others as fast as it may, for 120,000 cycles.

Every round runs the same simulation with one thread and with two, in random order, and compares the
results: they must be the same. Rates are packet-hops per second of wall time and of CPU time. Ratios are
taken within a round. The last line is how many lines of memory a core updates at random places of as much
memory as the simulator's state takes: with the lines that a packet-hop needs (docs/sim/torus.md), a bound.
BookSim2 reached 1.3e4 packet-hops/s at 8x8x8, models of tori on ROSS 1.0e5 to 1.5e5
events/s on a core.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from groma.machine.description import Specialised
from groma.machine.files import find_machine

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "build/default/native/groma-torus"


class Run(NamedTuple):
    """Of one simulation; times in seconds."""

    hops: int
    wall: float
    cpu: float
    bytes_per_node: float
    outcome: str


def randomaccess(shape: list[int], updates: int) -> dict[str, Any]:
    """Section 4.3 of Aggarwal et al.: buckets by their formula, costs of machines/bluegene-p.toml."""
    machine = find_machine("bluegene-p")
    assert machine.randomaccess is not None
    algorithm = machine.randomaccess.algorithm("multi-core")
    assert isinstance(algorithm, Specialised)
    return {
        "shape": shape,
        "network": {
            "bytes_per_cycle": machine.torus.link.value / machine.processor.frequency.value,
            "injection_packets": 1,
            "reception_packets": 4,
            "routing": "deterministic",
        },
        "processor": {"send": 150, "receive": {"single": 600, "batch": 4, "each": 330}},
        "workload": {
            "name": "randomaccess",
            "algorithm": "multi-core",
            "bucket": 1024 // (sum(shape) + 21),
            "updates": updates,
            "own": [role.own.value for role in algorithm.roles],
        },
    }


def full(shape: list[int], _updates: int) -> dict[str, Any]:
    machine = find_machine("bluegene-l")
    return {
        "shape": shape,
        "network": {
            "bytes_per_cycle": machine.torus.link.value / machine.processor.frequency.value,
            "routing": "adaptive",
        },
        "workload": {"name": "uniform", "warm_up": 60_000, "window": 60_000},
    }


LOADS = {"randomaccess": randomaccess, "full": full}


def simulated(request: dict[str, Any], threads: int) -> Run:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = json.dumps(request | {"run": {"threads": threads}})
    answer = subprocess.run([PROGRAM], input=text, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(answer.stdout.splitlines()[-1])
    wall = result.pop("wall")
    memory = result.pop("memory_per_node")  # of packets, which each thread takes in blocks
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(result["packet_hops"], wall, cpu, memory, json.dumps(result))


def random_lines(size: int, rounds: int) -> list[float]:
    """Millions per second of one core, of each round."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "random_lines"
        source = Path(__file__).with_name("random_lines.c")
        subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
        words: list[str | Path] = [program, str(size), "20000000"]
        return [float(subprocess.run(words, check=True, capture_output=True).stdout) for _ in range(rounds)]


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.3g} [{min(values):.3g}, {max(values):.3g}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--load", choices=LOADS, default="randomaccess")
    parser.add_argument("--shape", default="32x32x32")
    parser.add_argument("--updates", type=int, default=100, help="to apply for each node")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    shape = [int(extent) for extent in options.shape.split("x")]
    request = LOADS[options.load](shape, options.updates)
    runs: dict[int, list[Run]] = {1: [], 2: []}
    for _ in range(options.rounds):
        for threads in random.sample([1, 2], 2):
            runs[threads].append(simulated(request, threads))
    if len({run.outcome for several in runs.values() for run in several}) != 1:
        sys.exit("results depend on the number of threads")
    print(f"{options.shape}, {runs[1][0].hops:,} packet-hops, load {os.getloadavg()[0]:.1f}")
    for threads, several in runs.items():
        wall = spread([run.hops / run.wall / 1e6 for run in several])
        cpu = spread([run.hops / run.cpu / 1e6 for run in several])
        print(f"{threads} thread(s): {wall} M packet-hops/s, {cpu} M per second of CPU time")
    gains = [one.wall / two.wall for one, two in zip(runs[1], runs[2], strict=True)]
    print(f"two threads over one: {spread(gains)}")
    memory = runs[1][0].bytes_per_node
    print(f"memory: {memory / 1e3:.1f} kB for each node")
    lines = random_lines(round(memory * math.prod(shape)), options.rounds)
    print(f"random lines of as much memory: {spread(lines)} M/s")


if __name__ == "__main__":
    main()
