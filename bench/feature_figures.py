"""Repeat the probes of clock, caches and TLBs and print how often each fact was right.

    .venv/bin/python bench/feature_figures.py --probe .venv/bin/groma-probe --runs 10 --load

With --load another process keeps one core busy half of the time. The truth of this machine is given with
--line, --ways, --ways2, --tlb and --tlb2 (bytes, ways, entries of 4 KiB); sharing is compared with --private
(levels of which each core has its own).
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from survey_figures import half_busy_core

from groma.launch.native import declared_topology
from groma.run.events import collect_samples
from groma.survey.infer.associativity import associativity
from groma.survey.infer.cache_lines import line_size
from groma.survey.infer.registry import infer_node
from groma.survey.infer.sharing import sharing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record import ProbeSamples, Quantity, Topology

PROBES = ("clock", "cache_line", "cache_associativity", "tlb_reach", "cache_sharing")
PAGE = 4096


def measure(program: Path, probe: str, depth: str) -> ProbeSamples:
    started = time.monotonic()
    done = subprocess.run([program, "run", probe, f"depth={depth}"], capture_output=True, check=True)
    samples = collect_samples(probe, done.stdout.splitlines())
    samples.elapsed = time.monotonic() - started
    return samples


def exactly(found: Quantity | None, truth: float) -> str:
    if found is None:
        return "not determined"
    return "right" if found.value == truth else f"wrong ({found.value:g})"


def inside(found: Quantity | None, truth: float) -> str:
    if found is None:
        return "not determined"
    return "right" if found.low <= truth <= found.high else f"wrong ({found.low:g} to {found.high:g})"


def verdicts(
    samples: dict[str, ProbeSamples], topology: Topology, truth: argparse.Namespace
) -> Iterator[tuple[str, str]]:
    facts, _ = infer_node(samples, topology)
    reach = {one.level: one.reach for one in facts.tlb if one.page == PAGE}
    yield "line of level 1", exactly(line_size(samples["cache_line"], 1), truth.line)
    yield "line of level 2", exactly(line_size(samples["cache_line"], 2), truth.line)
    yield "ways of level 1", exactly(associativity(samples["cache_associativity"], 1), truth.ways)
    yield "ways of level 2", exactly(associativity(samples["cache_associativity"], 2), truth.ways2)
    yield "first TLB, value", exactly(reach.get(1), truth.tlb * PAGE)
    yield "second TLB, bracket", inside(reach.get(2), truth.tlb2 * PAGE)
    sizes = [float(size) for size in truth.sizes]
    alone = [[core] for core in topology.allowed]
    for level in range(1, len(sizes) + 1):
        groups = sharing(samples["cache_sharing"], sizes, level, topology).groups
        expected = alone if level in truth.private else [list(topology.allowed)]
        yield f"sharing of level {level}", _compared(groups, expected)


def _compared(groups: list[list[int]] | None, expected: list[list[int]]) -> str:
    if groups is None:
        return "not determined"
    return "right" if groups == expected else f"wrong ({groups})"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--probe", type=Path, default=Path("groma-probe"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--depth", default="standard")
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--line", type=int, default=64)
    parser.add_argument("--ways", type=int, default=8)
    parser.add_argument("--ways2", type=int, default=8)
    parser.add_argument("--tlb", type=int, default=72)
    parser.add_argument("--tlb2", type=int, default=3072)
    parser.add_argument("--private", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--sizes", type=int, nargs="+", default=[32 << 10, 1 << 20, 32 << 20])
    return parser.parse_args()


def main() -> None:
    given = arguments()
    topology = declared_topology(given.probe)
    counted: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    frequencies, seconds = [], defaultdict(list)
    with half_busy_core(given.load):
        for _ in range(given.runs):
            samples = {name: measure(given.probe, name, given.depth) for name in PROBES}
            for name, one in samples.items():
                seconds[name].append(one.elapsed)
            clock = infer_node(samples, topology)[0].clock
            frequencies += [clock.core_frequency.value] if clock else []
            for name, verdict in verdicts(samples, topology, given):
                counted[name][verdict] += 1
    if frequencies:
        low, high = min(frequencies) / 1e9, max(frequencies) / 1e9
        print(f"core frequency {median(frequencies) / 1e9:.3f} GHz ({low:.3f} to {high:.3f})")
    for name, answers in counted.items():
        print(f"{name:22}", ", ".join(f"{count} {answer}" for answer, count in sorted(answers.items())))
    print("median seconds:", ", ".join(f"{name} {median(values):.2f}" for name, values in seconds.items()))


if __name__ == "__main__":
    main()
