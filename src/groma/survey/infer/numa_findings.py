"""What the reader of NUMA facts must know: traps of the measurement, disagreement with the system."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from groma.record import Advice, Quantity
from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groma.facts.survey import DistanceClass
    from groma.survey.infer.numa_cells import Cell, Cells

_BEYOND_CACHE = 2.0
_SLOWER = 1.3
_ALIKE = 1.15
_MOST = 0.5
_CONTENDED = 2.0


@dataclass(frozen=True)
class NumaEvidence:
    """What the experiments and the system say. `homes` maps logical to physical numbers of NUMA nodes."""

    over: str
    cases: Sequence[Mapping[str, Any]]
    read: Mapping[str, Cells]
    lockstep: Cells
    ping_back: Mapping[str, Cells]
    touching: Mapping[str, Sequence[Quantity | None]]
    declared: Mapping[Cell, float]
    homes: Mapping[int, int]

    @property
    def block_bytes(self) -> int | None:
        """The block of the reading experiments; None where they used different ones."""
        sizes = {case["block_bytes"] for case in self.cases if "block_bytes" in case and "place" not in case}
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def place(self) -> str:
        return "NUMA node" if self.over == "numa" else "core"

    @property
    def over_last_level(self) -> float | None:
        """How large the smallest block of the reading experiments is against the last-level cache."""
        ratios = [case.get("over_last_level") for case in self.cases if "place" not in case]
        return min((ratio for ratio in ratios if ratio is not None), default=None)

    @property
    def reads_caches(self) -> bool:
        return self.over_last_level is not None and self.over_last_level < _BEYOND_CACHE


def findings(seen: NumaEvidence, classes: Sequence[DistanceClass]) -> Iterator[Advice]:
    """All that apply, the limits of the measurement first."""
    yield from _block_in_cache(seen)
    yield from _not_at_home(seen)
    yield from _undeclared_distance(seen, classes)
    yield from _distances_disagree(classes)
    yield from _owner_back_slow(seen)
    yield from _data_moves(seen)
    yield from _reallocation_matters(seen)
    yield from _touch_contention(seen)


def _block_in_cache(seen: NumaEvidence) -> Iterator[Advice]:
    if seen.reads_caches:
        yield Advice(
            code="numa.block_in_cache",
            what=f"the blocks are {seen.over_last_level:.2g} times the last-level cache: part of each "
            "reading came from caches, not from memory",
            next="use --depth thorough, or a larger most_block of the probes",
        )


def _not_at_home(seen: NumaEvidence) -> Iterator[Advice]:
    strayed = sorted(
        {
            case["owner"]
            for case in seen.cases
            if case.get("home_node") is not None
            and seen.homes.get(case["owner"], case["home_node"]) != case["home_node"]
        }
    )
    if strayed:
        yield Advice(
            code="numa.not_local",
            what=f"pages first touched by NUMA node {', '.join(map(str, strayed))} are on another node",
            next="run without numactl --interleave or --membind, and check the free memory on that node",
        )


def _undeclared_distance(seen: NumaEvidence, classes: Sequence[DistanceClass]) -> Iterator[Advice]:
    if seen.over != "cores" or len(classes) < 2:
        return
    yield Advice(
        code="numa.undeclared",
        what="the system declares one NUMA node, but reading what another core wrote takes up to "
        f"{classes[-1].ratio.value:.2g} times as long as reading one's own",
        next="make firmware or hypervisor show the NUMA nodes; until then treat these cores as distant",
    )


def _distances_disagree(classes: Sequence[DistanceClass]) -> Iterator[Advice]:
    """Distances that differ where the times do not, and the reverse."""
    for one in classes:
        if len(one.declared_distance) > 1:
            yield _disagreement(
                f"the system declares the distances {_listed(one.declared_distance)} for equal "
                f"read times ({one.ratio.value:.2f} times local)"
            )
    for nearer, farther in pairwise(classes):
        common = sorted(set(nearer.declared_distance) & set(farther.declared_distance))
        if common:
            yield _disagreement(
                f"the system declares the same distance {_listed(common)} for read times of "
                f"{nearer.ratio.value:.2f} and {farther.ratio.value:.2f} times local"
            )


def _disagreement(what: str) -> Advice:
    return Advice(
        code="numa.distance_disagrees", what=what, next="place data and threads by the measured classes"
    )


def _listed(distances: Iterable[float]) -> str:
    return ", ".join(f"{distance:g}" for distance in distances)


def _owner_back_slow(seen: NumaEvidence) -> Iterator[Advice]:
    """The five-step test: an owner pays once for what another place has read meanwhile."""
    slow = _slower_pairs(seen.ping_back.get("owner_back", {}), seen.ping_back.get("owner_again", {}))
    if slow is None or seen.reads_caches:
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
    if slow is None or not local or slow[1] > _ALIKE * median(local) or seen.reads_caches:
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
