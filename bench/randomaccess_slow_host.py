"""RandomAccess on hosts of which one has a slow link: what it costs beside what the link explains.

    .venv/bin/python bench/randomaccess_slow_host.py --rounds 5   # or: make bench-randomaccess_slow_host

A bed is made of namespaces on this machine (docs/testbed.md), with one rank on each host. Every round starts
one bed for each MPI. On it each algorithm runs twice, with all links equal, and with that of one host slow.

    cost = (time with the slow link - time with equal links) / explained
    explained = 8 * bytes / rate
    bytes = 1514 / 1448 * (bytes of updates + messages * 64) / hosts

`bytes` cross the link of a host in each direction: every host sends and gets as much as any other, TCP puts
1448 bytes into a frame of 1514, and an MPI puts at most 64 bytes in front of a message. Both directions of
the link have the whole rate. Two ranks send in turns, so that one direction could wait for the other and the
cost be 2; a rank has several links, though, and while one of them sends another one receives.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcc import VARIABLES, spread, wait_until_quiet

from groma.host.host import Host
from groma.testbed.bed import Bed
from groma.testbed.launchers import launch_environment
from groma.testbed.plan import Plan, parse_shape
from groma.testbed.rates import parse_rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_COST = 1.25
"""The slow link alone explains 1; the rest is for its latency, and for what disturbs the machine."""

MOST_SECONDS = 180.0
SLOW = "h1"
OF_A_FRAME = 1514 / 1448
ENVELOPE = 64
ALGORITHMS = ("direct", "hypercube", "route")


@dataclass(frozen=True)
class Run:
    seconds: float
    messages: float
    empty: float
    payload: float
    errors: int

    def bytes_of_host(self, hosts: int) -> float:
        """In each direction."""
        return OF_A_FRAME * (self.payload + self.messages * ENVELOPE) / hosts


@dataclass(frozen=True)
class Pair:
    equal: Run
    slow: Run

    def explained(self, args: argparse.Namespace, hosts: int) -> float:
        return 8 * self.slow.bytes_of_host(hosts) / parse_rate(args.slow)

    def cost(self, args: argparse.Namespace, hosts: int) -> float:
        return (self.slow.seconds - self.equal.seconds) / self.explained(args, hosts)


def measured(bed: Bed, variables: Mapping[str, str], program: Path, algorithm: str, words: int) -> Run:
    """One whole run, verified; it is ended after its outcome, because MPI_Finalize may not come to an end."""
    sizes = [f"--table={words}", "--updates=4x", "--repeat=1", "--budget=0", "--events=-"]
    launch = ["mpirun", "-n", str(len(bed.plan.hosts)), str(program), "run"]
    child = bed.popen(
        [*launch, f"--algorithm={algorithm}", *sizes],
        variables=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    watchdog = threading.Timer(MOST_SECONDS, os.killpg, (child.pid, signal.SIGKILL))
    watchdog.start()
    try:
        reported = outcome_in(child.stdout)
    finally:
        watchdog.cancel()
        ended(child)
    if reported is None:
        sys.exit(f"{program} {algorithm} reported no result within {MOST_SECONDS:.0f} s")
    updates, exchange = reported["updates"], reported["exchange"]
    return Run(
        seconds=reported["seconds"],
        messages=updates * exchange["messages_per_update"],
        empty=updates * exchange["empty_per_update"],
        payload=updates * exchange["bytes_per_update"],
        errors=reported["errors"],
    )


def outcome_in(lines: Iterable[str]) -> dict[str, Any] | None:
    events = (json.loads(line) for line in lines if line.startswith("{"))
    return next((event["facts"] for event in events if event["event"] == "outcome"), None)


def ended(child: subprocess.Popen[str]) -> None:
    """Give it a moment to end by itself."""
    for number, timeout in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 1.0)):
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout)
        if child.returncode is None:
            os.killpg(child.pid, number)
    child.wait()


def one_round(mpi: str, args: argparse.Namespace, rng: random.Random) -> dict[str, Pair]:
    if args.idle:
        wait_until_quiet(0.2, args.idle)
    program = args.programs / mpi / "bin/groma-randomaccess"
    found = {}
    with Bed(Plan(parse_shape(args.shape), link=parse_rate(args.link))) as bed:
        environment = launch_environment(mpi, Host(), bed)
        bed.execute(environment.script)
        variables = {**VARIABLES, **environment.variables}
        for algorithm in rng.sample(ALGORITHMS, len(ALGORITHMS)):
            equal = measured(bed, variables, program, algorithm, args.words)
            bed.slow(SLOW, parse_rate(args.slow))
            slow = measured(bed, variables, program, algorithm, args.words)
            bed.restore(SLOW)
            found[algorithm] = Pair(equal, slow)
            print(f"{mpi}, {algorithm}: {equal.seconds:.3g} s, {slow.seconds:.3g} s", file=sys.stderr)
    return found


def report(mpi: str, algorithm: str, pairs: Sequence[Pair], args: argparse.Namespace, hosts: int) -> None:
    middle, low, high = spread([one.cost(args, hosts) for one in pairs])
    explained = spread([one.explained(args, hosts) for one in pairs])[0]
    equal = spread([one.equal.seconds for one in pairs])[0]
    slow = spread([one.slow.seconds for one in pairs])[0]
    storm = spread([one.slow.messages / one.equal.messages for one in pairs])[0]
    empty = spread([one.slow.empty / one.slow.messages for one in pairs])[0]
    wrong = sum(one.equal.errors + one.slow.errors for one in pairs)
    verdict = "reached" if middle <= MOST_COST else "MISSED"
    print(f"{mpi}, {algorithm}")
    print(f"  {equal:.3g} s with equal links, {slow:.3g} s with a slow one, which explains {explained:.3g} s")
    print(f"  {storm:.2f} times the messages, {empty:.2f} of them empty; {wrong} wrong words")
    print(f"  cost {middle:.2f} [{low:.2f}, {high:.2f}], wanted {MOST_COST:g} at most: {verdict}", flush=True)


def arguments_given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(sys.executable).parent.parent / "lib/groma"
    parser.add_argument("--programs", type=Path, default=beside, help="folder with one of each MPI")
    parser.add_argument("--mpis", nargs="+", default=["openmpi", "mpich"])
    parser.add_argument("--shape", default="4", help="of the bed")
    parser.add_argument("--link", default="400mbit", help="rate of every other cable")
    parser.add_argument("--slow", default="5mbit", help="rate of the slow one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--words", type=int, default=1 << 16, help="of the table, a power of two")
    parser.add_argument("--idle", type=float, default=0.0, help="wait so many seconds for a quiet machine")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    args = arguments_given()
    args.mpis = [mpi for mpi in args.mpis if shutil.which(f"mpirun.{mpi}")]
    rng = random.Random(args.seed)  # noqa: S311 - an order, no secret
    found: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for _ in range(args.rounds):
        for mpi in args.mpis:
            for algorithm, pair in one_round(mpi, args, rng).items():
                found[mpi, algorithm].append(pair)
    hosts = Plan(parse_shape(args.shape)).hosts
    for (mpi, algorithm), pairs in sorted(found.items()):
        report(mpi, algorithm, pairs, args, len(hosts))


if __name__ == "__main__":
    main()
