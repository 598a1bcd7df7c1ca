"""HPL against the star DGEMM of the same run, for one or two builds of groma-hpcc, in alternating runs.

    .venv/bin/python bench/hpl.py --rounds 7 --nb 128,192 [--against OLD_GROMA_HPCC]

The efficiency is the rate of HPL over that of star DGEMM times the ranks. Both come from one run, so that
what slows the processor meets both. Ratios of two builds are taken within a round.

HPL multiplies with kernels of its own. A variable that fixes those of OpenBLAS (OPENBLAS_CORETYPE) slows only
DGEMM: unset it.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from hpcc import VARIABLES, spread, summary_of, wait_until_quiet


def rates(program: str, nb: str, arguments: argparse.Namespace) -> tuple[float, float]:
    """Of HPL and of a rank's DGEMM, both in Gflop/s."""
    ranks = arguments.p * arguments.q
    with tempfile.TemporaryDirectory(prefix="bench-hpl-") as folder:
        output = Path(folder) / "hpccoutf.txt"
        launch = [arguments.mpirun, "-n", str(ranks), "--bind-to", "core", program, "run"]
        plan = ["-N", str(arguments.n), "--nb", nb, "--grid", f"{arguments.p}x{arguments.q}"]
        effort = ["--only", "hpl,dgemm", "--repeat", str(arguments.repeat), "--budget", "60s"]
        done = subprocess.run(
            [*launch, *plan, *effort, "--output", str(output)],
            env=os.environ | VARIABLES,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{program} ended with {done.returncode}: {done.stderr[-500:]}")
        summary = summary_of(output)
    return 1e3 * summary["HPL_Tflops"], summary["StarDGEMM_Gflops"]


def row(name: str, values: list[float], unit: str) -> str:
    low, middle, high = sorted(spread(values))
    return f"{name:28} {middle:8.3f} [{low:.3f}, {high:.3f}] {unit}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--groma", default=".venv/lib/groma/openmpi/bin/groma-hpcc")
    parser.add_argument("--against", help="another build of groma-hpcc")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--n", type=int, default=6000)
    parser.add_argument("--nb", default="192", help="block sizes: 128,192")
    parser.add_argument("-p", type=int, default=1)
    parser.add_argument("-q", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--idle", type=float, default=0.0, metavar="SECONDS")
    arguments = parser.parse_args()
    builds = {"groma": arguments.groma} | ({"other": arguments.against} if arguments.against else {})
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for _ in range(arguments.rounds):
        runs = [(build, nb) for build in builds for nb in arguments.nb.split(",")]
        for build, nb in random.sample(runs, len(runs)):
            wait_until_quiet(0.3, arguments.idle)
            found[build, nb].append(rates(builds[build], nb, arguments))
    ranks = arguments.p * arguments.q
    for (build, nb), measured in sorted(found.items()):
        print(row(f"{build} nb={nb} HPL", [hpl for hpl, _ in measured], "Gflop/s"))
        print(row(f"{build} nb={nb} HPL / DGEMM", [hpl / (ranks * dgemm) for hpl, dgemm in measured], ""))
    for nb in arguments.nb.split(",") if arguments.against else ():
        pairs = zip(found["groma", nb], found["other", nb], strict=True)
        print(row(f"groma / other nb={nb}", [new[0] / old[0] for new, old in pairs], "of HPL rates"))


if __name__ == "__main__":
    main()
