"""The network survey on test beds whose link shares are known: ratios by repetition beside what links give.

    bench/network_bed.py [--runs 10] [--scene nic2] [--mpi openmpi] [--mpi mpich]

No parameter of MPI is set. Two cores carry all hosts of a bed: figures stand beside the load of the machine,
and rates are low enough that processors are not the limit of an idle one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from groma.interconnect.lattice import torus
from groma.interconnect.sharing import max_min_shares, shifted

if TYPE_CHECKING:
    from groma.interconnect.lattice import Shape

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class BedCase:
    """A bed, what is measured on it, and what the ratios should be, within `tolerance`."""

    bed: tuple[str, ...]
    survey: tuple[str, ...]
    fact: str
    expected: tuple[float, ...]
    tolerance: float


def torus_ratios(shape: Shape) -> tuple[float, ...]:
    """Mean share of all ranks at distance 1 over that at d, by max-min fair shares of equal links."""
    nodes = 1
    for length in shape:
        nodes *= length
    means = [_mean_share(shape, nodes, distance) for distance in range(1, nodes // 2 + 1)]
    return tuple(means[0] / one for one in means)


def _mean_share(shape: Shape, nodes: int, distance: int) -> float:
    flows = [torus(*shape).path(*pair) for pair in shifted(nodes, distance)]
    links = {link: 1.0 for flow in flows for link in flow}
    shares = max_min_shares(flows, links)
    return sum(shares) / nodes


SCENES = {
    "ring9": BedCase(
        ("--shape", "9", "--link", "100mbit"),
        ("--only", "distance", "--budget", "8s"),
        "distance",
        torus_ratios((9,)),
        0.10,
    ),
    "torus4x4": BedCase(
        ("--shape", "4x4", "--link", "50mbit"),
        ("--only", "distance", "--budget", "14s"),
        "distance",
        torus_ratios((4, 4)),
        0.10,
    ),
    "nic2": BedCase(
        ("--shape", "2", "--nic", "50mbit"),
        ("--only", "access", "--ppn", "4", "--budget", "12s"),
        "access",
        (1.0, 2.0, 3.0, 4.0),
        0.10,
    ),
    "nic8": BedCase(
        ("--shape", "8", "--nic", "50mbit"),
        ("--only", "access", "--ppn", "4", "--budget", "12s"),
        "access",
        (1.0, 2.0, 3.0, 4.0),
        0.10,
    ),
}


def run(scene: BedCase, mpi: str, output: Path) -> tuple[dict[str, Any], float]:
    """The fact of one run, and how long it took (s)."""
    groma = [sys.executable, "-m", "groma"]
    bed = [*groma, "testbed", "run", "--mpi", mpi, *scene.bed, "--"]
    words = [*bed, *groma, "survey", "--network", "-q", *scene.survey, "-o", str(output)]
    started = time.monotonic()
    done = subprocess.run(
        words,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    fact: dict[str, Any] = json.loads(output.read_text())["facts"]["network"][scene.fact]
    return fact, time.monotonic() - started


def ratios_of(fact: dict[str, Any], statistic: str) -> list[float]:
    ratios = fact["ratio"] if statistic == "mean" else fact[statistic]["ratio"]
    return [one["value"] for one in ratios]


def table(scene: BedCase, facts: list[dict[str, Any]], statistic: str) -> None:
    columns = list(zip(*(ratios_of(fact, statistic) for fact in facts), strict=True))
    print(f"  {statistic:9} expected   lowest   median  highest   runs within {scene.tolerance:.0%}")
    for number, (wanted, column) in enumerate(zip(scene.expected, columns, strict=True), start=1):
        within = sum(abs(value / wanted - 1.0) <= scene.tolerance for value in column)
        print(
            f"  {number:9d} {wanted:8.3f} {min(column):8.3f} {median(column):8.3f} {max(column):8.3f}"
            f"   {within} of {len(column)}"
        )


def measure(name: str, mpi: str, runs: int) -> None:
    scene = SCENES[name]
    with tempfile.TemporaryDirectory() as folder:
        found = [run(scene, mpi, Path(folder) / f"{i}.json") for i in range(runs)]
    times = [seconds for _, seconds in found]
    print(
        f"{name}: {' '.join(scene.bed)}, {mpi}, {runs} runs of {median(times):.1f} s ({max(times):.1f} s at "
        f"most), load of the machine {os.getloadavg()[0]:.1f}"
    )
    for statistic in ("mean", "slowest", "harmonic"):
        table(scene, [fact for fact, _ in found], statistic)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), action="append")
    options = parser.parse_args()
    for name, mpi in product(options.scene or SCENES, options.mpi or ("openmpi", "mpich")):
        measure(name, mpi, options.runs)


if __name__ == "__main__":
    main()
