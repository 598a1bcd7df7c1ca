"""Traces: how fast groma-trace-store reads a .prv, and in how much memory.

Makes a trace of a ring of ranks with the records that Extrae writes for a call, reads it some times, and
prints records per second of one core and the largest resident set.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from groma.launch.native import native_program


def write_trace(path: Path, ranks: int, calls: int) -> int:
    """Each step is a Sendrecv on each rank. The number of records."""
    tasks = ",".join("1:1" for _ in range(ranks))
    records = 0
    with path.open("w", encoding="ascii") as file:
        file.write(f"#Paraver (01/01/2026 at 00:00):{calls * 1000}_ns:1({ranks}):1:{ranks}({tasks}),0\n")
        for step in range(calls):
            begin = step * 1000
            lines = []
            for rank in range(1, ranks + 1):
                place = f"{rank}:1:{rank}:1"
                other = rank % ranks + 1
                lines.append(f"1:{place}:{begin}:{begin + 600}:1\n2:{place}:{begin}:50000001:0\n")
                lines.append(
                    f"1:{place}:{begin + 600}:{begin + 1000}:16\n2:{place}:{begin + 600}:50000001:41\n"
                )
                there = f"{other}:1:{other}:1:{begin + 600}:{begin + 1000}"
                lines.append(f"3:{place}:{begin + 600}:{begin + 600}:{there}:{8 << step % 20}:1\n")
            file.write("".join(lines))
            records += 5 * ranks
    return records


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
    options = parser.parse_args()
    program = str(native_program("groma-trace-store"))
    with tempfile.TemporaryDirectory() as name:
        trace = Path(name, "trace.prv")
        records = write_trace(trace, options.ranks, options.calls)
        size = trace.stat().st_size / 1e6
        print(f"{records:,} records, {size:.0f} MB, {options.ranks} ranks")
        orders = {"stat": [program, "stat", str(trace)]}
        for what, words in orders.items():
            best = min(timed(words) for _ in range(options.runs))
            print(
                f"{what:8} {records / best.seconds / 1e6:6.2f} M records/s, {best.megabytes:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
