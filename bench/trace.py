"""What tracing costs: nanoseconds and bytes per call, and how fast the merge is.

    .venv/bin/python bench/trace.py [--rounds 7] [--calls 100000]

Tight loops of calls on one and on two ranks, without the tracer, with it, and with call sites as well, in
turns. The least of five repetitions of each loop counts, and the differences of the runs of a round. Then
the last log is merged: events (two for a call, as Extrae counts) per second of processor time, and the most
memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from mpis import AS_ANYBODY, Mpi, mpis  # noqa: E402

VENV = ROOT / ".venv"
BOUND = 60.0  # ns per call on one rank


def loops(mpi: Mpi, program: Path, ranks: int, calls: int, variables: dict[str, str]) -> dict[str, float]:
    """Nanoseconds per call by loop."""
    words = [mpi.launcher, "-n", str(ranks), str(program), str(calls)]
    done = subprocess.run(
        words, env=os.environ | AS_ANYBODY | variables, capture_output=True, text=True, check=True
    )
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def tracer(name: str, folder: Path, *, call_sites: bool = False) -> dict[str, str]:
    library = VENV / f"lib/groma/{name}/lib/libgroma-trace.so"
    given = {"LD_PRELOAD": str(library), "GROMA_TRACE_DIR": str(folder), "GROMA_TRACE_RUN": "1"}
    return given | {"GROMA_TRACE_CALL_SITES": str(int(call_sites))}


def empty(folder: Path) -> Path:
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir()
    return folder


def compare(name: str, mpi: Mpi, ranks: int, chosen: argparse.Namespace, folder: Path) -> None:
    program = folder / f"loops-{name}"
    subprocess.run([mpi.compiler, "-O2", ROOT / "bench/trace_loops.c", "-o", program], check=True)
    added: defaultdict[str, list[float]] = defaultdict(list)
    at_sites: defaultdict[str, list[float]] = defaultdict(list)
    plain: defaultdict[str, list[float]] = defaultdict(list)
    logs = folder / f"logs-{name}-{ranks}"
    for _ in range(chosen.rounds):
        without = loops(mpi, program, ranks, chosen.calls, {})
        sites = loops(mpi, program, ranks, chosen.calls, tracer(name, empty(logs), call_sites=True))
        traced = loops(mpi, program, ranks, chosen.calls, tracer(name, empty(logs)))
        for loop, value in without.items():
            plain[loop].append(value)
            added[loop].append(traced[loop] - value)
            at_sites[loop].append(sites[loop] - traced[loop])
    print(f"\n{name}, {ranks} rank{'s' * (ranks > 1)}: ns per call")
    for loop, values in added.items():
        note = "" if ranks > 1 or statistics.median(values) <= BOUND else f"  above {BOUND:.0f}"
        base, more = statistics.median(plain[loop]), statistics.median(values)
        spread = f"[{min(values):.1f}, {max(values):.1f}]"
        further = at_sites[loop]
        where = f"call sites + {statistics.median(further):.1f} [{min(further):.1f}, {max(further):.1f}]"
        print(f"  {loop:<10} {base:7.1f}  + {more:5.1f} {spread}{note}  {where}")
    merge(logs, folder / "merged")


def merge(logs: Path, target: Path) -> None:
    size = sum(one.stat().st_size for one in logs.iterdir())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [VENV / "bin/groma-merge", logs, target], capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    calls = int(done.stdout.partition('"calls":')[2].partition(",")[0])
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    written = sum(target.with_suffix(end).stat().st_size for end in (".prv", ".pcf", ".row"))
    print(f"  {size / calls:.1f} B per call in the log, {written / calls:.0f} B in the trace")
    rate = 2e-6 * calls / seconds
    print(f"  merge of {calls:,} calls: {rate:.1f} M events/s, {after.ru_maxrss >> 10} MiB")


def main() -> None:
    """Runs the comparison for each MPI."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=100_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, mpi in mpis().items():
            for ranks in (1, 2):
                compare(name, mpi, ranks, chosen, Path(folder))


if __name__ == "__main__":
    main()
