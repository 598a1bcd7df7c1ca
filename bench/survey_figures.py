"""Repeat the node survey and print how steady its figures are.

    .venv/bin/python bench/survey_figures.py --runs 20 --load

With --quota 0.5 the surveys run in a control group that grants half a processor (version 1 or 2; needs root).
With --load another process keeps one core busy half of the time (5 ms on, 5 ms off), as a neighbour would.
The truth of this machine is given with --l1 and --l2 (KiB); what the system declares is not looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HALF_BUSY = """
import time
while True:
    end = time.perf_counter() + 0.005
    while time.perf_counter() < end: pass
    time.sleep(0.005)
"""


@contextmanager
def half_busy_core(wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    load = subprocess.Popen([sys.executable, "-c", HALF_BUSY])
    try:
        yield
    finally:
        load.kill()
        load.wait()


PERIOD = 100_000
"""Of a CPU quota, in microseconds: the kernel's default."""


@contextmanager
def limited_group(quota: float | None) -> Iterator[Path | None]:
    """A control group that grants `quota` processors; None without one."""
    if quota is None:
        yield None
        return
    limit = str(round(quota * PERIOD))
    kinds = (
        ("/sys/fs/cgroup", {"cpu.max": f"{limit} {PERIOD}"}),
        ("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": str(PERIOD), "cpu.cfs_quota_us": limit}),
    )
    parent, files = next(kind for kind in kinds if Path(kind[0], "cgroup.procs").exists())
    group = Path(parent, f"groma-bench-{os.getpid()}")
    group.mkdir()
    try:
        for name, content in files.items():
            (group / name).write_text(content)
        yield group
    finally:
        group.rmdir()


def entering(group: Path | None) -> list[str]:
    return ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"] if group else []


def survey(arguments: argparse.Namespace, folder: str, number: int) -> dict[str, Any]:
    profile = Path(folder) / f"profile-{number:02}.json"
    groma = Path(sys.executable).parent / "groma"
    chosen = ["--only", arguments.only] if arguments.only else []
    started = time.monotonic()
    subprocess.run(
        [
            *entering(arguments.group),
            groma,
            "survey",
            "--depth",
            arguments.depth,
            "-o",
            profile,
            "--quiet",
            *chosen,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    facts: dict[str, Any] = json.loads(profile.read_text())["facts"]["node"]
    facts["elapsed"] = time.monotonic() - started
    return facts


def cache(facts: dict[str, Any], level: int) -> dict[str, Any] | None:
    return next((one for one in facts["caches"] if one["level"] == level), None)


def holds(one: dict[str, Any] | None, kib: int) -> bool:
    return one is not None and one["size"]["low"] <= kib * 1024 <= one["size"]["high"]


def bracket(one: dict[str, Any] | None) -> str:
    if one is None:
        return "none"
    return "{:.0f} [{:.0f}, {:.0f}]".format(*(one["size"][key] / 1024 for key in ("value", "low", "high")))


def spread(values: list[float]) -> str:
    middle = median(values)
    worst = max(abs(value / middle - 1) for value in values)
    return f"median {middle * 1e9:.3f} ns, all within {worst:.1%} of it"


def sharing(one: dict[str, Any] | None) -> str:
    """Of a level that every core has for itself on this machine."""
    groups = one["shared_by"] if one else None
    if groups is None:
        return "not determined"
    return "private" if all(len(group) == 1 for group in groups) else "SHARED"


def core_to_core(facts: dict[str, Any]) -> float | None:
    matrix = facts.get("core_to_core")
    return matrix["layers"][0]["latency"]["value"] if matrix and matrix["layers"] else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--depth", default="standard")
    parser.add_argument("--only", default="", help="probes, separated by commas")
    parser.add_argument("--keep", help="folder that keeps the profiles")
    parser.add_argument("--quota", type=float, help="processors that a control group grants")
    parser.add_argument("--load", action="store_true", help="keep one core busy half of the time")
    parser.add_argument("--l1", type=int, default=32, help="true L1d in KiB")
    parser.add_argument("--l2", type=int, default=1024, help="true L2 in KiB")
    arguments = parser.parse_args()
    runs = []
    if arguments.keep:
        Path(arguments.keep).mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        half_busy_core(arguments.load),
        limited_group(arguments.quota) as arguments.group,
    ):
        for number in range(arguments.runs):
            facts = survey(arguments, arguments.keep or folder, number + 1)
            runs.append(facts)
            print(
                f"run {number + 1:2}: {facts['elapsed']:5.1f} s  L1 {bracket(cache(facts, 1))} KiB"
                f"  L2 {bracket(cache(facts, 2))} KiB  levels {len(facts['caches'])}"
                f"  sharing {sharing(cache(facts, 1))}, {sharing(cache(facts, 2))}"
                f"  core to core {(core_to_core(facts) or float('nan')) * 1e9:.1f} ns",
                flush=True,
            )
    report(arguments, runs)


def report(arguments: argparse.Namespace, runs: list[dict[str, Any]]) -> None:
    l1 = [cache(facts, 1) for facts in runs]
    exact = sum(one is not None and one["size"]["value"] == arguments.l1 * 1024 for one in l1)
    print(f"L1d = {arguments.l1} KiB in {exact} of {len(runs)} runs")
    held = sum(holds(cache(facts, 2), arguments.l2) for facts in runs)
    print(f"L2 bracket holds {arguments.l2} KiB in {held} of {len(runs)} runs")
    for level in (1, 2):
        verdicts = Counter(sharing(cache(facts, level)) for facts in runs)
        print(f"L{level}: " + ", ".join(f"{verdict} in {count}" for verdict, count in verdicts.items()))
    latencies = [one["latency"]["value"] for one in l1 if one]
    if latencies:
        print(f"L1 latency: {spread(latencies)}")
    handovers = [value for value in map(core_to_core, runs) if value is not None]
    if handovers:
        print(f"core to core: {spread(handovers)}")
    print(f"survey: {max(facts['elapsed'] for facts in runs):.1f} s at most")


if __name__ == "__main__":
    main()
