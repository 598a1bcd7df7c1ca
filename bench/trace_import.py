"""Traces: how fast groma-trace-store imports a .prv and reads it and its store, and in how much memory.

Makes a trace of a ring of ranks with the records that Extrae writes for a call, once in order and once with
lines out of order, and prints records per second of processor time and the largest resident set: the best of
some runs. What is resident of a store are pages of its file. With `--against PROGRAM`, another
groma-trace-store such as that before a change, both read the traces in turns, and the ratios of their times
are printed: median, least and most of the runs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from groma.launch.native import native_program


def write_trace(path: Path, ranks: int, calls: int, *, is_sorted: bool = True) -> int:
    """Each step is a Sendrecv on each rank. The number of records."""
    tasks = ",".join("1:1" for _ in range(ranks))
    with path.open("w", encoding="ascii") as file:
        file.write(f"#Paraver (01/01/2026 at 00:00):{calls * 1000}_ns:1({ranks}):1:{ranks}({tasks}),0\n")
        for step in range(calls):
            pairs = [lines_of(step, rank, ranks) for rank in range(1, ranks + 1)]
            if is_sorted:
                file.write("".join(before for before, _ in pairs) + "".join(within for _, within in pairs))
            else:
                file.write("".join(before + within for before, within in pairs))
    return 5 * ranks * calls


def lines_of(step: int, rank: int, ranks: int) -> tuple[str, str]:
    """At the end of the call before, and at the begin of the next one."""
    place, other = f"{rank}:1:{rank}:1", rank % ranks + 1
    begin, call, end = step * 1000, step * 1000 + 600, step * 1000 + 1000
    there = f"{other}:1:{other}:1:{call}:{end}"
    before = f"1:{place}:{begin}:{call}:1\n2:{place}:{begin}:50000001:0\n"
    within = f"1:{place}:{call}:{end}:16\n2:{place}:{call}:50000001:41\n"
    return before, f"{within}3:{place}:{call}:{call}:{there}:{8 << step % 20}:1\n"


class Timed(NamedTuple):
    """A command that ended well: seconds of the processor, the largest resident set, standard output."""

    seconds: float
    megabytes: float
    output: str


def timed(words: list[str]) -> Timed:
    with tempfile.TemporaryFile("w+") as output:
        with subprocess.Popen(words, stdout=output) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(words)} failed")
        output.seek(0)
        return Timed(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6, output.read())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--calls", type=int, default=100_000, help="of each rank")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--against", metavar="PROGRAM", help="another groma-trace-store")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for is_sorted in (True, False):
            trace = Path(name, "trace.prv")
            records = write_trace(trace, options.ranks, options.calls, is_sorted=is_sorted)
            size = trace.stat().st_size / 1e6
            what = "in order" if is_sorted else "out of order"
            print(f"{records:,} records {what}, {size:.0f} MB, {options.ranks} ranks")
            measure(trace, records, options.runs)
            if options.against:
                compare(trace, options.against, options.runs)


def measure(trace: Path, records: int, runs: int) -> None:
    program, store = str(native_program("groma-trace-store")), str(trace.with_suffix(".groma"))
    orders = {
        "import": [program, "import", str(trace), store],
        "stat of the .prv": [program, "stat", str(trace)],
        "stat of the store": [program, "stat", store],
    }
    for what, words in orders.items():
        best = min(timed(words) for _ in range(runs))
        rate = records / best.seconds / 1e6
        print(f"  {what:18} {rate:6.2f} M records/s, {best.megabytes:.0f} MB", flush=True)


def compare(trace: Path, other: str, runs: int) -> None:
    """Every second run begins with the other program."""
    program, store = str(native_program("groma-trace-store")), str(trace.with_suffix(".groma"))
    for what, path in (("stat of the .prv", str(trace)), ("stat of the store", store)):
        ratios = []
        for run in range(runs):
            pair = (program, other) if run % 2 else (other, program)
            taken = {one: timed([one, "stat", path]).seconds for one in pair}
            ratios.append(taken[program] / taken[other])
        spread = f"{statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}]"
        print(f"  {what:18} takes {spread} of the time of the other", flush=True)


if __name__ == "__main__":
    main()
