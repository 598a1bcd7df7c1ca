"""What tracing costs: nanoseconds and bytes per call, and how fast the merge is.

    .venv/bin/python bench/trace.py [--rounds 7] [--calls 100000] [--extrae PREFIX]

Tight loops of calls on one and on two ranks, without the tracer, with it, with call sites as well, and with
Extrae where it is installed, in turns. The least of five repetitions of each loop counts, and the differences
of the runs of a round. Then the last logs are merged: events (two for a call, as Extrae counts) per second of
processor time, and the most memory. Extrae only counts calls of MPI_Iprobe that get nothing, so its bytes
are of the other calls. The time of a reading of the clock comes first, because it takes three times as long
where other programs have the second thread of the core.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trace_import import timed

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from mpis import AS_ANYBODY, Mpi, mpis  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

VENV = ROOT / ".venv"
BOUND = 60.0  # ns per call on one rank
PLAIN, GROMA, SITES, EXTRAE = "plain", "groma", "call sites", "Extrae"
CLOCK = "clock"  # a reading of it, without MPI
LOOPS = (CLOCK, "comm_rank", "iprobe", "sendrecv", "isend_wait", "allreduce", "ping_pong")
ENVIRONMENT = AS_ANYBODY | {"OMPI_MCA_mpi_yield_when_idle": "0"}  # a yield in MPI_Iprobe would be timed
REPETITIONS = 5  # of each loop, in trace_loops.c
# MPI alone, in the default size of its buffer. It writes into the folder where it is started.
EXTRAE_XML = """<?xml version='1.0'?>
<trace enabled="yes" home="{prefix}" initial-mode="detail" type="paraver">
  <mpi enabled="yes"><counters enabled="no" /></mpi>
  <callers enabled="no" />
  <merge enabled="no" />
</trace>
"""


class Loops(NamedTuple):
    """A program with loops of calls, and how it is started."""

    name: str
    mpi: Mpi
    program: Path
    ranks: int
    calls: int


def run(loops: Loops, variables: dict[str, str], folder: Path) -> dict[str, float]:
    """Nanoseconds per call by loop. The variables are for the ranks alone: Extrae would trace the launcher.

    With Extrae the launcher fails, and its words stand beside those of the program.
    """
    given = [f"{name}={value}" for name, value in variables.items()]
    words = [loops.mpi.launcher, "-n", str(loops.ranks), "env", *given, str(loops.program), str(loops.calls)]
    done = subprocess.run(
        words, cwd=folder, env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=False
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    found = {line[0]: float(line[1]) for line in lines if len(line) == 2 and line[0] in LOOPS}
    if len(found) != (len(LOOPS) if loops.ranks > 1 else len(LOOPS) - 1):
        raise SystemExit(done.stdout + done.stderr)
    return found


def groma(name: str, folder: Path, *, call_sites: bool) -> dict[str, str]:
    library = VENV / f"lib/groma/{name}/lib/libgroma-trace.so"
    given = {"LD_PRELOAD": str(library), "GROMA_TRACE_DIR": str(folder), "GROMA_TRACE_RUN": "1"}
    return given | {"GROMA_TRACE_CALL_SITES": str(int(call_sites))}


def extrae(prefix: Path, folder: Path) -> dict[str, str]:
    settings = folder / "extrae.xml"
    settings.write_text(EXTRAE_XML.format(prefix=prefix))
    return {"LD_PRELOAD": str(prefix / "lib/libmpitrace.so"), "EXTRAE_CONFIG_FILE": str(settings)}


def is_of(prefix: Path | None, name: str) -> bool:
    """Whether Extrae was built with this MPI."""
    if prefix is None:
        return False
    linked = subprocess.run(
        ["ldd", prefix / "lib/libmpitrace.so"], capture_output=True, text=True, check=True
    ).stdout
    return {"openmpi": "libmpi.so", "mpich": "libmpich"}[name] in linked


def empty(folder: Path) -> Path:
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir()
    return folder


class Rounds:
    """Runs in turns, each round in another order."""

    def __init__(self, loops: Loops, prefix: Path | None, folder: Path) -> None:
        self.loops, self.prefix, self.folder = loops, prefix, folder
        self.ways = [PLAIN, GROMA, SITES, *([EXTRAE] if is_of(prefix, loops.name) else [])]
        self.found: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, number: int) -> None:
        turn = number % len(self.ways)
        for way in self.ways[turn:] + self.ways[:turn]:
            for loop, value in self._run(way).items():
                self.found[loop][way].append(value)

    def _run(self, way: str) -> dict[str, float]:
        logs = empty(self.of(way))
        if way == EXTRAE:
            assert self.prefix is not None
            return run(self.loops, extrae(self.prefix, logs), logs)
        variables = {} if way == PLAIN else groma(self.loops.name, logs, call_sites=way == SITES)
        return run(self.loops, variables, logs)

    def of(self, way: str) -> Path:
        """Its folder."""
        return self.folder / f"{self.loops.name}-{self.loops.ranks}-{way.replace(' ', '-')}"

    def added(self, loop: str, way: str, base: str = PLAIN) -> list[float]:
        return [more - less for more, less in zip(self.found[loop][way], self.found[loop][base], strict=True)]


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f} [{min(values):.1f}, {max(values):.1f}]"


def clock(rounds: Rounds) -> str:
    """What no tracer can do without: a reading of the clock at the begin and at the end of a call."""
    every = [value for way in rounds.ways for value in rounds.found[CLOCK][way]]
    return f"  two readings of the clock take {spread([2 * value for value in every])}"


def line(rounds: Rounds, loop: str) -> str:
    added = rounds.added(loop, GROMA)
    above = rounds.loops.ranks == 1 and statistics.median(added) > BOUND
    parts = [
        f"  {loop:<10} {statistics.median(rounds.found[loop][PLAIN]):7.1f}  + {spread(added)}",
        *([f"above {BOUND:.0f}"] if above else []),
        f"call sites + {spread(rounds.added(loop, SITES, GROMA))}",
    ]
    if EXTRAE in rounds.ways:
        theirs = rounds.added(loop, EXTRAE)
        parts.append(f"Extrae + {spread(theirs)}")
        if min(added) > 0:
            ratios = [their / our for their, our in zip(theirs, added, strict=True)]
            parts.append(f"{spread(ratios)} times groma")
    return "  ".join(parts)


def compare(loops: Loops, prefix: Path | None, number: int, folder: Path) -> None:
    rounds = Rounds(loops, prefix, folder)
    for one in range(number):
        rounds.add(one)
    print(f"\n{loops.name}, {loops.ranks} rank{'s' * (loops.ranks > 1)}: ns per call, median [least, most]")
    for loop in rounds.found:
        print(line(rounds, loop) if loop != CLOCK else clock(rounds))
    calls = merge(rounds.of(GROMA), folder / "merged")
    if EXTRAE in rounds.ways and prefix is not None:
        merge_extrae(prefix, rounds.of(EXTRAE), calls - REPETITIONS * loops.calls * loops.ranks)


def merge(logs: Path, target: Path) -> int:
    """The number of calls."""
    size = sum(one.stat().st_size for one in logs.iterdir())
    done = timed([str(VENV / "bin/groma-merge"), str(logs), str(target)])
    calls = int(done.output.partition('"calls":')[2].partition(",")[0])
    written = sum(target.with_suffix(end).stat().st_size for end in (".prv", ".pcf", ".row"))
    print(f"  groma:  {size / calls:.1f} B per call in the log, {written / calls:.0f} B in the trace")
    print(f"  groma:  {of_merge(calls, done.seconds, done.megabytes)}")
    return calls


def merge_extrae(prefix: Path, folder: Path, calls: int) -> None:
    size = sum(one.stat().st_size for one in folder.glob("set-*/*.mpit"))
    words = [str(prefix / "bin/mpi2prv"), "-f", str(folder / "TRACE.mpits"), "-o", str(folder / "t.prv")]
    done = timed(words)
    written = sum(one.stat().st_size for one in folder.glob("t.*"))
    print(f"  Extrae: {size / calls:.1f} B per call in the log, {written / calls:.0f} B in the trace")
    print(f"  Extrae: {of_merge(calls, done.seconds, done.megabytes)}")


def of_merge(calls: int, seconds: float, megabytes: float) -> str:
    return f"merge of {calls:,} calls: {2e-6 * calls / seconds:.2f} M events/s, {megabytes:.0f} MB"


def main() -> None:
    """Runs the comparison for each MPI."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument(
        "--extrae", type=Path, metavar="PREFIX", help="where Extrae is installed, for one MPI"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for family, mpi in mpis().items():
            program = folder / f"loops-{family}"
            subprocess.run([mpi.compiler, "-O2", ROOT / "bench/trace_loops.c", "-o", program], check=True)
            for ranks in (1, 2):
                loops = Loops(family, mpi, program, ranks, args.calls)
                compare(loops, args.extrae, args.rounds, folder)


if __name__ == "__main__":
    main()
