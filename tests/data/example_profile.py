"""A synthetic survey record, realistic in shape and figures, for tests of what shows records.

    python example_profile.py [--packages 2] [--cores 4] [--threads 1] [--seed 1] > profile.json

The same arguments give the same bytes. No machine was measured for it.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.survey import (
    Cache,
    Clock,
    ContentionPair,
    Core,
    CoreToCore,
    DistanceClass,
    LatencyLayer,
    LoadedLatency,
    Memory,
    NodeFacts,
    Numa,
    ScalingPoint,
    SurveyFacts,
    Tlb,
)
from groma.record import (
    Advice,
    Build,
    ProbeSamples,
    Quantity,
    Record,
    Round,
    SampleSummary,
    Topology,
    TopologyCache,
    TopologyCore,
    TopologyNuma,
)
from groma.record.environment import Cpu, Environment, Frequency, Limits, MemoryState, Noise, Software

if TYPE_CHECKING:
    from groma.facts.matrices import Matrix

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

L1, L2 = 32 * KIB, 1 * MIB
FREQUENCY = 2.9e9
L3_PER_CORE = 2 * MIB
KERNELS = {
    "read": 13.1e9,
    "write": 7.6e9,
    "write_nt": 11.8e9,
    "copy": 9.9e9,
    "triad": 10.8e9,
    "triad_nt": 12.4e9,
}


@dataclass
class Machine:
    """Shape of the machine; one NUMA node per package."""

    packages: int = 2
    cores: int = 4
    threads: int = 1
    seed: int = 1
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)  # noqa: S311 - reproducible noise, no secret

    @property
    def per_package(self) -> int:
        return self.cores * self.threads

    @property
    def logical(self) -> list[int]:
        return list(range(self.packages * self.per_package))

    @property
    def l3(self) -> int:
        return L3_PER_CORE * self.cores

    def package_of(self, logical: int) -> int:
        return logical // self.per_package

    def core_of(self, logical: int) -> int:
        return logical // self.threads

    def noisy(self, value: float, spread: float = 0.02) -> float:
        return value * (1 + abs(self.rng.gauss(0, spread)))

    def quantity(
        self,
        value: float,
        unit: str,
        method: str,
        *,
        spread: float = 0.02,
    ) -> Quantity:
        center = value * (1 + self.rng.gauss(0, spread / 3))
        low, high = center * (1 - spread), center * (1 + spread)
        samples = SampleSummary(
            n=40, min=short(low * 0.99), p5=short(low), p50=short(center * 1.01), p95=short(high * 1.06)
        )
        return Quantity(
            value=short(center),
            unit=unit,
            low=short(low),
            high=short(high),
            confidence=0.95,
            method=method,
            samples=samples,
        )


def bracket(value: float, unit: str, method: str, span: tuple[float, float], confidence: float) -> Quantity:
    low, high = span
    return Quantity(value=value, unit=unit, low=low, high=high, confidence=confidence, method=method)


def short(value: float) -> float:
    return float(f"{value:.5g}")


def topology(machine: Machine) -> Topology:
    cores = tuple(
        TopologyCore(
            logical=i,
            physical=i,
            core=machine.core_of(i),
            package=machine.package_of(i),
            numa=machine.package_of(i),
        )
        for i in machine.logical
    )
    spans = [
        (1, "data", L1, 8, machine.threads),
        (1, "instruction", L1, 8, machine.threads),
        (2, "unified", L2, 16, machine.threads),
        (3, "unified", machine.l3, 11, machine.per_package),
    ]
    caches = tuple(
        TopologyCache(level=level, kind=kind, size_bytes=size, line_bytes=64, ways=ways, cores=group)
        for level, kind, size, ways, span in spans
        for group in groups(machine, span)
    )
    numa = tuple(
        TopologyNuma(logical=p, physical=p, memory_bytes=64 * GIB, cores=group)
        for p, group in enumerate(groups(machine, machine.per_package))
    )
    return Topology(
        source="hwloc",
        cores=cores,
        caches=caches,
        numa=numa,
        distances=tuple(
            tuple(DISTANCES[remoteness(machine, i, j)] for j in range(machine.packages))
            for i in range(machine.packages)
        ),
        allowed=tuple(machine.logical),
        page_bytes=4 * KIB,
        huge_page_bytes=2 * MIB,
    )


DISTANCES = {"local": 10.0, "blade": 16.0, "remote": 21.0}


def remoteness(machine: Machine, one: int, other: int) -> str:
    """Of two packages. From four on, two of them are a blade."""
    if one == other:
        return "local"
    return "blade" if machine.packages >= 4 and one // 2 == other // 2 else "remote"


def groups(machine: Machine, span: int) -> list[tuple[int, ...]]:
    return [tuple(machine.logical[i : i + span]) for i in range(0, len(machine.logical), span)]


def clock(machine: Machine) -> Clock:
    return Clock(
        timer_cost=machine.quantity(21e-9, "s", "median of back-to-back reads of the timer"),
        timer_resolution=machine.quantity(0.35e-9, "s", "smallest difference seen between two reads"),
        core_frequency=machine.quantity(
            FREQUENCY, "Hz", "chain of dependent additions over the timer", spread=0.004
        ),
    )


def caches(machine: Machine) -> list[Cache]:
    method = "change points of the p5 latency curve, accepted by the level rule"
    chase = "p5 of dependent random loads inside the level"
    sizes = [
        (1, "data", L1, L1, 36 * KIB, 0.99, 1.38e-9, machine.threads),
        (2, "unified", L2, L2, 1152 * KIB, 0.96, 4.83e-9, machine.threads),
        (
            3,
            "unified",
            0.86 * machine.l3,
            0.75 * machine.l3,
            0.94 * machine.l3,
            0.8,
            21.4e-9,
            machine.per_package,
        ),
    ]
    declared = {1: L1, 2: L2, 3: machine.l3}
    found = []
    for level, kind, size, low, high, confidence, latency, span in sizes:
        measured = machine.quantity(latency, "s", chase, spread=0.012)
        found.append(
            Cache(
                level=level,
                kind=kind,
                size=bracket(float(int(size)), "B", method, (low, high), confidence).beside_os(
                    declared[level]
                ),
                latency=measured,
                latency_cycles=Quantity(
                    value=short(measured.value * FREQUENCY),
                    unit="cycles",
                    low=short(measured.low * FREQUENCY),
                    high=short(measured.high * FREQUENCY),
                    confidence=0.95,
                    method="latency times core frequency",
                ),
                line=bracket(64, "B", "step of the stride curve", (64, 64), 0.98).beside_os(64),
                associativity=associativity(level),
                shared_by=[list(group) for group in groups(machine, span)],
                notes=["effective share now, the system declares more"] if level == 3 else [],
            )
        )
    return found


def associativity(level: int) -> Quantity | None:
    if level == 3:
        return None
    ways = {1: 8, 2: 16}[level]
    confidence = {1: 0.95, 2: 0.0}[level]
    method = "first conflict of addresses one set apart"
    return bracket(ways, "ways", method, (ways, ways), confidence).beside_os(ways)


def tlb(machine: Machine) -> list[Tlb]:
    method = "one line per page, more pages than the level holds"
    return [
        Tlb(
            level=level,
            page=page,
            reach=bracket(reach, "B", method, (reach * 0.94, reach * 1.12), 0.9),
            miss_cost=machine.quantity(cost, "s", method, spread=0.06),
        )
        for level, page, reach, cost in [
            (1, 4 * KIB, 64 * 4 * KIB, 2.4e-9),
            (2, 4 * KIB, 1536 * 4 * KIB, 9.6e-9),
            (1, 2 * MIB, 32 * 2 * MIB, 2.6e-9),
        ]
    ]


def memory(machine: Machine) -> Memory:
    return Memory(
        latency=machine.quantity(
            89e-9, "s", "p5 of dependent random loads beyond the last level", spread=0.03
        ),
        bandwidth={kernel: scaling(machine, alone) for kernel, alone in KERNELS.items()},
        contention_groups=[list(group) for group in groups(machine, machine.per_package)],
        contention_pairs=contention(machine),
        loaded_latency=[
            loaded(machine, share, used)
            for share in (1.0, 0.75, 0.5)
            for used in (0.02, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.87, 0.93, 0.97)
        ],
    )


def scaling(machine: Machine, alone: float) -> list[ScalingPoint]:
    """Saturates at 3.4 streams per package."""
    limit = 3.4 * alone * machine.packages
    counts = sorted({*range(1, min(len(machine.logical), 16) + 1), len(machine.logical)})
    return [
        ScalingPoint(
            cores=n,
            value=machine.quantity(
                limit * (1 - math.exp(-n * alone / limit)) * 1.12, "B/s", "median over rounds", spread=0.035
            ),
        )
        for n in counts
    ]


def loaded(machine: Machine, share: float, used: float) -> LoadedLatency:
    peak = (34e9 + 9e9 * share) * machine.packages
    rise = 89e-9 + 22e-9 * used + 14e-9 * used**4 / (1.02 - used)
    return LoadedLatency(
        read_fraction=share,
        bandwidth=machine.quantity(peak * used, "B/s", "bytes moved by the injecting threads", spread=0.02),
        latency=machine.quantity(rise, "s", "median of a dependent chase beside the injection", spread=0.05),
    )


def contention(machine: Machine) -> list[ContentionPair]:
    others = machine.logical[1 : min(len(machine.logical), 12)]
    return [
        ContentionPair(
            core=0,
            other=other,
            ratio=machine.quantity(
                1.31 if machine.package_of(other) == 0 else 1.02, "ratio", "alone over together", spread=0.03
            ),
        )
        for other in others
    ]


def hop(machine: Machine, one: int, other: int) -> float:
    """One-way latency between two hardware threads (s)."""
    if machine.core_of(one) == machine.core_of(other):
        return 8.5e-9
    return 49e-9 if machine.package_of(one) == machine.package_of(other) else 128e-9


def core_to_core(machine: Machine) -> CoreToCore:
    ids = machine.logical

    def handed_over(times: float, method: str) -> dict[tuple[int, int], Quantity]:
        return {
            (i, j): machine.quantity(times * hop(machine, i, j), "s", method, spread=0.04)
            for i in ids
            for j in ids[i + 1 :]
        }

    def whole(upper: dict[tuple[int, int], Quantity]) -> list[list[Quantity | None]]:
        return [[None if i == j else upper[min(i, j), max(i, j)] for j in ids] for i in ids]

    upper = handed_over(1, "median of short ping-pong samples")
    layers: dict[float, list[tuple[int, int]]] = {}
    for i, j in upper:
        layers.setdefault(hop(machine, i, j), []).append((i, j))
    return CoreToCore(
        cores=ids,
        latency=whole(upper),
        compare_exchange=whole(handed_over(1.3, "median of short samples of atomic exchanges")),
        layers=[
            LatencyLayer(
                latency=machine.quantity(level, "s", "median over the pairs of the cluster"),
                pairs=pairs,
            )
            for level, pairs in sorted(layers.items())
        ],
    )


def numa(machine: Machine) -> Numa:
    """Times of blocks: nanoseconds for a line, near and far, times the lines of a block."""
    places = list(range(machine.packages))
    near_far = {
        "sequential_first": (1.35, 2.6),
        "sequential_again": (1.30, 2.3),
        "lockstep": (1.9, 4.4),
        "random": (89, 146),
        "reallocated": (1.5, 2.9),
    }
    steps = {
        "owner_first": (1.4, 1.4),
        "other_first": (1.4, 2.7),
        "other_again": (1.3, 2.3),
        "owner_back": (1.4, 2.5),
        "owner_again": (1.3, 1.4),
    }

    def matrix(near: float, far: float) -> Matrix:
        nanoseconds = {"local": near, "blade": (2 * near + far) / 3, "remote": far}
        return [[block_time(machine, nanoseconds[remoteness(machine, i, j)]) for j in places] for i in places]

    def touched(time: float) -> list[Quantity]:
        method = "median over the rounds of the time to touch each page of a block"
        return [machine.quantity(time * TOUCHED / (4 * KIB), "s", method) for _ in places]

    reads: dict[str, Any] = {name: matrix(*pair) for name, pair in near_far.items()}
    return Numa(
        over="numa",
        places=places,
        **reads,
        ping_back={name: without_own(matrix(*pair)) for name, pair in steps.items()},
        allocation=[machine.quantity(4.1e-6, "s", "median over the rounds of mapping") for _ in places],
        first_touch=touched(0.24e-6),
        second_touch=touched(4e-9),
        release=touched(0.06e-6),
        first_touch_huge=touched(38e-9),
        first_touch_alone=list(touched(0.17e-6)),
        classes=distance_classes(machine, places),
        block_bytes=BLOCK,
        touched_bytes=TOUCHED,
    )


BLOCK = 64 * MIB
TOUCHED = 16 * MIB


def block_time(machine: Machine, nanoseconds: float) -> Quantity:
    """That of a block whose lines take so long each."""
    method = "median over the rounds of the time to read every 16th integer of a block"
    return machine.quantity(nanoseconds * 1e-9 * BLOCK / 64, "s", method, spread=0.03)


def without_own(cells: Matrix) -> Matrix:
    return [[None if i == j else cell for j, cell in enumerate(row)] for i, row in enumerate(cells)]


def distance_classes(machine: Machine, places: list[int]) -> list[DistanceClass]:
    found = []
    for name, ratio in (("local", 1.0), ("blade", 1.26), ("remote", 1.77)):
        pairs = [(i, j) for i in places for j in places if remoteness(machine, i, j) == name]
        if pairs:
            found.append(
                DistanceClass(
                    name=name,
                    ratio=machine.quantity(ratio, "ratio", "median over the pairs of the class"),
                    pairs=pairs,
                    time_per_line=machine.quantity(1.3e-9 * ratio, "s", "time of the block over its lines"),
                    declared_distance=[DISTANCES[name]],
                )
            )
    return found


def sizes() -> list[int]:
    """4 KiB to 256 MiB in steps m * 2^e, m = 8…15."""
    return [m * 2**e for e in range(9, 25) for m in range(8, 16) if m * 2**e <= 256 * MIB]


def true_latency(machine: Machine, size: int, pages: str) -> float:
    """Mixture of the levels: what does not fit is served by the next one, steps are soft."""
    steps = [(L1, 1.38e-9), (L2, 4.83e-9), (0.86 * machine.l3, 21.4e-9)]
    latency, missing = 0.0, 1.0
    for (capacity, cost), softness in zip(steps, (60, 9, 3.0), strict=True):
        held = 1 / (1 + (size / (1.12 * capacity)) ** softness)
        latency += missing * held * cost
        missing *= 1 - held
    latency += missing * 89e-9
    if pages == "small":
        latency += 2.4e-9 * soft_step(size, 64 * 4 * KIB) + 11e-9 * soft_step(size, 1536 * 4 * KIB)
        latency += 14e-9 * soft_step(size, 64 * MIB)
    return latency


def soft_step(size: float, capacity: float) -> float:
    return 1 - 1 / (1 + (size / capacity) ** 4)


def load_latency(machine: Machine, rounds: int) -> ProbeSamples:
    grid = [(size, pages) for pages in ("huge", "small") for size in sizes()]
    values = [
        [short(true_latency(machine, size, pages) * (1 + machine.rng.expovariate(24))) for _ in range(rounds)]
        for size, pages in grid
    ]
    return ProbeSamples(
        probe="load_latency",
        cases=[{"unit": "s", "size_bytes": size, "pages": pages} for size, pages in grid],
        values=values,
        rounds=quiet_rounds(machine, rounds),
        parameters={"depth": "standard", "core": "0"},
        seed=machine.seed,
        elapsed=8.4,
        ended="stable",
    )


def quiet_rounds(machine: Machine, count: int) -> list[Round]:
    return [
        Round(
            elapsed=short(machine.noisy(0.21)),
            fixed_work=short(machine.noisy(2.1e-5, 0.01)),
            wall_over_cpu=short(machine.noisy(1.0, 0.004)),
            steal=0.0,
        )
        for _ in range(count)
    ]


def failed_probe(machine: Machine) -> ProbeSamples:
    return ProbeSamples(
        probe="associativity",
        cases=[],
        values=[],
        seed=machine.seed,
        ended="failed",
        error=Advice(
            code="probe.no_memory",
            what="the probe could not map 512 MiB of huge pages",
            next="free memory or give --budget-memory 256M",
        ),
    )


def environment(machine: Machine) -> Environment:
    last = len(machine.logical) - 1
    return Environment(
        captured="2025-03-01T09:29:58+00:00",
        host="example",
        kernel="6.1.0-18-amd64",
        architecture="x86_64",
        distribution="Debian GNU/Linux 12 (bookworm)",
        cpu=Cpu(
            vendor="GenuineIntel",
            model=f"Example Lake {machine.cores}-core server part",
            family="6",
            stepping="7",
            microcode="0x1",
            packages=machine.packages,
            cores=machine.packages * machine.cores,
            threads=last + 1,
            smt="on" if machine.threads > 1 else "off",
        ),
        frequency=Frequency(governor="performance", driver="intel_pstate", turbo=True, min=0.8e9, max=2.9e9),
        memory=MemoryState(
            total_bytes=machine.packages * 64 * GIB,
            available_bytes=machine.packages * 61 * GIB,
            page_bytes=4 * KIB,
            huge_page_bytes=2 * MIB,
            huge_pages="madvise",
            huge_pages_defrag="madvise",
        ),
        limits=Limits(affinity=f"0-{last}", online=f"0-{last}", cgroup_version=2),
        noise=Noise(load=(0.08, 0.05, 0.01), steal=0.0, numa_balancing=False, aslr=2),
        software=Software(
            python="3.11.2", c_library="glibc 2.36", mpi=("Open MPI 4.1.4",), blas=("OpenBLAS 0.3.21",)
        ),
        variables={"OMP_NUM_THREADS": str(last + 1)},
        command=("groma", "survey", "--depth", "standard"),
    )


def warnings(machine: Machine) -> list[Advice]:
    now, declared = 0.86 * machine.l3 / MIB, machine.l3 / MIB
    return [
        Advice(
            code="cache.disagrees",
            what=f"level 3 holds {now:.1f} MiB now, the system declares {declared:.0f} MiB",
            next="run again on an idle machine; if it stays, plan with the measured size",
        ),
        Advice(
            code="memory.unstable",
            what="triad over 7 cores moved by more than 5 % between rounds",
            next="stop other programs (groma doctor names them) and run: groma survey --only bandwidth",
        ),
    ]


def example_record(machine: Machine | None = None, *, rounds: int = 12) -> Record[SurveyFacts]:
    """A whole survey of the machine (2 packages of 4 cores by default)."""
    machine = machine or Machine()
    load = load_latency(machine, rounds)
    declared = topology(machine)
    return Record(
        kind="survey",
        created="2025-03-01T09:30:00+00:00",
        command=["groma", "survey", "--depth", "standard"],
        build=Build(
            version="0.1.0",
            compiler="GNU 12.2.0",
            flags="-O3 -march=native",
            options={"GROMA_WITH_HWLOC": "ON"},
        ),
        environment=msgspec.to_builtins(environment(machine)),
        parameters={"depth": "standard", "budget": 60.0, "seed": machine.seed},
        samples={"load_latency": load, "associativity": failed_probe(machine)},
        facts=SurveyFacts(
            declared=declared,
            node=NodeFacts(
                clock=clock(machine),
                cores=[
                    Core(logical=c.logical, physical=c.physical, package=c.package, numa=c.numa, core=c.core)
                    for c in declared.cores
                ],
                caches=caches(machine),
                tlb=tlb(machine),
                memory=memory(machine),
                numa=numa(machine),
                core_to_core=core_to_core(machine),
            ),
        ),
        warnings=warnings(machine),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints a synthetic survey record.")
    for option, default in (("packages", 2), ("cores", 4), ("threads", 1), ("seed", 1)):
        parser.add_argument(f"--{option}", type=int, default=default)
    record = example_record(Machine(**vars(parser.parse_args())))
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")


if __name__ == "__main__":
    main()
