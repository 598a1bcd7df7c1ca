"""RandomAccess on several hosts: groma's algorithms beside Debian's hpcc on the same beds: ratios.

    .venv/bin/python bench/randomaccess_bed.py --rounds 5  # or: make bench-randomaccess_bed ARGS="--rounds 5"

A bed is made of namespaces on this machine (docs/testbed.md). Every round starts one bed of each shape and
runs on it, in random order:
- with one rank on each host: groma along a grid, groma direct to every owner (from four peers on in pools),
  and the default algorithm of hpcc 1.5.0
- with several: groma's specialised ranks in mapping modes 5 (each rank has the whole look-ahead), 6 and 8
  (the ranks of a host share it by need)
`--only` takes some of them. Ratios are taken within a round. All hosts share the cores of this machine, so
rates are of messages rather than of memory; that is what routing is for.
hpcc has no option for one of its tests; it is ended as soon as this one, its first, is over. Its input is
such that HPL's matrix, after which it sizes its tables, just holds the table.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from hpcc import INPUT, VARIABLES, openblas_folder, shown, spread, wait_until_quiet
from randomaccess import matrix_for

from groma.host.host import Host
from groma.testbed.bed import Bed
from groma.testbed.launchers import launch_environment
from groma.testbed.plan import Plan, parse_shape
from groma.testbed.rates import parse_rate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WANTED = 3.0
"""Of route over the default algorithm of hpcc."""

MOST_SECONDS = 120.0
WORD = 8


@dataclass(frozen=True)
class Figure:
    """`messages` and `bytes` are for each update; 0 where nobody counts them."""

    gups: float
    errors: int
    messages: float = 0.0
    bytes: float = 0.0
    grid: tuple[int, ...] = ()

    @property
    def updates_of_message(self) -> float:
        return self.bytes / WORD / self.messages


@dataclass(frozen=True)
class BedContext:
    """A bed with its launcher; `args` are the arguments of this program."""

    bed: Bed
    variables: Mapping[str, str]
    args: argparse.Namespace

    def launch(self, per_host: int = 1) -> list[str]:
        """Ranks are numbered host by host."""
        ranks = per_host * len(self.bed.plan.hosts)
        return ["mpirun", "-n", str(ranks), "--map-by", f"ppr:{per_host}:node:OVERSUBSCRIBE"]


def groma(context: BedContext, *options: str, per_host: int = 1) -> Figure:
    """One whole run, verified."""
    args = context.args
    sizes = [f"--table={args.words}", f"--updates={args.updates}", "--repeat=1", "--budget=0", "--events=-"]
    words = [*context.launch(per_host), str(args.groma), "run", *sizes, *options]
    done = context.bed.run(words, variables=context.variables, timeout=MOST_SECONDS)
    if done.returncode not in {0, 3}:
        sys.exit(f"{' '.join(words)} failed (exit code {done.returncode}): {done.stderr[-500:]}")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    planned = next(line["plan"] for line in lines if line["event"] == "run")
    reported = next(line["facts"] for line in lines if line["event"] == "outcome")
    exchange = reported["exchange"]
    return Figure(
        1e-9 * reported["updates"] / reported["seconds"],
        reported["errors"],
        exchange["messages_per_update"],
        exchange["bytes_per_update"],
        tuple(planned["grid"]),
    )


def route(context: BedContext) -> Figure:
    grid = [f"--grid={context.args.grid}"] if context.args.grid else []
    return groma(context, "--algorithm=route", *grid)


def direct(context: BedContext) -> Figure:
    return groma(context, "--algorithm=direct")


def specialised(mode: int, context: BedContext) -> Figure:
    options = ("--algorithm=specialise", f"--mapping-mode={mode}")
    return groma(context, *options, per_host=context.args.per_host)


def hpcc(context: BedContext) -> Figure:
    """Its first test: ended as soon as the section of that is complete."""
    rows = context.args.rows
    count = len(context.bed.plan.hosts)
    with tempfile.TemporaryDirectory(prefix="bench-hpcc-") as name:
        folder = Path(name)
        sizes = {"n": matrix_for(context.args.words), "nb": 64, "p": rows, "q": count // rows}
        (folder / "hpccinf.txt").write_text(INPUT.format(**sizes))
        child = context.bed.popen(
            ["env", "-C", name, *context.launch(), context.args.hpcc],
            variables=context.variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return _figure_in(_first_section(folder / "hpccoutf.txt"))
        finally:
            os.killpg(child.pid, signal.SIGTERM)
            child.wait()


_SECTION = re.compile(
    r"Begin of MPIRandomAccess section\.(?P<text>.*?)End of MPIRandomAccess section\.", re.DOTALL
)


def _first_section(path: Path) -> str:
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        time.sleep(0.1)
        found = _SECTION.search(path.read_text()) if path.exists() else None
        if found:
            return found["text"]
    sys.exit(f"hpcc did not finish its RandomAccess within {MOST_SECONDS:.0f} s")


def _figure_in(section: str) -> Figure:
    rate = re.search(r"([\d.]+) Billion\(10\^9\) Updates\s+per second \[GUP/s\]", section)
    errors = re.search(r"Found (\d+) errors", section)
    assert rate is not None
    assert errors is not None
    return Figure(float(rate[1]), int(errors[1]))


CANDIDATES: dict[str, Callable[[BedContext], Figure]] = {
    "route": route,
    "direct": direct,
    "hpcc": hpcc,
    **{f"mode{mode}": partial(specialised, mode) for mode in (5, 6, 8)},
}
COMPARED = (("route", "hpcc"), ("route", "direct"), ("mode6", "mode5"), ("mode8", "mode5"))


def one_round(shape: str, args: argparse.Namespace, rng: random.Random) -> dict[str, Figure]:
    """Each candidate once on one bed."""
    if args.idle:
        wait_until_quiet(0.2, args.idle)
    plan = Plan(parse_shape(shape), link=parse_rate(args.link))
    found = {}
    with Bed(plan) as bed:
        environment = launch_environment("openmpi", Host(), bed)
        bed.execute(environment.script)
        context = BedContext(bed, {**VARIABLES, **environment.variables, **peer_variables(args)}, args)
        for name in rng.sample(args.only, len(args.only)):
            found[name] = CANDIDATES[name](context)
            print(f"{shape}: {name} {found[name].gups:.4g} GUP/s", file=sys.stderr)
    return found


def peer_variables(args: argparse.Namespace) -> dict[str, str]:
    return {"LD_LIBRARY_PATH": args.blas} if args.blas else {}


def ratios(rounds: Sequence[dict[str, Figure]], own: str, other: str) -> list[float]:
    return [one[own].gups / one[other].gups for one in rounds]


def line_of(name: str, figures: Sequence[Figure]) -> str:
    wrong = sum(one.errors for one in figures)
    line = f"  {name:8} {shown([one.gups for one in figures])} GUP/s, {wrong} wrong words"
    line += f", grid {'x'.join(map(str, figures[0].grid))}" if figures[0].grid else ""
    if not figures[0].messages:
        return line
    counts = [(one.messages, one.bytes, one.updates_of_message) for one in figures]
    messages, size, updates = (spread(values)[0] for values in zip(*counts, strict=True))
    return f"{line}  {messages:.4f} messages, {size:.2f} bytes an update, {updates:.0f} updates a message"


def report(shape: str, rounds: Sequence[dict[str, Figure]]) -> None:
    print(f"bed {shape}")
    for name in CANDIDATES:
        if name in rounds[0]:
            print(line_of(name, [one[name] for one in rounds]))
    for own, other in COMPARED:
        if own in rounds[0] and other in rounds[0]:
            middle, low, high = spread(ratios(rounds, own, other))
            print(f"  {own:5} / {other:6} {middle:6.2f} [{low:5.2f}, {high:5.2f}]", flush=True)


def verdict_on_hpcc(found: Mapping[str, Sequence[dict[str, Figure]]]) -> None:
    for shape, rounds in found.items():
        ratio = spread(ratios(rounds, "route", "hpcc"))[0]
        reported = "reached" if ratio >= WANTED else "MISSED"
        print(f"route over hpcc on {shape}: {ratio:.2f}, wanted {WANTED:g}: {reported}")


def verdict_on_direct(found: Mapping[str, Sequence[dict[str, Figure]]]) -> None:
    """The gain is to grow with the bed."""
    gains = [spread(ratios(rounds, "route", "direct"))[0] for rounds in found.values()]
    grows = all(small < large for small, large in pairwise(gains))
    reported = "reached" if grows else "MISSED"
    print(f"gain over direct grows: {', '.join(f'{gain:.2f}' for gain in gains)}: {reported}")


def arguments_given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(sys.executable).parent.parent / "lib/groma/openmpi/bin/groma-randomaccess"
    parser.add_argument("--groma", type=Path, default=beside)
    parser.add_argument("--hpcc", default=shutil.which("hpcc"))
    parser.add_argument("--blas", default=openblas_folder(), help="folder of the BLAS that hpcc is to load")
    parser.add_argument("--shapes", nargs="+", default=["4x2", "4x4"], help="of beds, the smaller one first")
    parser.add_argument("--link", default="400mbit", help="rate of every cable between hosts")
    parser.add_argument("--grid", help="that route goes along; otherwise as it chooses itself")
    parser.add_argument("--rows", type=int, default=2, help="of hpcc's grid of processes")
    parser.add_argument("--only", nargs="+", choices=list(CANDIDATES), default=list(CANDIDATES))
    parser.add_argument("--per-host", type=int, default=4, help="ranks of a host where they are specialised")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--words", type=int, default=1 << 18, help="of the table, a power of two")
    parser.add_argument("--updates", default="4x", help="of a run of groma, as it takes them")
    parser.add_argument("--idle", type=float, default=0.0, help="wait so many seconds for a quiet machine")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    args = arguments_given()
    if "hpcc" in args.only and args.hpcc is None:
        sys.exit("hpcc is needed: apt-get install hpcc")
    rng = random.Random(args.seed)  # noqa: S311 - an order, no secret
    found: dict[str, list[dict[str, Figure]]] = defaultdict(list)
    for _ in range(args.rounds):
        for shape in args.shapes:
            found[shape].append(one_round(shape, args, rng))
    for shape, rounds in found.items():
        report(shape, rounds)
    if {"route", "hpcc"} <= set(args.only):
        verdict_on_hpcc(found)
    if {"route", "direct"} <= set(args.only):
        verdict_on_direct(found)


if __name__ == "__main__":
    main()
