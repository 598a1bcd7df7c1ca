"""Latency of a pair of ranks by groma beside a plain ping-pong and Debian's hpcc, in alternating runs.

    .venv/bin/python bench/network_pairs.py --rounds 7     # or: make bench-network_pairs ARGS="--rounds 7"

Every round runs all once, in random order, on two ranks bound to two cores; ratios are taken within a round,
against the lower of the two peers. hpcc runs whole, on sizes that leave little but its latency tests.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from hpcc import INPUT, VARIABLES, busy_cores, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BENCH = Path(__file__).parent


@dataclass(frozen=True)
class Candidate:
    """`run` gives seconds, one way, of a message of 8 bytes."""

    name: str
    run: Callable[[], float]


def output_of(words: Sequence[str], folder: Path | None = None) -> str:
    done = subprocess.run(
        words, env=os.environ | VARIABLES, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed (exit code {done.returncode}): {done.stderr[-500:]}")
    return done.stdout


def groma(launch: Sequence[str], program: str) -> float:
    """The 5th percentile of the samples, as the survey's facts have it."""
    lines = output_of([*launch, program, "run", "net_pairs", "rounds=40"]).splitlines()
    events = [json.loads(line) for line in lines if line.startswith("{")]
    values = sorted(one["value"] for one in events if one["event"] == "sample")
    return float(values[len(values) // 20])


def ping_pong(launch: Sequence[str], program: Path) -> float:
    return float(output_of([*launch, str(program), "8", "1000", "10000"]))


def hpcc(launch: Sequence[str], program: str) -> float:
    """Its MinPingPongLatency, in a run of tiny sizes."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "hpccinf.txt").write_text(INPUT.format(n=200, nb=40, p=1, q=2))
        output_of([*launch, program], Path(folder))
        lines = (Path(folder) / "hpccoutf.txt").read_text().splitlines()
    found = [line.partition("=")[2] for line in lines if line.startswith("MinPingPongLatency_usec")]
    return 1e-6 * float(found[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=shutil.which("groma-network") or "groma-network")
    parser.add_argument("--hpcc", default="/usr/bin/hpcc")
    args = parser.parse_args()
    launch = ["mpirun", "-n", "2", "--map-by", "core", "--bind-to", "core"]
    with tempfile.TemporaryDirectory() as folder:
        peer = Path(folder) / "ping_pong"
        subprocess.run(["mpicc", "-O2", "-o", str(peer), str(BENCH / "ping_pong.c")], check=True)
        candidates = [
            Candidate("groma", lambda: groma(launch, args.program)),
            Candidate("ping-pong", lambda: ping_pong(launch, peer)),
            Candidate("hpcc", lambda: hpcc(launch, args.hpcc)),
        ]
        report(measured(candidates, args.rounds, random.Random(args.seed)))  # noqa: S311 - an order, no secret


def measured(candidates: Sequence[Candidate], rounds: int, rng: random.Random) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {one.name: [] for one in candidates}
    for number in range(rounds):
        busy = busy_cores()
        for one in rng.sample(candidates, len(candidates)):
            found[one.name].append(one.run())
        latest = ", ".join(f"{name} {1e9 * values[-1]:.1f} ns" for name, values in found.items())
        print(f"round {number + 1} ({busy:.1f} cores busy before): {latest}", flush=True)
    return found


def report(found: dict[str, list[float]]) -> None:
    for name, values in found.items():
        print(f"{name:10} {1e9 * median(values):7.1f} ns  [{1e9 * min(values):.1f}, {1e9 * max(values):.1f}]")
    peers = [min(pair) for pair in zip(found["ping-pong"], found["hpcc"], strict=True)]
    ratios = [own / peer for own, peer in zip(found["groma"], peers, strict=True)]
    print(f"groma over the lower peer of the round: {shown(ratios)}")


if __name__ == "__main__":
    main()
