"""The network survey on test beds whose link shares are known: ratios by repetition beside what links give.

    bench/network_bed.py [--runs 10] [--scene ring9] [--mpi openmpi]

Run it on a quiet machine: two cores carry all hosts of a bed.
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
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from groma.interconnect.lattice import torus
from groma.interconnect.sharing import max_min_shares, shifted

if TYPE_CHECKING:
    from groma.interconnect.lattice import Shape

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Scene:
    """A bed, what is measured on it, and what the ratios should be, within `tolerance`."""

    bed: tuple[str, ...]
    survey: tuple[str, ...]
    fact: str
    expected: tuple[float, ...]
    tolerance: float
    variables: tuple[tuple[str, str], ...] = ()


# Where both ways are used at once, Open MPI's own protocol over TCP waits behind its bulk data.
SEND_ONLY = (("OMPI_MCA_btl_tcp_flags", "1"),)


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
    # A rank is done when what it sends and what it receives is: the lower of both shares counts.
    return sum(min(one, shares[rank - distance]) for rank, one in enumerate(shares)) / nodes


SCENES = {
    "ring9": Scene(
        ("--shape", "9", "--link", "400mbit"),
        ("--only", "distance", "--budget", "5s"),
        "distance",
        torus_ratios((9,)),
        0.10,
    ),
    "torus4x4": Scene(
        ("--shape", "4x4", "--link", "100mbit"),
        ("--only", "distance", "--budget", "24s"),
        "distance",
        torus_ratios((4, 4)),
        0.15,
        SEND_ONLY,
    ),
    "nic2": Scene(
        ("--shape", "2", "--nic", "100mbit"),
        ("--only", "access", "--ppn", "4", "--budget", "20s"),
        "access",
        (1.0, 2.0, 3.0, 4.0),
        0.10,
        SEND_ONLY,
    ),
}


def run(scene: Scene, mpi: str, output: Path) -> tuple[dict[str, Any], float]:
    """The fact of one run, and how long it took (s)."""
    groma = [sys.executable, "-m", "groma"]
    bed = [*groma, "testbed", "run", "--mpi", mpi, *scene.bed, "--"]
    words = [*bed, *groma, "survey", "--network", "-q", *scene.survey, "-o", str(output)]
    started = time.monotonic()
    done = subprocess.run(
        words,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")} | dict(scene.variables),
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


def table(scene: Scene, facts: list[dict[str, Any]], statistic: str) -> None:
    columns = list(zip(*(ratios_of(fact, statistic) for fact in facts), strict=True))
    print(f"  {statistic:9} expected   lowest   median  highest   runs within {scene.tolerance:.0%}")
    for number, (wanted, column) in enumerate(zip(scene.expected, columns, strict=True), start=1):
        within = sum(abs(value / wanted - 1.0) <= scene.tolerance for value in column)
        print(
            f"  {number:9d} {wanted:8.3f} {min(column):8.3f} {median(column):8.3f} {max(column):8.3f}"
            f"   {within} of {len(column)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--mpi", default="openmpi")
    options = parser.parse_args()
    for name in options.scene or SCENES:
        scene = SCENES[name]
        with tempfile.TemporaryDirectory() as folder:
            runs = [run(scene, options.mpi, Path(folder) / f"{i}.json") for i in range(options.runs)]
        times = [seconds for _, seconds in runs]
        print(
            f"{name}: {' '.join(scene.bed)}, {options.mpi}, {options.runs} runs of {median(times):.1f} s"
            f" ({max(times):.1f} s at most), messages of {runs[0][0]['message'] / 2**20:.2f} MiB"
        )
        for statistic in ("mean", "slowest", "harmonic"):
            table(scene, [fact for fact, _ in runs], statistic)


if __name__ == "__main__":
    main()
