"""Surveys of NUMA machines that are not there, from the plan to the page, with recorded costs.

The NUMA probes run as they are, on the memory of native/testing/recorded_memory.hpp. What the others measure,
which need the cores themselves, is simulated here: cores at 2.27 GHz with the caches of the paper's machine.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groma.facts.reading import read_record
from groma.launch import native
from groma.record import Build, ProbeSamples, Record
from groma.report.blocks import Choice, Figure
from groma.report.payload import encode, page_of
from groma.report.views.registry import Named, sections_of
from groma.run.interruption import Interruption
from groma.run.probe import measured_with
from groma.run.provenance import Provenance
from groma.survey.infer.test_associativity import Machine as SetMachine
from groma.survey.infer.test_cache_lines import Machine as LineMachine
from groma.survey.infer.test_clock import clock_samples
from groma.survey.infer.test_contention import beside
from groma.survey.infer.test_memory import loaded, noisy, streams
from groma.survey.infer.test_sharing import Machine as SharingMachine
from groma.survey.infer.test_sharing import private, spread
from groma.survey.infer.test_tlb import Machine as TlbMachine
from groma.survey.plan import SurveyRequest, plan_survey
from groma.survey.run import new_survey, node_survey
from simulated.paged import PagedLevel, PagedMachine

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.survey import Numa, SurveyFacts
    from groma.record import Topology
    from groma.run.events import Progress
    from groma.run.probe import ProbeStep

BUILD = Path(__file__).parents[2] / "build"
PROGRAM = BUILD / "default/native/groma-recorded-machine"

MIB = 1 << 20

NUMA = ("numa_read", "numa_lockstep", "numa_allocation", "numa_ping_back")
OF_PLACES = ("core_to_core", *NUMA)

SAMPLED_PAIRS = 120
"""`sampled_pairs` of memory_contention at standard depth."""
MEASURED_GROUPS = 8
"""`groups` of group_bandwidth at standard depth."""


def measure_on(topology: Topology) -> Callable[[ProbeStep, Interruption, Progress], ProbeSamples]:
    recorded = measured_with(PROGRAM)

    def measure(step: ProbeStep, interruption: Interruption, progress: Progress) -> ProbeSamples:
        if step.probe in NUMA:
            return recorded(step, interruption, progress)
        samples = SIMULATED[step.probe](topology)
        samples.ended = samples.ended or "rounds"
        samples.parameters = dict(step.parameters)
        return samples

    return measure


def core_to_core(topology: Topology) -> ProbeSamples:
    """Four pairs of each core, 8,192 at most: two in its node, two anywhere. As many visits as 2 s allow."""
    rng = random.Random(1)  # noqa: S311 - reproducible noise, no secret
    samples = ProbeSamples(probe="core_to_core", cases=[], values=[], ended="budget")
    pairs: set[tuple[int, int]] = set()
    for core in topology.cores:
        near = topology.numa[core.numa].cores
        others = [*rng.sample(near, 2), *(rng.choice(topology.cores).logical for _ in range(2))]
        pairs |= {(min(core.logical, one), max(core.logical, one)) for one in others if one != core.logical}
    kept = sorted(rng.sample(sorted(pairs), min(len(pairs), 8192)))
    of_each_visit = 2 * 250 * 2 * 400e-9  # two operations, 250 round trips, a mean latency
    visits = min(6, max(1, int(2.0 / (len(kept) * of_each_visit))))
    for first, second in kept:
        same = topology.cores[first].numa == topology.cores[second].numa
        for operation, times in (("store", 1.0), ("compare_exchange", 1.3)):
            latency = (60e-9 if same else 700e-9) * times
            labels = {"core": first, "other": second, "operation": operation}
            relation = "same NUMA node" if same else "other package, distance 65"
            samples.cases.append({"unit": "s", **labels, "relation": relation, "home_numa": 0})
            samples.values.append([latency * (1 + rng.expovariate(30)) for _ in range(visits)])
    return samples


CYCLE = 1 / 2.27e9
CACHES = (32 << 10, 256 << 10, 24 << 20)
CYCLES = (4.0, 10.0, 61.0, 470.0)
"""Of a load from each cache, and from memory."""


def load_latency(_topology: Topology) -> ProbeSamples:
    """Small pages cost a walk beyond 512 entries of the second-level TLB."""
    rng = random.Random(2)  # noqa: S311 - reproducible noise, no secret
    samples = ProbeSamples(probe="load_latency", cases=[], values=[], ended="stable")
    for pages in ("huge", "small"):
        for size in (m << e for e in range(9, 24) for m in range(8, 16)):
            held = [1 / (1 + (size / cache) ** 24) for cache in CACHES]
            cycles = CYCLES[-1]
            for share, hit in zip(reversed(held), reversed(CYCLES[:-1]), strict=True):
                cycles += share * (hit - cycles)
            if pages == "small":
                cycles += 30 / (1 + (2 * MIB / size) ** 4)
            samples.cases.append({"unit": "s", "size_bytes": size, "pages": pages})
            samples.values.append([CYCLE * cycles * (1 + rng.expovariate(60)) for _ in range(30)])
    return samples


def cache_sharing(topology: Topology) -> ProbeSamples:
    cores, nodes = len(topology.cores), [list(node.cores) for node in topology.numa]
    return SharingMachine(
        cores, (private(cores), private(cores), nodes), sizes=CACHES, declared_sizes=CACHES
    ).samples()


def memory_bandwidth(topology: Topology) -> ProbeSamples:
    """A core reads 9 GB/s, a node 22 GB/s: three cores are enough for it."""
    threads = (1, 2, 4, 11, 64, len(topology.cores))
    limit = 22e9 * len(topology.numa)
    return streams({"read": {count: noisy(min(9e9 * count, limit), spread=0.01) for count in threads}})


def loaded_latency(topology: Topology) -> ProbeSamples:
    idle = CYCLE * CYCLES[-1]
    points = {(None, 0.0): (idle, 0.0), (1.0, 0.15): (1.05 * idle, 6e9), (1.0, 1.0): (2.4 * idle, 22e9)}
    return loaded(points, injectors=len(topology.numa[0].cores) - 1)


def memory_contention(topology: Topology) -> ProbeSamples:
    """Cores of a node have one memory controller, those of others do not notice each other."""
    within = [(node.cores[0], other) for node in topology.numa for other in node.cores[1:]]
    apart = [(topology.numa[0].cores[0], node.cores[0]) for node in topology.numa[1:]]
    pairs = [*spread(within, SAMPLED_PAIRS // 2), *spread(apart, SAMPLED_PAIRS // 2)]
    node_of = {core.logical: core.numa for core in topology.cores}
    samples = beside(pairs, lambda one, other: 1.5 if node_of[one] == node_of[other] else 1.0)
    for case in samples.cases:
        same = node_of[case["core"]] == node_of[case["other"]]
        case["relation"] = "share L3" if same else "other package, distance 65"
    return samples


def page_sets(_topology: Topology) -> ProbeSamples:
    """Physical addresses index the second level, whose 256 KiB are in eight ways."""
    levels = [
        PagedLevel(CACHES[0], 8, CYCLE * CYCLES[0], "virtual"),
        PagedLevel(CACHES[1], 8, CYCLE * CYCLES[1]),
    ]
    machine = PagedMachine(levels, CYCLE * CYCLES[2])
    sizes = [m << e for e in range(11, 18) for m in (8, 10, 12, 14)]
    values = [*machine.samples(sizes, 4096, 16, 0.01, seed=1), *machine.reused(sizes, 16, 0.01, seed=2)]
    cases = [
        {"unit": "s", "size_bytes": size, "pages": "small", "set": one}
        for one in ("other", "same")
        for size in sizes
    ]
    return ProbeSamples(probe="page_sets", cases=cases, values=values, ended="rounds")


def group_bandwidth(topology: Topology) -> ProbeSamples:
    """Three cores of a node fill its memory."""
    samples = ProbeSamples(probe="group_bandwidth", cases=[], values=[], ended="rounds")
    for node in spread(list(topology.numa), MEASURED_GROUPS):
        for threads in (1, 2, 3, 4, 8, len(node.cores)):
            group, cores = list(node.cores), list(node.cores[:threads])
            labels = {"kind": "NUMA node", "group": group, "threads": len(cores), "cores": cores}
            samples.cases.append({"unit": "B/s", "kernel": "triad_nt", **labels})
            samples.values.append(noisy(min(9e9 * threads, 22e9), spread=0.01))
    return samples


SIMULATED: dict[str, Callable[[Topology], ProbeSamples]] = {
    "clock": lambda topology: clock_samples({core.logical: CYCLE for core in topology.cores[:4]}),
    "load_latency": load_latency,
    "cache_line": lambda _: LineMachine().samples(),
    "cache_associativity": lambda _: SetMachine(ways=8, way_bytes=4096).samples(),
    "tlb_reach": lambda _: TlbMachine(first=64, second=512, first_huge=32, walk=13.0).samples(),
    "cache_sharing": cache_sharing,
    "memory_bandwidth": memory_bandwidth,
    "memory_contention": memory_contention,
    "page_sets": page_sets,
    "group_bandwidth": group_bandwidth,
    "loaded_latency": loaded_latency,
    "core_to_core": core_to_core,
}


class Surveyed:
    """A survey of the recorded machine, from the plan to its file."""

    def __init__(self, folder: Path, **request: Any) -> None:
        topology = native.declared_topology(PROGRAM)
        assert topology is not None
        self.topology = topology
        catalogue = native.catalogue(PROGRAM)
        self.plan = plan_survey(catalogue, SurveyRequest(seed=1, **request))
        provenance = Provenance(["groma", "survey"], Build(version="0"), {"host": "recorded"}, topology)
        self.output = folder / "profile.json"
        run = node_survey(self.plan, new_survey(self.plan, provenance), self.output, measure_on(topology))
        run.run(Interruption())
        self.record: Record[SurveyFacts] = read_record(self.output)

    @property
    def numa(self) -> Numa:
        facts = self.record.facts.node.numa
        assert facts is not None
        return facts

    @property
    def codes(self) -> list[str]:
        return [one.code for one in self.record.warnings if one.code.startswith("numa.")]

    def figures(self) -> dict[str, Figure]:
        found: dict[str, Figure] = {}
        for section in sections_of(self.record):
            for block in section.blocks:
                figures = (
                    [option.figure for option in block.options]
                    if isinstance(block, Choice)
                    else [block]
                    if isinstance(block, Figure)
                    else []
                )
                found |= {figure.id: figure for figure in figures}
        return found

    def page(self) -> bytes:
        return encode(page_of([Named("profile.json", self.record)]))
