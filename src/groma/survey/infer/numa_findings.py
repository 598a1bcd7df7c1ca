"""What the reader of NUMA facts must know: traps of the measurement, disagreement with the system."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from groma.record import Advice, Quantity
from groma.record.units import format_ids, format_share, format_value
from groma.survey.infer.numa_distances import contradictions
from groma.survey.infer.numa_slow import without

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.facts.survey import DistanceClass, SlowPlace
    from groma.survey.infer.numa_cells import Cells
    from groma.survey.infer.numa_declared import DeclaredDistances

_BEYOND_CACHE = 2.0
_SLOWER = 1.3
_ALIKE = 1.15
_MOST = 0.5
_CONTENDED = 2.0
_READINGS = {
    "sequential_first": "first reads",
    "sequential_again": "second reads",
    "random": "random reads",
    "reallocated": "reads of re-allocated blocks",
    "lockstep": "reads in lock step",
    "ping_back": "ping-back",
}


@dataclass(frozen=True)
class NumaEvidence:
    """What the experiments and the system say.

    `of_one_node`: all cores are of one NUMA node, which may have others of memory alone beside it. `node_of`
    names the NUMA node of each place, or the place itself where there is one node with cores; `homes` is the
    physical number of the node of each place, where there are several nodes of any kind, and `bare` are nodes
    without memory. `sizes` are the bytes that a time counts for, by probe.
    """

    over: str
    of_one_node: bool
    cases: Sequence[Mapping[str, Any]]
    read: Mapping[str, Cells]
    lockstep: Cells
    ping_back: Mapping[str, Cells]
    touching: Mapping[str, Sequence[Quantity | None]]
    node_of: Mapping[int, int]
    declared: DeclaredDistances
    homes: Mapping[int, int]
    sizes: Mapping[str, int]
    bare: Sequence[int] = ()

    @property
    def block_bytes(self) -> int | None:
        """What the times of reads count for, if all have one size."""
        return self.sizes.get("numa_read", self.sizes.get("numa_lockstep"))

    def size_of(self, probe: str) -> int | None:
        return self.sizes.get(probe)

    def other_sizes(self) -> dict[str, int]:
        """Of the other experiments that read, where they differ."""
        names = {"lockstep": "numa_lockstep", "ping_back": "numa_ping_back"}
        found = {name: self.sizes.get(probe) for name, probe in names.items()}
        return {name: size for name, size in found.items() if size and size != self.block_bytes}

    @property
    def place(self) -> str:
        return "NUMA node" if self.over == "numa" else "core"

    def over_last_level(self, measure: str) -> float | None:
        """How large what is read between two reads of the same bytes is against the last-level cache."""
        ratios = [case.get("over_last_level") for case in self.cases if case.get("measure") == measure]
        return min((ratio for ratio in ratios if ratio is not None), default=None)

    def reads_caches(self, measure: str) -> bool:
        ratio = self.over_last_level(measure)
        return ratio is not None and ratio < _BEYOND_CACHE

    def from_memory(self) -> Cells:
        """The second reads, which no page fault disturbs; the first ones where those come from caches."""
        again = self.read["sequential_again"]
        cached = self.reads_caches("sequential_again") and not self.reads_caches("sequential_first")
        return self.read["sequential_first"] if cached or not again else again

    def without(self, slow: Sequence[SlowPlace]) -> NumaEvidence:
        """What the other nodes show."""
        return replace(
            self,
            read={name: without(cells, slow) for name, cells in self.read.items()},
            lockstep=without(self.lockstep, slow),
            ping_back={step: without(cells, slow) for step, cells in self.ping_back.items()},
        )


def findings(
    seen: NumaEvidence,
    usual: NumaEvidence,
    classes: Sequence[DistanceClass],
    slow: Sequence[SlowPlace],
) -> Iterator[Advice]:
    """All that apply, limits of the measurement first. `usual` leaves out the `slow` places."""
    yield from _sampled(seen)
    yield from _block_in_cache(seen)
    yield from _without_memory(seen)
    yield from _not_at_home(seen)
    yield from _slow([one for one in slow if one.kind == "NUMA node"], _SLOW_NODE)
    yield from _slow([one for one in slow if one.kind == "core"], _SLOW_CORE)
    yield from _undeclared_distance(seen, classes)
    yield from contradictions(usual, classes)
    yield from _owner_back_slow(usual)
    yield from _data_moves(usual)
    yield from _reallocation_matters(usual)
    yield from _touch_contention(seen)


class _SlowPart(NamedTuple):
    """How slow nodes or cores are reported: by the part that is slow, and what to do."""

    code: str
    parts: Mapping[str, str]
    next: str


_SLOW_NODE = _SlowPart(
    "numa.slow_node",
    {
        "memory": "the memory of NUMA node {number} takes {times:.1f} times as long as that of others, "
        "whoever reads it",
        "cores": "the cores of NUMA node {number} read all memories {times:.1f} times slower than others do",
        "link": "NUMA node {number} and the other nodes read each other {times:.1f} times slower than usual",
    },
    "check its memory (populated channels, corrected errors in the kernel log, throttling); until then keep "
    "data off it",
)
_SLOW_CORE = _SlowPart(
    "numa.slow_core",
    {
        "memory": "what core {number} wrote takes {times:.1f} times as long to read as that of others",
        "cores": "core {number} reads what any core wrote {times:.1f} times slower than others do",
        "link": "core {number} and the others read each other {times:.1f} times slower than usual",
    },
    "check that nothing else runs on it and that its frequency is that of the others; a few cores of another "
    "kind look like this as well",
)


def _slow(slow: Sequence[SlowPlace], of: _SlowPart) -> Iterator[Advice]:
    """One for all of them."""
    if not slow:
        return
    each = "; ".join(of.parts[one.part].format(number=one.number, times=one.ratio.value) for one in slow)
    left_out = f"The distance classes leave {'it' if len(slow) == 1 else 'them'} out"
    yield Advice(code=of.code, what=f"{each}. {left_out}", next=of.next)


def _sampled(seen: NumaEvidence) -> Iterator[Advice]:
    """How many pairs of the first experiment were read, and what may hide among the others."""
    cells = seen.read["sequential_first"]
    pairs = len(seen.node_of) ** 2
    if not cells or len(cells) == pairs:
        return
    fewest = _least_covered(seen, cells)
    yield Advice(
        code="numa.sampled",
        what=f"{len(cells):,} of {pairs:,} pairs of {seen.place}s were read, near ones first{fewest}",
        next="read more with --depth thorough or a larger --budget"
        + ("" if seen.over == "numa" or seen.of_one_node else ", or take fewer places with --over nodes"),
    )


def _least_covered(seen: NumaEvidence, cells: Cells) -> str:
    """The declared distance of which the smallest share was read, with its risk."""
    total = seen.declared.counts()
    read = Counter(seen.declared[cell] for cell in cells if cell in seen.declared)
    shares = {distance: read[distance] / count for distance, count in total.items()}
    if not shares:
        return ""
    least = min(shares, key=lambda distance: (shares[distance], distance))
    reported = f"; of those at distance {least:g} {read[least]:,} of {total[least]:,}"
    if not read[least]:
        return reported
    # With n pairs drawn at random, a share p of odd ones is missed with probability (1 - p)^n.
    missed = 1.0 - 0.05 ** (1.0 / read[least])
    return f"{reported}, so up to {format_share(missed)} of them may be odd and unseen (confidence 95 %)"


def _block_in_cache(seen: NumaEvidence) -> Iterator[Advice]:
    cached = [name for name in _READINGS if seen.reads_caches(name)]
    if not cached:
        return
    ratio = min(seen.over_last_level(name) or 0.0 for name in cached)
    what = ", ".join(_READINGS[name] for name in cached)
    yield Advice(
        code="numa.block_in_cache",
        what=f"{what}: what is read in between is {ratio:.2g} times the last-level cache, so that a part of "
        "each reading came from caches, not from memory",
        next="use --depth thorough or a larger --budget, or a larger block: "
        f"--set {_probe_of(cached[0])}.most_block=1GiB",
    )


def _probe_of(reading: str) -> str:
    """The probe whose parameters say how a reading is made."""
    return f"numa_{reading}" if reading in {"lockstep", "ping_back"} else "numa_read"


def _without_memory(seen: NumaEvidence) -> Iterator[Advice]:
    if not seen.bare:
        return
    nodes, verb = ("NUMA node", "has") if len(seen.bare) == 1 else ("NUMA nodes", "have")
    yield Advice(
        code="numa.no_memory",
        what=f"{nodes} {format_ids(list(seen.bare))} {verb} no memory: what their cores write is elsewhere",
        next="run processes that need memory bandwidth on the other nodes, or add memory modules",
    )


def _not_at_home(seen: NumaEvidence) -> Iterator[Advice]:
    strayed = sorted(
        {
            case["owner"]
            for case in seen.cases
            if case.get("home_node") is not None
            and seen.homes.get(case["owner"], case["home_node"]) != case["home_node"]
            and seen.node_of[case["owner"]] not in seen.bare
        }
    )
    if strayed:
        yield Advice(
            code="numa.not_local",
            what=f"pages first touched by {seen.place} {format_ids(strayed)} are on another NUMA node",
            next="run without numactl --interleave or --membind, and check the free memory on that node",
        )


def _undeclared_distance(seen: NumaEvidence, classes: Sequence[DistanceClass]) -> Iterator[Advice]:
    if not seen.of_one_node or len(classes) < 2:
        return
    yield Advice(
        code="numa.undeclared",
        what="the system declares one NUMA node, but reading what another core wrote takes up to "
        f"{classes[-1].ratio.value:.2g} times as long as reading one's own",
        next="make firmware or hypervisor show the NUMA nodes; until then treat these cores as distant",
    )


def _owner_back_slow(seen: NumaEvidence) -> Iterator[Advice]:
    """The five-step test: an owner pays once for what another place has read meanwhile."""
    slow = _slower_pairs(seen.ping_back.get("owner_back", {}), seen.ping_back.get("owner_again", {}))
    if slow is None or seen.reads_caches("ping_back"):
        return
    back, again = slow
    yield Advice(
        code="numa.owner_back_slow",
        what=f"after another {seen.place} has read a block its owner's first read takes {back / again:.1f} "
        f"times as long as its second ({format_value(back, 's')}, then {format_value(again, 's')})",
        next="run threads near the data that they share: the owner pays for every foreign read",
    )


def _data_moves(seen: NumaEvidence) -> Iterator[Advice]:
    """Whether a remote block becomes local to the place that reads it."""
    first, again = (_remote(seen.read.get(name, {})) for name in ("sequential_first", "sequential_again"))
    local = [time.value for time in _local(seen.read.get("sequential_again", {})).values()]
    slow = _slower_pairs(first, again)
    if slow is None or not local or slow[1] > _ALIKE * median(local) or seen.reads_caches("sequential_again"):
        return
    yield Advice(
        code="numa.data_moves",
        what=f"the second read of another {seen.place}'s block is as fast as a local one "
        f"({format_value(slow[0], 's')}, then {format_value(slow[1], 's')}): data moves to its reader",
        next="check whether the kernel balances NUMA memory (sysctl kernel.numa_balancing): the classes then "
        "describe moved data",
    )


def _reallocation_matters(seen: NumaEvidence) -> Iterator[Advice]:
    kept = _local(seen.read.get("sequential_first", {}))
    slow = _slower_pairs(kept, _local(seen.read.get("reallocated", {})))
    if slow is None:
        return
    yield Advice(
        code="numa.reallocation_matters",
        what=f"a {seen.place} reads its own block {slow[0] / slow[1]:.1f} times slower after others used it "
        "than just after its allocation",
        next="compare benchmarks only if both re-allocate their data, or neither does",
    )


def _touch_contention(seen: NumaEvidence) -> Iterator[Advice]:
    together, alone = (
        [time for time in seen.touching.get(name, ()) if time is not None]
        for name in ("first_touch", "first_touch_alone")
    )
    if len(together) < 2 or not alone:
        return
    slower = median(time.value for time in together) / median(time.value for time in alone)
    if slower >= _CONTENDED and min(time.low for time in together) > max(time.high for time in alone):
        yield Advice(
            code="numa.first_touch_contention",
            what=f"touching memory for the first time takes {slower:.1f} times as long when all places do it "
            "at once",
            next="allocate before the parallel part, reuse memory, or use huge pages",
        )


def _local(cells: Cells) -> Cells:
    return {cell: time for cell, time in cells.items() if cell[0] == cell[1]}


def _remote(cells: Cells) -> Cells:
    return {cell: time for cell, time in cells.items() if cell[0] != cell[1]}


def _slower_pairs(first: Cells, again: Cells) -> tuple[float, float] | None:
    """Typical times of both where the first one is clearly slower in most of the cells that have both."""
    common = [(first[cell], again[cell]) for cell in first if cell in again]
    slower = [
        (one, other) for one, other in common if one.low > other.high and one.value > _SLOWER * other.value
    ]
    if not slower or len(slower) < _MOST * len(common):
        return None
    return median(one.value for one, _ in slower), median(other.value for _, other in slower)
