"""What the parts of a node are called, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from groma.facts.matrices import entries_of, measured_in
from groma.record.units import format_ids, format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.matrices import Entry, WithMatrices
    from groma.facts.survey import Indexing, Numa, Tlb
    from groma.record import Quantity
    from groma.record.environment import DeclaredNuma, MemoryKind

_KINDS = {"data": "d", "instruction": "i"}

_MEMORIES: dict[MemoryKind | None, str] = {
    "HBM": "HBM",
    "CXL": "CXL memory",
    "GPU": "GPU memory",
    "persistent": "persistent memory",
    "slower": "memory slower than that of the cores",
    None: "memory of unknown kind",
}


class AnyCache(Protocol):
    """A cache, measured or declared."""

    @property
    def level(self) -> int: ...
    @property
    def kind(self) -> str: ...


def cache_name(cache: AnyCache) -> str:
    """`L1d`, `L2`."""
    return f"L{cache.level}{_KINDS.get(cache.kind, '')}"


def memory_without_cores(places: Sequence[DeclaredNuma]) -> str:
    """`128 GiB of HBM in NUMA nodes 2-3 of the system`; empty where there is none."""
    alone = [place for place in places if place.processors == "" and place.memory_bytes != 0]
    parts = []
    for kind in dict.fromkeys(place.kind for place in alone):
        nodes = [place.node for place in alone if place.kind == kind]
        sizes = [place.memory_bytes for place in alone if place.kind == kind]
        size = f"{format_value(sum(filter(None, sizes)), 'B')} of " if None not in sizes else ""
        where = f"NUMA node{'s' if len(nodes) > 1 else ''} {format_ids(nodes)}"
        parts.append(f"{size}{_MEMORIES[kind]} in {where} of the system")
    return ", ".join(parts)


def kind_words(kind: MemoryKind | None) -> str:
    """What the memory of a place is; nothing where it is not known."""
    return "" if kind is None else _MEMORIES[kind]


def pages_of_tlb(tlb: Tlb) -> str:
    """`4 KiB`, or `4 KiB (2 MiB split)` where larger pages were asked for and are split."""
    split = f" ({format_value(tlb.advised_page, 'B')} split)" if tlb.advised_page else ""
    return f"{format_value(tlb.page, 'B')}{split}"


def entries_of_tlb(tlb: Tlb) -> int | None:
    """None where the reach is less than a page, as records of groma 0.1.0 tell of split pages."""
    return round(tlb.reach.value / tlb.page) if tlb.reach.value >= tlb.page else None


def sharing(groups: list[list[int]] | None, most: int = 4) -> str | None:
    """Who shares: nobody, all, or the groups (their number and size where there are more than `most`); None
    where it is not known.
    """
    if groups is None:
        return None
    sizes = {len(group) for group in groups}
    if sizes <= {1}:
        return "no one"
    if len(groups) == 1:
        return f"all {len(groups[0])} cores"
    if len(groups) <= most:
        return " ".join(f"{{{format_ids(group)}}}" for group in groups)
    spread = str(min(sizes)) if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"
    return f"{len(groups)} groups of {spread}"


_INDEXED_BY = {
    "physical": "physical address",
    "virtual": "virtual address",
    "page offset": "offset in the page",
    "unknown": "not determined",
}


def indexed_by(indexing: Indexing | None) -> str | None:
    """What selects the sets of a cache, without the reason; None where it was not measured."""
    return None if indexing is None else _INDEXED_BY.get(indexing.kind, indexing.kind)


def indexing_note(indexing: Indexing | None) -> str:
    """The reason, and how sure it is."""
    if indexing is None:
        return ""
    sure = f" (confidence {indexing.confidence:.2f})" if indexing.confidence > 0 else ""
    determined = (
        "index not determined" if indexing.kind == "unknown" else f"indexed by {indexed_by(indexing)}"
    )
    return f"{determined}: {indexing.reason}{sure}"


def contention(groups: list[list[int]], most: int = 4) -> str:
    slowed = [group for group in groups if len(group) > 1]
    if not slowed:
        return "no core slows another"
    return f"cores that slow each other: {sharing(slowed, most)}"


class Experiment(NamedTuple):
    """One of the experiments on memory that another place owns. `size` is what a time counts for (bytes),
    `reader` whose reads they are.
    """

    name: str
    what: str
    entries: Sequence[Entry]
    size: int | None
    reader: str = "reader"


READS = {
    "sequential_first": (
        "sequential read, first read",
        "Every 16th integer of a block that its owner wrote, read in order for the first time.",
    ),
    "sequential_again": (
        "sequential read, second read",
        "The same, read again by the same reader.",
    ),
    "reallocated": (
        "sequential read, re-allocated",
        "As the first read, but the owner frees, maps and writes the block anew before each reader's turn.",
    ),
    "lockstep": (
        "all at once, in lockstep",
        "All read at the same time. At step s, reader i reads blocks of owner i + s.",
    ),
    "random": ("random read", "The same elements in random order."),
}
"""Names and words of the experiments that read, in the order in which they build on each other."""

STEPS = {
    "owner_first": ("1. owner reads", "The owner, who has just written the block, reads it."),
    "other_first": ("2. other place reads", "The other place reads it for the first time."),
    "other_again": ("3. other place reads again", "The other place reads it for the second time."),
    "owner_back": ("4. owner reads", "The owner reads it after the other place has."),
    "owner_again": ("5. owner reads again", "The owner reads it again."),
}
"""Short names of the steps of the ping-back, and who does what in them."""


def experiments_of(numa: Numa) -> list[Experiment]:
    """Those that were run, in the order in which they build on each other."""
    known = [
        Experiment(title, what, measured_between(numa.places, numa, name), _size(numa, name))
        for name, (title, what) in READS.items()
    ]
    return [one for one in (*known, *ping_back_of(numa)) if one.entries]


def ping_back_of(numa: Numa) -> list[Experiment]:
    """The five steps."""
    return [
        Experiment(
            f"ping-back, {step.replace('_', ' ')}",
            f"Step {list(STEPS).index(step) + 1} of 5: {what[0].lower()}{what[1:]}",
            _entries_of_step(numa, step),
            _size(numa, "ping_back"),
            "other place",
        )
        for step, (_, what) in STEPS.items()
    ]


def _entries_of_step(numa: Numa, step: str) -> list[Entry]:
    whole = numa.ping_back.get(step)
    if whole:
        return _within(numa.places, entries_of(whole))
    return measured_between(numa.places, numa, f"ping_back.{step}")


def measured_between(places: Sequence[int], facts: WithMatrices, name: str) -> list[Entry]:
    """The measured entries of the matrix `name`; what an edited file has beyond its places is of no place."""
    return _within(places, measured_in(facts, name))


def _within(places: Sequence[int], entries: Sequence[Entry]) -> list[Entry]:
    return [one for one in entries if max(one.row, one.column) < len(places)]


def _size(numa: Numa, experiment: str) -> int | None:
    return numa.block_bytes_of.get(experiment, numa.block_bytes)


def size_text(size: int | None) -> str:
    """What the times count for."""
    if size is None:
        return "Time of a whole block."
    return f"Time to read {format_value(size, 'B')}, of which each 64-byte line is touched once."


def place_name(numa: Numa) -> str:
    return "NUMA node" if numa.over == "numa" else "core"


def touches_of(numa: Numa) -> dict[str, Sequence[Quantity | None]]:
    """What each place took for its pages: every way that was measured."""
    alone = "first touch" if len(numa.places) == 1 else "first touch, one at a time"
    ways: dict[str, Sequence[Quantity | None]] = {
        "parallel allocation": numa.allocation,
        "first touch": numa.first_touch,
        "second touch": numa.second_touch,
        "release": numa.release,
        "first touch, huge pages": numa.first_touch_huge,
    }
    if numa.first_touch_alone:
        ways[alone] = numa.first_touch_alone
    return {name: cells for name, cells in ways.items() if cells}


_MOST_GROUPS = 6


def groups_of_ends(groups: Sequence[Sequence[int | str]]) -> str:
    """`8 of 2: 0,8 1,9 …`: how many of which size, and the first of them; empty for none."""
    if not groups:
        return ""
    sizes = [len(group) for group in groups]
    counts = ", ".join(f"{sizes.count(size)} of {size}" for size in sorted(set(sizes)))
    named = "  ".join(_ends(group) for group in groups[:_MOST_GROUPS])
    return f"{counts}: {named}" + ("  ..." if len(groups) > _MOST_GROUPS else "")


def _ends(group: Sequence[int | str]) -> str:
    numbers = [end for end in group if isinstance(end, int)]
    return format_ids(numbers) if len(numbers) == len(group) else ",".join(map(str, group))
