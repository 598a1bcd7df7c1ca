"""Triad bandwidth of groma beside likwid-bench and a plain STREAM, on equally large arrays in one run.

    .venv/bin/python bench/triad.py --rounds 7 --probe .venv/bin/groma-probe

Every round runs all candidates once, in random order, for each number of threads; what disturbs the machine
so meets all of them. A figure of a round is the median of the candidate's passes over its whole arrays; of
likwid-bench, which tells no single passes, the mean of as many. Ratios are taken within a round. On a busy
machine groma gains by leaving out passes in which a thread lost its core; the best figures are free of that,
and so is a run under `chrt -r 10` (as root), which all candidates inherit.
STREAM is compiled here with -O3 -march=native, with and without OpenMP; with huge pages it is no longer
plain and only shows what of the difference is due to them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIKWID_KERNELS = (
    "stream",
    "stream_avx",
    "stream_avx512",
    "stream_mem",
    "stream_mem_avx",
    "stream_mem_avx_fma",
    "stream_mem_avx512",
)


@dataclass(frozen=True)
class Candidate:
    """`run` gives bytes per second, one number a pass, or one for all passes."""

    name: str
    run: Callable[[], list[float]]


def output_of(command: Sequence[str | Path], **environment: str) -> str:
    done = subprocess.run(command, env=os.environ | environment, check=False, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def likwid(kernel: str, size: int, threads: int, passes: int) -> list[float]:
    """Each thread places its own part (-W)."""
    work = f"N:{size // 1000}kB:{threads}"
    found = re.search(
        r"^MByte/s:\s+([\d.]+)",
        output_of(["likwid-bench", "-t", kernel, "-W", work, "-s", "0", "-i", str(passes)]),
        re.MULTILINE,
    )
    return [1e6 * float(found[1])] if found else []


def stream(program: Path, size: int, threads: int, passes: int, *, huge: bool) -> list[float]:
    text = output_of(
        [program, str(size), str(passes + 1), str(int(huge))],
        OMP_NUM_THREADS=str(threads),
        OMP_PROC_BIND="true",
    )
    return [float(line) for line in text.splitlines()][1:]  # STREAM leaves its first pass out, too


def groma(probe: Path, kernel: str, size: int, threads: int, slice_bytes: int) -> list[float]:
    """On the first cores only: a ring lies on every core that the probe may use."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    measure: list[str | Path] = [probe, "run", "memory_bandwidth", f"kernels={kernel}", f"threads={threads}"]
    amount = [f"memory={size}", f"slice={slice_bytes}", "budget=1", "rounds=4"]
    lines = output_of(["taskset", "-c", ",".join(map(str, cores)), *measure, *amount]).splitlines()
    events = [json.loads(line) for line in lines]
    return [event["value"] for event in events if event["event"] == "sample"]


def compiled(folder: Path, name: str, *flags: str) -> Path:
    program = folder / name
    source = Path(__file__).with_name("stream_triad.c")
    subprocess.run(
        ["gcc", "-O3", "-march=native", *flags, "-Wno-unknown-pragmas", "-o", program, source], check=True
    )
    return program


def groma_contenders(probe: Path, size: int, threads: int) -> list[Candidate]:
    """Passes over the whole arrays as the peers make them, and the short ones of the survey."""
    whole = size // threads
    return [
        Candidate("groma triad", partial(groma, probe, "triad", size, threads, whole)),
        Candidate("groma triad_nt", partial(groma, probe, "triad_nt", size, threads, whole)),
        Candidate("groma triad_nt, 8 MiB slices", partial(groma, probe, "triad_nt", size, threads, 8 << 20)),
    ]


def stream_contenders(folder: Path, size: int, threads: int, passes: int) -> list[Candidate]:
    names = ["stream_openmp"] if threads > 1 else ["stream", "stream_openmp"]
    return [
        Candidate(
            name + ", huge pages" * huge, partial(stream, folder / name, size, threads, passes, huge=huge)
        )
        for name in names
        for huge in (False, True)
    ]


def likwid_contenders(size: int, threads: int, passes: int) -> list[Candidate]:
    if not shutil.which("likwid-bench"):
        return []
    return [
        Candidate(f"likwid {kernel}", partial(likwid, kernel, size, threads, passes))
        for kernel in LIKWID_KERNELS
    ]


def candidates(arguments: argparse.Namespace, folder: Path, threads: int) -> list[Candidate]:
    size, passes = arguments.size, arguments.passes
    return [
        *groma_contenders(arguments.probe, size, threads),
        *stream_contenders(folder, size, threads, passes),
        *likwid_contenders(size, threads, passes),
    ]


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Median and quartiles."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high


def is_peer(name: str) -> bool:
    return not name.startswith("groma") and "huge" not in name


def report(threads: int, rounds: dict[str, list[list[float]]]) -> None:
    measured = {name: runs for name, runs in rounds.items() if all(runs)}
    typical = {name: [statistics.median(run) for run in runs] for name, runs in measured.items()}
    best = {name: max(max(run) for run in runs) for name, runs in measured.items()}
    ranked = sorted(typical, key=lambda name: -statistics.median(typical[name]))
    print(f"\n{threads} thread{'s' * (threads > 1)}: GB/s, median of the rounds [quartiles], best pass")
    for name in ranked:
        middle, low, high = (value / 1e9 for value in spread(typical[name]))
        print(f"  {name:32} {middle:6.1f} [{low:6.1f}, {high:6.1f}]  {best[name] / 1e9:6.1f}")
    ours = next(name for name in ranked if name in {"groma triad", "groma triad_nt"})
    for family in ("likwid", "stream"):
        peers = [name for name in ranked if name.startswith(family) and is_peer(name)]
        if not peers:
            print(f"  {family}: not available here")
            continue
        ratio = spread([a / b for a, b in zip(typical[ours], typical[peers[0]], strict=True)])
        ratio_of_best = best[ours] / max(best[name] for name in peers)
        print(f"  {ours} / {peers[0]}: {ratio[0]:.2f} [{ratio[1]:.2f}, {ratio[2]:.2f}] within a round")
        print(f"  best pass of {ours} / best figure of any {family}: {ratio_of_best:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--probe", type=Path, default=Path(sys.executable).parent / "groma-probe")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--passes", type=int, default=10, help="over the whole arrays, in each round")
    parser.add_argument("--size", type=int, default=384_000_000, help="bytes of all three arrays")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    rng = random.Random(arguments.seed)  # noqa: S311 - an order, no secret
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiled(folder, "stream")
        compiled(folder, "stream_openmp", "-fopenmp")
        for threads in sorted({1, cores}):
            everyone = candidates(arguments, folder, threads)
            rounds: dict[str, list[list[float]]] = defaultdict(list)
            for _ in range(arguments.rounds):
                rng.shuffle(everyone)
                for one in everyone:
                    rounds[one.name].append(one.run())
            report(threads, rounds)


if __name__ == "__main__":
    main()
