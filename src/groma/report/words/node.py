"""What the parts of a node are called, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from groma.record.units import format_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.survey import Numa
    from groma.record import Quantity
    from groma.report.matrices import Matrix

_KINDS = {"data": "d", "instruction": "i"}


class AnyCache(Protocol):
    """A cache, measured or declared."""

    @property
    def level(self) -> int: ...
    @property
    def kind(self) -> str: ...


def cache_name(cache: AnyCache) -> str:
    """`L1d`, `L2`."""
    return f"L{cache.level}{_KINDS.get(cache.kind, '')}"


def sharing(groups: list[list[int]] | None, most: int = 4) -> str:
    """Who shares: nobody, all, or the groups (their number and size where there are more than `most`)."""
    if groups is None:
        return "-"
    sizes = {len(group) for group in groups}
    if sizes <= {1}:
        return "no one"
    if len(groups) == 1:
        return f"all {len(groups[0])} cores"
    if len(groups) <= most:
        return " ".join(f"{{{format_ids(group)}}}" for group in groups)
    spread = str(min(sizes)) if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"
    return f"{len(groups)} groups of {spread}"


def contention(groups: list[list[int]], most: int = 4) -> str:
    slowed = [group for group in groups if len(group) > 1]
    if not slowed:
        return "no core slows another"
    return "cores that slow each other: " + sharing(slowed, most)


class Experiment(NamedTuple):
    """One of the experiments on memory that another place owns."""

    name: str
    what: str
    cells: Matrix


def experiments_of(numa: Numa) -> list[Experiment]:
    """Those that were run, in the order in which they build on each other."""
    known = [
        Experiment(
            "sequential read, first touch",
            "Every 16th integer of a block that its owner wrote, read in order for the first time.",
            numa.sequential_first,
        ),
        Experiment(
            "sequential read, second touch",
            "The same block, read again by the same reader.",
            numa.sequential_again,
        ),
        Experiment(
            "sequential read, re-allocated",
            "As the first touch, but the block is released and allocated again before each round.",
            numa.reallocated,
        ),
        Experiment(
            "all at once, in lockstep",
            "All read at the same time. At step s, reader i reads the block of owner i + s.",
            numa.lockstep,
        ),
        Experiment("random read", "The same elements in random order.", numa.random),
    ]
    steps = [
        Experiment(
            f"ping-back, {step.replace('_', ' ')}",
            "One of five steps: the owner reads, the other place reads twice, the owner reads twice.",
            cells,
        )
        for step, cells in numa.ping_back.items()
    ]
    return [one for one in (*known, *steps) if any(cell for row in one.cells for cell in row)]


def place_name(numa: Numa) -> str:
    return "NUMA node" if numa.over == "numa" else "core"


def touches_of(numa: Numa) -> dict[str, Sequence[Quantity | None]]:
    """What each place took for its pages: every way that was measured."""
    alone = "first touch" if len(numa.places) == 1 else "first touch, one at a time"
    ways: dict[str, Sequence[Quantity | None]] = {
        "parallel allocation": numa.allocation,
        "first touch": numa.first_touch,
        "first touch, huge pages": numa.first_touch_huge,
    }
    if numa.first_touch_alone:
        ways[alone] = numa.first_touch_alone
    return {name: cells for name, cells in ways.items() if cells}
