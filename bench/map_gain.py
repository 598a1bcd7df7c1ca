"""What a mapping gains on a test bed: a halo exchange under the launcher's own placement and under groma's.

Two hosts whose network interfaces limit them, with 8 ranks that count rows first; and a 4 x 4 torus of slow
cables with one rank on each host, whose ranks form a grid in another order than the hosts.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from groma.map.replay import halo

GROMA = [sys.executable, "-m", "groma"]


def shuffled_halo(path: Path, ranks: int, size: int, seed: int) -> None:
    order = list(range(ranks))
    random.Random(seed).shuffle(order)  # noqa: S311 - an order, not a secret
    rows = [f"{order[one.source]},{order[one.target]},{one.bytes}" for one in halo(ranks, size)]
    path.write_text("\n".join(["source,target,bytes", *rows]) + "\n")


def measured(mpi: str, bed: list[str], mapping: list[str]) -> str:
    words = [
        *GROMA,
        "testbed",
        "run",
        "--mpi",
        mpi,
        "-q",
        *bed,
        "--",
        *GROMA,
        "map",
        *mapping,
        "--measure",
        "--json",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    gain = json.loads(done.stdout)["gain"]
    ratio = gain["gain"]
    return (
        f"{gain['default']['value'] * 1e3:.1f} ms by default, {gain['mapped']['value'] * 1e3:.1f} ms mapped, "
        f"ratio {ratio['value']:.2f} [{ratio['low']:.2f}, {ratio['high']:.2f}]"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", default="50mbit")
    parser.add_argument("--launches", default="5")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        matrix = Path(folder) / "halo.csv"
        shuffled_halo(matrix, 16, 64 << 10, 1)
        launches = ["--launches", options.launches]
        for mpi in ("openmpi", "mpich"):
            hosts = ["--topology", "tree:2x4", "-n", "8", "--halo", "64KiB", *launches]
            print(
                f"two hosts, {mpi:8}",
                measured(mpi, ["--shape", "2", "--nic", options.rate], hosts),
                flush=True,
            )
            torus = ["--topology", "torus:4x4", "--matrix", str(matrix), *launches]
            print(
                f"4x4 torus, {mpi:8}",
                measured(mpi, ["--shape", "4x4", "--link", options.rate], torus),
                flush=True,
            )


if __name__ == "__main__":
    main()
