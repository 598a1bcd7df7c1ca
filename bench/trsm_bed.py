"""The triangular solve of the Servet paper (section 6.1, figure 6) on a test bed, in both orders of its grid.

    .venv/bin/python bench/trsm_bed.py [--shape 16] [--link 100mbit] [--rounds 5] [--mpi openmpi]

A network survey of the bed measures the ratios over distance. Then examples/trsm runs with the order that it
chooses by them, and alternately with both orders given. Communication is that of the process that waits
longest. The paper saves about half of it with the row-ordered grid. Programs are compiled against
build/default.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "build/default/native/profile"
SOURCES = sorted((ROOT / "examples/trsm").glob("*.c"))


def compiled(folder: Path, mpi: str) -> Path:
    program = folder / "trsm"
    options = ["-O3", f"-I{ROOT / 'include'}", f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}"]
    subprocess.run([f"mpicc.{mpi}", *options, *SOURCES, "-lgroma", "-lm", "-o", program], check=True)
    return program


def script(args: argparse.Namespace, folder: Path) -> str:
    """What runs on the first host of the bed."""
    groma = shlex.join([sys.executable, "-m", "groma"])
    profile = shlex.quote(str(folder / "profile.json"))
    solve = f"mpiexec -n {args.ranks} {folder / 'trsm'} {args.n} --rows {args.m} --per-node 1"
    lines = [
        f"{groma} survey --network -q --only distance --budget 14s -o {profile} >/dev/null",
        f"export GROMA_PROFILE={profile}",
        f"echo chosen $({solve})",
        *(f"echo {order} $({solve} --order {order})" for order in ("row", "column") * args.rounds),
    ]
    return "\n".join(lines)


def output_on_the_bed(args: argparse.Namespace, commands: str) -> str:
    groma = [sys.executable, "-m", "groma", "testbed", "run", "--mpi", args.mpi]
    bed = ["--shape", args.shape, "--link", args.link, "--", "bash", "-c", commands]
    done = subprocess.run(
        [*groma, *bed],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def seconds(line: str) -> float:
    found = re.search(r"communication (\S+) s", line)
    if found is None:
        raise SystemExit(f"no time in: {line}")
    return float(found[1])


def show(output: str) -> None:
    lines = [line for line in output.splitlines() if line.startswith(("chosen", "row", "column"))]
    times = {
        order: [seconds(line) for line in lines if line.startswith(order)] for order in ("row", "column")
    }
    chosen = next(line for line in lines if line.startswith("chosen"))
    costs = re.search(r"row-ordered (\S+), column-ordered (\S+)", chosen)
    print(chosen.split(" cost")[0])
    for order, found in times.items():
        spread = f"{min(found):.3f} to {max(found):.3f}"
        print(f"  {order:7} communication {statistics.median(found):7.3f} s ({spread})")
    gains = [column / row for row, column in zip(times["row"], times["column"], strict=True)]
    predicted = float(costs[2]) / float(costs[1]) if costs else 0.0
    print(f"  column over row {statistics.median(gains):.2f}, by the ratios of the profile {predicted:.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Both orders of the grid of examples/trsm on a test bed.")
    for option, default in (("shape", "16"), ("link", "100mbit"), ("mpi", "openmpi")):
        parser.add_argument(f"--{option}", default=default)
    for option, number in (("ranks", 16), ("n", 800), ("m", 3200), ("rounds", 5)):
        parser.add_argument(f"--{option}", type=int, default=number)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compiled(Path(folder), args.mpi)
        show(output_on_the_bed(args, script(args, Path(folder))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
