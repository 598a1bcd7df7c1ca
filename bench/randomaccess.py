"""RandomAccess of groma beside what the machine allows and beside Debian's hpcc, in alternating runs: ratios.

    .venv/bin/python bench/randomaccess.py --rounds 5     # or: make bench-randomaccess ARGS="--rounds 5"

Six comparisons; `--only` takes some of them, `--skip` leaves some out:
- limit: two ranks beside two threads on one table that do not synchronise, and so may lose updates
- hpcc: the same beside the default algorithm of hpcc 1.5.0 on a table of the same size
- hypercube: the same beside the hypercube algorithm of hpcc with huge pages
- serial: one rank beside the serial kernel with prefetches, without MPI
- owner: finding owners by prediction beside by division, for a lookup and end to end on three ranks
- oversubscribed: MPICH beside Open MPI with twice as many ranks as cores, by each algorithm of messages. A
  rank that waits yields its core, to other programs as well, which take much longer than a message. On a
  busy machine, `--crowded-nice -19` (as root) reduces this

Every round runs both candidates of a comparison once, in random order; ratios are taken within a round.
hpcc has no option for one of its tests: it runs whole, and its input is chosen such that HPL's matrix, after
which it sizes its tables, just holds the table (N = 11586 for 1 GiB). Its hypercube algorithm is another
build of its source (-DRA_SANDIA_OPT2), which no package has: that comparison needs `--hypercube PROGRAM`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcc import VARIABLES, openblas_folder, shown, spread, wait_until_quiet
from hpcc import Candidate as Program
from hpcc import measured as measured_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WORD = 8
HUGE_PAGES = "glibc.malloc.hugetlb=1"
LOOKUPS = (3, 6, 12, 96, 1000)
CROWDED = ("direct", "hypercube", "route")


@dataclass(frozen=True)
class Figure:
    """`value` is more if better; `errors` are wrong words."""

    value: float
    errors: int


@dataclass(frozen=True)
class Candidate:
    name: str
    run: Callable[[], Figure]


@dataclass(frozen=True)
class Comparison:
    """`ours` over `other` is to be `wanted` to `most`, and `ours` alone at least `least`."""

    name: str
    title: str
    unit: str
    ours: Candidate
    other: Candidate
    wanted: float
    least: float = 0.0
    most: float = math.inf


def lines_of(words: Sequence[str]) -> list[dict[str, Any]]:
    done = subprocess.run(words, env=os.environ | VARIABLES, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 3}:
        sys.exit(f"{' '.join(words)} failed (exit code {done.returncode}): {done.stderr[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def cases_of(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the samples of groma-randomaccess are of, by number."""
    cases: list[dict[str, Any]] = next(line for line in lines if line["event"] == "begin")["cases"]
    return cases


def launch(args: argparse.Namespace, ranks: int) -> list[str]:
    """Each rank on a core of its own, where there are as many."""
    enough = ranks <= len(os.sched_getaffinity(0))
    binding = ["--bind-to", "core"] if enough else ["--bind-to", "none", "--oversubscribe"]
    return [args.mpirun, "-n", str(ranks), *binding]


def groma(args: argparse.Namespace, ranks: int, words: int, *options: str) -> Figure:
    """GUP/s of one whole run of the best algorithm."""
    sizes = [f"--table={words}", f"--updates={args.updates}"]
    return outcome_of([*launch(args, ranks), str(args.groma), "run", *sizes, *options])


def outcome_of(words: Sequence[str]) -> Figure:
    lines = lines_of([*words, "--repeat=1", "--budget=0", "--events=-"])
    reported = next(line["facts"] for line in lines if line["event"] == "outcome")
    return Figure(1e-9 * reported["updates"] / reported["seconds"], reported["errors"])


def crowded(args: argparse.Namespace, mpi: str, algorithm: str) -> Figure:
    """GUP/s of an algorithm with twice as many ranks as cores; MPICH needs no option for that."""
    ranks = 2 * len(os.sched_getaffinity(0))
    mpich = [args.mpirun_mpich, "-n", str(ranks), str(args.groma_mpich)]
    words = mpich if mpi == "mpich" else [*launch(args, ranks), str(args.groma)]
    sizes = [f"--table={args.crowded_table // WORD}", f"--updates={args.updates}"]
    first = ["nice", "-n", str(args.crowded_nice)]
    return outcome_of([*first, *words, "run", *sizes, f"--algorithm={algorithm}"])


def threads(args: argparse.Namespace, strategy: str, count: int, words: int) -> Figure:
    """GUP/s of threads on one table, and the words that they got wrong."""
    sizes = [f"--table={words}", f"--updates={args.updates}", f"--threads={count}", "--runs=1"]
    lines = lines_of([str(args.groma), "errors", *sizes, f"--strategies={strategy}"])
    case = cases_of(lines)[0]
    time, wrong = (line["value"] for line in lines if line["event"] == "sample")
    return Figure(1e-9 * case["updates"] / time, int(wrong))


def hpcc(args: argparse.Namespace, program: str, words: int, *tunables: str) -> Figure:
    """GUP/s of hpcc's RandomAccess over two ranks; `tunables` are those of the C library."""
    peer = {"LD_LIBRARY_PATH": args.blas} if args.blas else {}
    peer |= {"GLIBC_TUNABLES": ":".join(tunables)} if tunables else {}
    summary = measured_run(
        Program("hpcc", [*launch(args, 2), program], peer),
        {"n": matrix_for(words), "nb": 192, "p": 1, "q": 2},
    )
    return Figure(summary["MPIRandomAccess_GUPs"], int(summary["MPIRandomAccess_Errors"]))


def matrix_for(words: int) -> int:
    """The smallest matrix that has as many words as the table."""
    return math.isqrt(words - 1) + 1


def lookups(args: argparse.Namespace, way: str, parts: int) -> Figure:
    """Lookups in a nanosecond: the median over the rounds of one call."""
    lines = lines_of([str(args.groma), "owner", f"--parts={parts}"])
    number = next(number for number, case in enumerate(cases_of(lines)) if case["way"] == way)
    times = [line["value"] for line in lines if line["event"] == "sample" and line["case"] == number]
    return Figure(1e-9 / spread(times)[0], 0)


def comparisons(args: argparse.Namespace) -> list[Comparison]:
    words, small = args.table // WORD, args.owner_table // WORD
    two = Candidate("groma, 2 ranks", partial(groma, args, 2, words))
    one = Candidate("groma, 1 rank", partial(groma, args, 1, words))
    free = Candidate("2 threads, unsynchronised", partial(threads, args, "unsynchronised", 2, words))
    serial = Candidate("serial kernel", partial(threads, args, "serial", 1, words))
    peer = Candidate("hpcc, 2 ranks", partial(hpcc, args, args.hpcc, words))
    hypercube = Candidate("hypercube, huge pages", partial(hpcc, args, args.hypercube, words, HUGE_PAGES))
    return [
        Comparison("limit", "of the unsynchronised limit", "GUP/s", two, free, 0.75, 0.07),
        Comparison("hpcc", "times hpcc's default", "GUP/s", two, peer, 4.5, 0.07),
        Comparison("hypercube", "times hpcc's hypercube", "GUP/s", two, hypercube, 1.2, 0.07),
        Comparison("serial", "of the serial kernel", "GUP/s", one, serial, 0.95),
        *(lookup_comparison(args, parts) for parts in LOOKUPS),
        Comparison(
            "owner",
            "prediction end to end, 3 ranks",
            "GUP/s",
            Candidate("prediction", partial(groma, args, 3, small, "--owner=prediction")),
            Candidate("division", partial(groma, args, 3, small, "--owner=division")),
            1.0,
        ),
        *(oversubscribed_comparison(args, algorithm) for algorithm in CROWDED),
    ]


def oversubscribed_comparison(args: argparse.Namespace, algorithm: str) -> Comparison:
    ways = {"MPICH": "mpich", "Open MPI": "openmpi"}
    ours, other = (Candidate(name, partial(crowded, args, mpi, algorithm)) for name, mpi in ways.items())
    title = f"{algorithm} of MPICH, 2 ranks a core"
    return Comparison("oversubscribed", title, "GUP/s", ours, other, 1 / 3, most=3.0)


def lookup_comparison(args: argparse.Namespace, parts: int) -> Comparison:
    ours, other = (Candidate(way, partial(lookups, args, way, parts)) for way in ("prediction", "division"))
    return Comparison("owner", f"prediction of {parts} owners", "1/ns", ours, other, 1.3)


def run_comparison(comparison: Comparison, args: argparse.Namespace, rng: random.Random) -> None:
    """Run all rounds of a comparison and print its line."""
    found: dict[str, list[Figure]] = defaultdict(list)
    both = [comparison.ours, comparison.other]
    for number in range(args.rounds):
        for one in rng.sample(both, len(both)):
            if args.idle:
                wait_until_quiet(0.2, args.idle)
            found[one.name].append(one.run())
            reported = f"{one.name} {found[one.name][-1].value:.4g} {comparison.unit}"
            print(f"{comparison.title}: round {number + 1} of {args.rounds}: {reported}", file=sys.stderr)
    report(comparison, found[comparison.ours.name], found[comparison.other.name])


def report(comparison: Comparison, ours: Sequence[Figure], other: Sequence[Figure]) -> None:
    ratios = [a.value / b.value for a, b in zip(ours, other, strict=True)]
    middle, low, high = spread(ratios)
    own = [one.value for one in ours]
    reached = comparison.wanted <= middle <= comparison.most and spread(own)[0] >= comparison.least
    floor = f", {comparison.least:g} {comparison.unit}" if comparison.least else ""
    ceiling = f" to {comparison.most:g}" if comparison.most < math.inf else ""
    print(f"{comparison.title}")
    for candidate, figures in ((comparison.ours, ours), (comparison.other, other)):
        wrong = sum(one.errors for one in figures)
        values = shown([one.value for one in figures])
        print(f"  {candidate.name:28} {values} {comparison.unit}, {wrong} wrong words")
    reported = f"wanted {comparison.wanted:.3g}{ceiling}{floor}: {'reached' if reached else 'MISSED'}"
    print(f"  {'ratio':28} {middle:10.3f} [{low:8.3f}, {high:8.3f}]  {reported}", flush=True)


def arguments_given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(sys.executable).parent.parent / "lib/groma/openmpi/bin/groma-randomaccess"
    names = ["limit", "hpcc", "hypercube", "serial", "owner", "oversubscribed"]
    parser.add_argument("--groma", type=Path, default=beside)
    parser.add_argument(
        "--groma-mpich", type=Path, default=beside.parents[2] / "mpich/bin/groma-randomaccess"
    )
    parser.add_argument("--hpcc", default=shutil.which("hpcc"))
    parser.add_argument("--hypercube", metavar="PROGRAM", help="hpcc with its hypercube algorithm")
    parser.add_argument("--mpirun", default=shutil.which("mpirun.openmpi") or shutil.which("mpirun"))
    parser.add_argument("--mpirun-mpich", default=shutil.which("mpirun.mpich"))
    parser.add_argument("--blas", default=openblas_folder(), help="folder of the BLAS that hpcc is to load")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--table", type=int, default=1 << 30, help="bytes, a power of two")
    parser.add_argument("--owner-table", type=int, default=1 << 28, help="bytes, of the runs on three ranks")
    parser.add_argument("--crowded-table", type=int, default=1 << 21, help="bytes, of oversubscribed runs")
    parser.add_argument(
        "--crowded-nice",
        type=int,
        default=0,
        help="of oversubscribed runs; below 0 as root",
    )
    parser.add_argument("--updates", default="4x", help="of a run of groma, as it takes them")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--skip", nargs="+", choices=names, default=[])
    parser.add_argument(
        "--idle", type=float, default=0.0, help="wait up to so many seconds for a quiet machine"
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    args = arguments_given()
    wanted = set(args.only) - set(args.skip)
    if args.hypercube is None:
        wanted -= {"hypercube"}
    if args.mpirun_mpich is None or not args.groma_mpich.exists():
        wanted -= {"oversubscribed"}
    if args.mpirun is None or ("hpcc" in wanted and args.hpcc is None):
        sys.exit("hpcc and its mpirun are needed: apt-get install hpcc openmpi-bin, or --skip hpcc")
    rng = random.Random(args.seed)  # noqa: S311 - an order, no secret
    for comparison in comparisons(args):
        if comparison.name in wanted:
            run_comparison(comparison, args, rng)


if __name__ == "__main__":
    main()
