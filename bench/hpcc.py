"""groma-hpcc beside Debian's hpcc on the same input, in alternating runs: a table of ratios.

    .venv/bin/python bench/hpcc.py --rounds 5            # or: make bench-hpcc ARGS="--rounds 5"

Every round runs both once, in random order, on the same BLAS with one thread, each rank bound to a core; what
disturbs the machine so meets both. Ratios are taken within a round; above 1 groma is ahead, for latencies and
times as well. hpcc takes one sample of most figures, so its round-to-round spread is shown.
`--idle SECONDS` waits before each run until the machine is that quiet; `--only` runs some tests of groma.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Headline keys of the summary: unit, and whether more is better.
KEYS = {
    "HPL_Tflops": ("Tflop/s", True),
    "StarDGEMM_Gflops": ("Gflop/s", True),
    "SingleDGEMM_Gflops": ("Gflop/s", True),
    "PTRANS_GBs": ("GB/s", True),
    "MPIRandomAccess_LCG_GUPs": ("Gup/s", True),
    "MPIRandomAccess_GUPs": ("Gup/s", True),
    "StarRandomAccess_LCG_GUPs": ("Gup/s", True),
    "StarRandomAccess_GUPs": ("Gup/s", True),
    "SingleRandomAccess_LCG_GUPs": ("Gup/s", True),
    "SingleRandomAccess_GUPs": ("Gup/s", True),
    "StarSTREAM_Copy": ("GB/s", True),
    "StarSTREAM_Scale": ("GB/s", True),
    "StarSTREAM_Add": ("GB/s", True),
    "StarSTREAM_Triad": ("GB/s", True),
    "SingleSTREAM_Triad": ("GB/s", True),
    "StarFFT_Gflops": ("Gflop/s", True),
    "SingleFFT_Gflops": ("Gflop/s", True),
    "MPIFFT_Gflops": ("Gflop/s", True),
    "AvgPingPongLatency_usec": ("us", False),
    "RandomlyOrderedRingLatency_usec": ("us", False),
    "NaturallyOrderedRingLatency_usec": ("us", False),
    "AvgPingPongBandwidth_GBytes": ("GB/s", True),
    "RandomlyOrderedRingBandwidth_GBytes": ("GB/s", True),
    "NaturallyOrderedRingBandwidth_GBytes": ("GB/s", True),
    "wall time": ("s", False),
}

ERRORS = ("MPIRandomAccess_Errors", "MPIRandomAccess_LCG_Errors")

# What the issue of the suite asks for, as a ratio.
WANTED = {
    "HPL_Tflops": 1.3,
    "PTRANS_GBs": 2.0,
    "MPIFFT_Gflops": 2.5,
    "StarFFT_Gflops": 2.5,
    "StarSTREAM_Triad": 1.2,
    "StarRandomAccess_GUPs": 1.7,
    "MPIRandomAccess_GUPs": 2.5,
    "AvgPingPongLatency_usec": 1.0,
    "RandomlyOrderedRingLatency_usec": 1.0,
}

# Lines of an input file after the sizes: threshold, how to factor, and PTRANS without sizes of its own.
INPUT = """\
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{n}          Ns
1            # of NBs
{nb}         NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{p}          Ps
{q}          Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200 10000   values of N
0            number of additional blocking sizes for PTRANS
40 9 8       values of NB
"""

VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Candidate:
    name: str
    words: Sequence[str]
    variables: dict[str, str]


def summary_of(path: Path) -> dict[str, float]:
    """The numbers of the last summary in an output file."""
    values: dict[str, float] = {}
    for line in path.read_text(errors="replace").splitlines():
        key, equals, value = line.strip().partition("=")
        if line.startswith("Begin of Summary"):
            values = {}
        elif equals and key in {*KEYS, *ERRORS, "Success"}:
            values[key] = float(value)
    return values


def measured(one: Candidate, sizes: dict[str, int]) -> dict[str, float]:
    """One run in a folder of its own: its summary and its wall time."""
    with tempfile.TemporaryDirectory(prefix="bench-hpcc-") as name:
        folder = Path(name)
        (folder / "hpccinf.txt").write_text(INPUT.format(**sizes))
        started = time.monotonic()
        done = subprocess.run(
            one.words,
            cwd=folder,
            env=os.environ | VARIABLES | one.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        wall = time.monotonic() - started
        output = folder / "hpccoutf.txt"
        if not output.exists():
            sys.exit(f"{one.name} wrote no hpccoutf.txt (exit code {done.returncode}): {done.stderr[-500:]}")
        return {**summary_of(output), "wall time": wall}


def candidates(arguments: argparse.Namespace) -> list[Candidate]:
    ranks = arguments.p * arguments.q
    launch = [
        arguments.mpirun,
        "-n",
        str(ranks),
        "--map-by",
        f"ppr:{ranks}:node",
        "--bind-to",
        arguments.bind,
    ]
    peer = {"LD_LIBRARY_PATH": arguments.blas} if arguments.blas else {}
    only = ["--only", arguments.only] if arguments.only else []
    return [
        Candidate("hpcc", [*launch, arguments.hpcc], peer),
        Candidate("groma", [*launch, str(arguments.groma), "run", *only], {}),
    ]


def wait_until_quiet(most: float, timeout: float) -> None:
    """Until other programs kept less than `most` cores busy for a second."""
    end = time.monotonic() + timeout
    while time.monotonic() < end and busy_cores() > most:
        time.sleep(1.0)


def busy_cores(seconds: float = 1.0) -> float:
    def ticks() -> float:
        fields = [float(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(fields) - fields[3] - fields[4]

    before = ticks()
    time.sleep(seconds)
    return (ticks() - before) / (seconds * os.sysconf("SC_CLK_TCK"))


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Median and quartiles."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high


def shown(values: Sequence[float]) -> str:
    middle, low, high = spread(values)
    return f"{middle:10.4g} [{low:8.4g}, {high:8.4g}]"


def report(rounds: dict[str, list[dict[str, float]]]) -> None:
    """A line for each figure that both have, then what only one has."""
    print(
        f"{'':37} {'hpcc: median [quartiles]':32} {'groma: median [quartiles]':32} ratio [quartiles]  wanted"
    )
    for key, (unit, more_is_better) in KEYS.items():
        pairs = [
            (a[key], b[key])
            for a, b in zip(rounds["hpcc"], rounds["groma"], strict=True)
            if a.get(key, 0.0) > 0 and b.get(key, 0.0) > 0
        ]
        if not pairs:
            continue
        ratios = [b / a if more_is_better else a / b for a, b in pairs]
        middle, low, high = spread(ratios)
        wanted = WANTED.get(key)
        verdict = "" if wanted is None else f"{wanted:.1f} {'reached' if middle >= wanted else 'MISSED'}"
        ours, theirs = shown([b for _, b in pairs]), shown([a for a, _ in pairs])
        print(f"{key + ' ' + unit:37} {theirs:32} {ours:32} {middle:5.2f} [{low:.2f}, {high:.2f}]  {verdict}")
    for name, runs in rounds.items():
        wrong = sum(
            run.get("MPIRandomAccess_Errors", 0) + run.get("MPIRandomAccess_LCG_Errors", 0) for run in runs
        )
        passed = sum(run.get("Success") == 1 for run in runs)
        print(f"{name}: {passed} of {len(runs)} runs valid, {wrong:g} wrong words in RandomAccess")


def arguments_given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(sys.executable).parent.parent / "lib/groma/openmpi/bin/groma-hpcc"
    parser.add_argument("--groma", type=Path, default=beside)
    parser.add_argument("--hpcc", default=shutil.which("hpcc"))
    parser.add_argument("--mpirun", default=shutil.which("mpirun.openmpi") or shutil.which("mpirun"))
    parser.add_argument("--blas", default=openblas_folder(), help="folder of the BLAS that hpcc is to load")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--n", type=int, default=6000)
    parser.add_argument("--nb", type=int, default=192)
    parser.add_argument("--p", type=int, default=1)
    parser.add_argument("--q", type=int, default=2)
    parser.add_argument("--bind", default="core", choices=["core", "none"])
    parser.add_argument("--only", default="", help="tests of groma only; hpcc always runs all")
    parser.add_argument(
        "--idle", type=float, default=0.0, help="wait up to so many seconds for a quiet machine"
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def openblas_folder() -> str:
    """Debian's hpcc loads whatever libblas.so.3 is; groma is linked to OpenBLAS."""
    folders = sorted(Path("/usr/lib").glob("*/openblas-pthread"))
    return str(folders[0]) if folders else ""


def main() -> None:
    arguments = arguments_given()
    if arguments.hpcc is None or arguments.mpirun is None:
        sys.exit("hpcc and its mpirun are needed: apt-get install hpcc openmpi-bin")
    both = candidates(arguments)
    sizes = {"n": arguments.n, "nb": arguments.nb, "p": arguments.p, "q": arguments.q}
    rng = random.Random(arguments.seed)  # noqa: S311 - an order, no secret
    rounds: dict[str, list[dict[str, float]]] = defaultdict(list)
    for number in range(arguments.rounds):
        for one in rng.sample(both, len(both)):
            if arguments.idle:
                wait_until_quiet(0.2, arguments.idle)
            rounds[one.name].append(measured(one, sizes))
            wall = rounds[one.name][-1]["wall time"]
            print(f"round {number + 1} of {arguments.rounds}: {one.name} {wall:.1f} s", file=sys.stderr)
    report(rounds)


if __name__ == "__main__":
    main()
