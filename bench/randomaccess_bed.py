"""RandomAccess on several hosts: groma's route and direct beside Debian's hpcc on the same beds: ratios.

    .venv/bin/python bench/randomaccess_bed.py --rounds 5  # or: make bench-randomaccess_bed ARGS="--rounds 5"

A bed is made of namespaces on this machine (docs/testbed.md), with one rank on each host. Every round starts
one bed of each shape and runs on it, in random order: groma along a grid, groma direct to every owner, and
the default algorithm of hpcc 1.5.0. Ratios are taken within a round. All hosts share the cores of this
machine, so rates are of messages rather than of memory; that is what routing is for.
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
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from hpcc import INPUT, VARIABLES, openblas_folder, shown, spread, wait_until_quiet
from randomaccess import matrix_for

from groma.host.host import Host
from groma.testbed.bed import Bed
from groma.testbed.launchers import launching_by
from groma.testbed.plan import Plan, parse_shape
from groma.testbed.rates import parse_rate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WANTED = 3.0
"""Of route over the default algorithm of hpcc."""

MOST_SECONDS = 120.0


@dataclass(frozen=True)
class Figure:
    """`messages` and `bytes` are for each update; 0 where nobody counts them."""

    gups: float
    errors: int
    messages: float = 0.0
    bytes: float = 0.0


@dataclass(frozen=True)
class Site:
    """A bed with its launcher; `given` are the arguments of this program."""

    bed: Bed
    variables: Mapping[str, str]
    given: argparse.Namespace

    @property
    def launch(self) -> list[str]:
        return ["mpirun", "-n", str(len(self.bed.plan.hosts))]


def groma(site: Site, *options: str) -> Figure:
    """One whole run, verified."""
    given = site.given
    sizes = [f"--table={given.words}", f"--updates={given.updates}", "--repeat=1", "--budget=0", "--events=-"]
    words = [*site.launch, str(given.groma), "run", *sizes, *options]
    done = site.bed.run(words, variables=site.variables, timeout=MOST_SECONDS)
    if done.returncode not in {0, 3}:
        sys.exit(f"{' '.join(words)} failed (exit code {done.returncode}): {done.stderr[-500:]}")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    reported = next(line["facts"] for line in lines if line["event"] == "outcome")
    exchange = reported["exchange"]
    return Figure(
        1e-9 * reported["updates"] / reported["seconds"],
        reported["errors"],
        exchange["messages_per_update"],
        exchange["bytes_per_update"],
    )


def route(site: Site) -> Figure:
    grid = [f"--grid={site.given.grid}"] if site.given.grid else []
    return groma(site, "--algorithm=route", *grid)


def direct(site: Site) -> Figure:
    return groma(site, "--algorithm=direct")


def hpcc(site: Site) -> Figure:
    """Its first test: ended as soon as the section of that is complete."""
    rows = site.given.rows
    count = len(site.bed.plan.hosts)
    with tempfile.TemporaryDirectory(prefix="bench-hpcc-") as name:
        folder = Path(name)
        sizes = {"n": matrix_for(site.given.words), "nb": 64, "p": rows, "q": count // rows}
        (folder / "hpccinf.txt").write_text(INPUT.format(**sizes))
        child = site.bed.popen(
            ["env", "-C", name, *site.launch, site.given.hpcc],
            variables=site.variables,
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


CONTENDERS: dict[str, Callable[[Site], Figure]] = {"route": route, "direct": direct, "hpcc": hpcc}


def one_round(shape: str, given: argparse.Namespace, chance: random.Random) -> dict[str, Figure]:
    """Each contender once on one bed."""
    if given.idle:
        wait_until_quiet(0.2, given.idle)
    plan = Plan(parse_shape(shape), link=parse_rate(given.link))
    found = {}
    with Bed(plan) as bed:
        launching = launching_by("openmpi", Host(), bed)
        bed.execute(launching.script)
        site = Site(bed, {**VARIABLES, **launching.variables, **peer_variables(given)}, given)
        for name in chance.sample(list(CONTENDERS), len(CONTENDERS)):
            found[name] = CONTENDERS[name](site)
            print(f"{shape}: {name} {found[name].gups:.4g} GUP/s", file=sys.stderr)
    return found


def peer_variables(given: argparse.Namespace) -> dict[str, str]:
    return {"LD_LIBRARY_PATH": given.blas} if given.blas else {}


def ratios(rounds: Sequence[dict[str, Figure]], other: str) -> list[float]:
    return [one["route"].gups / one[other].gups for one in rounds]


def report(shape: str, rounds: Sequence[dict[str, Figure]]) -> None:
    print(f"bed {shape}")
    for name in CONTENDERS:
        figures = [one[name] for one in rounds]
        counted = (
            f"  {spread([one.messages for one in figures])[0]:.4f} messages, "
            f"{spread([one.bytes for one in figures])[0]:.2f} bytes an update"
            if figures[0].messages
            else ""
        )
        wrong = sum(one.errors for one in figures)
        print(f"  {name:8} {shown([one.gups for one in figures])} GUP/s, {wrong} wrong words{counted}")
    for other in ("hpcc", "direct"):
        middle, low, high = spread(ratios(rounds, other))
        print(f"  route / {other:6} {middle:6.2f} [{low:5.2f}, {high:5.2f}]", flush=True)


def verdict(found: Mapping[str, Sequence[dict[str, Figure]]]) -> None:
    """Whether what is wanted was reached: over hpcc on every bed, and a gain that grows with the bed."""
    over_peer = {shape: spread(ratios(rounds, "hpcc"))[0] for shape, rounds in found.items()}
    gains = [spread(ratios(rounds, "direct"))[0] for rounds in found.values()]
    for shape, ratio in over_peer.items():
        reported = "reached" if ratio >= WANTED else "MISSED"
        print(f"route over hpcc on {shape}: {ratio:.2f}, wanted {WANTED:g}: {reported}")
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
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--words", type=int, default=1 << 18, help="of the table, a power of two")
    parser.add_argument("--updates", default="4x", help="of a run of groma, as it takes them")
    parser.add_argument("--idle", type=float, default=0.0, help="wait so many seconds for a quiet machine")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    given = arguments_given()
    if given.hpcc is None:
        sys.exit("hpcc is needed: apt-get install hpcc")
    chance = random.Random(given.seed)  # noqa: S311 - an order, no secret
    found: dict[str, list[dict[str, Figure]]] = defaultdict(list)
    for _ in range(given.rounds):
        for shape in given.shapes:
            found[shape].append(one_round(shape, given, chance))
    for shape, rounds in found.items():
        report(shape, rounds)
    verdict(found)


if __name__ == "__main__":
    main()
