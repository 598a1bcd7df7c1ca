"""Facts of a survey: the profile. Fields may be added and are never renamed.

A core id is always the logical one. Matrices are indexed like their `cores` or `places` list. A part that was
not measured is None or empty, never an invented value.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from groma.facts.kinds import ForeignFile, Kind
from groma.facts.matrices import SparseMatrix
from groma.facts.merged import Merged
from groma.facts.network import NetworkFacts
from groma.record.naming import Better
from groma.record.quantity import Quantity
from groma.record.topology import Topology


class Clock(msgspec.Struct, kw_only=True):
    timer_cost: Quantity
    timer_resolution: Quantity
    core_frequency: Quantity


class Core(msgspec.Struct, kw_only=True):
    logical: int
    physical: int
    package: int
    numa: int
    core: int | None = None


class Indexing(msgspec.Struct, kw_only=True):
    """Which address selects the sets of a cache: "virtual", "physical", "page offset" or "unknown".

    With "page offset" a way is no larger than a page, so that both addresses select the same set. `reason` is
    what shows it, or why it is not known; `confidence` is 0 where it is unknown.
    """

    kind: str
    confidence: float
    reason: str


class Cache(msgspec.Struct, kw_only=True):
    """One data cache level. `shared_by` lists the groups of cores that share an instance, None if unknown."""

    NAMED_BY: ClassVar[tuple[str, ...]] = ("level",)

    level: int
    kind: str
    size: Quantity
    latency: Quantity
    latency_cycles: Quantity | None = None
    line: Quantity | None = None
    associativity: Quantity | None = None
    shared_by: list[list[int]] | None = None
    notes: list[str] = []
    indexing: Indexing | None = None


class Tlb(msgspec.Struct, kw_only=True):
    """`page` is the size in bytes of the pages that the entries translate; `reach` is in bytes.

    `advised_page` is the page size that the memory was advised to have where the system splits such pages,
    else None.
    """

    level: int
    page: int
    reach: Quantity
    miss_cost: Quantity
    advised_page: int | None = None


class StreamKernel(msgspec.Struct, kw_only=True):
    """What a kernel does per element of its arrays, and how it was run.

    Bandwidth counts `bytes_per_element`. In addition, `write_allocate_per_element` is moved, because a
    regular store first fetches the line that it overwrites.
    """

    formula: str
    reads: int
    writes: int
    flops_per_element: int
    bytes_per_element: int
    write_allocate_per_element: int
    isa: str
    strands: int


class ScalingPoint(msgspec.Struct, kw_only=True):
    """Total bandwidth over `cores` threads running the kernel at once.

    `value` is the median of short passes. `best` is their 95th percentile, for comparison with tools that
    report their best pass. `placed` are the cores in the order in which threads were added.
    """

    DETAILS: ClassVar[tuple[str, ...]] = ("best",)

    cores: int
    value: Quantity
    best: Quantity | None = None
    placed: list[int] = []


class LoadedLatency(msgspec.Struct, kw_only=True):
    """Load latency of one core while others inject `bandwidth` with this share of reads.

    `injectors` is the number of these others; 0 stands for idle memory, the same for every share of reads.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("read_fraction", "injectors")
    DETAILS: ClassVar[tuple[str, ...]] = ("bandwidth",)
    BETTER: ClassVar[dict[str, Better]] = {"bandwidth": "neither"}

    read_fraction: float
    bandwidth: Quantity
    latency: Quantity
    injectors: int | None = None


class ContentionPair(msgspec.Struct, kw_only=True):
    """`ratio` is bandwidth of `core` alone over that while `other` streams too; 1 means no contention."""

    BETTER: ClassVar[dict[str, Better]] = {"ratio": "lower"}

    core: int
    other: int
    ratio: Quantity


class GroupPoint(msgspec.Struct, kw_only=True):
    """`cores` cores of a group stream at once: `bandwidth` is that of all of them together.

    `ratio` is the bandwidth of one core alone over that of each of them; 1 means no contention.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("cores",)
    BETTER: ClassVar[dict[str, Better]] = {"ratio": "lower"}

    cores: int
    bandwidth: Quantity
    ratio: Quantity
    placed: list[int] = []


class GroupScaling(msgspec.Struct, kw_only=True):
    """Memory bandwidth over the number of cores of a contention group.

    `name` lists its `cores`. `over` are the cores that streamed: the group, or the smallest declared set that
    holds it. `kind` is what these share ("L3", "NUMA node", "package", "machine"). With `saturates_at` cores,
    nine tenths of the largest bandwidth are reached.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    kind: str
    cores: list[int]
    over: list[int]
    points: list[GroupPoint]
    saturates_at: int


class Memory(msgspec.Struct, kw_only=True):
    latency: Quantity | None = None
    bandwidth: dict[str, list[ScalingPoint]] = {}
    kernels: dict[str, StreamKernel] = {}
    contention_groups: list[list[int]] | None = None
    contention_pairs: list[ContentionPair] = []
    contention_scaling: list[GroupScaling] = []
    loaded_latency: list[LoadedLatency] = []


class DistanceClass(msgspec.Struct, kw_only=True):
    """Pairs of places, owner first, whose reads cost about the same.

    `ratio` is their time over that of local reads, `time` that of a whole block, `time_per_line` that of one
    cache line of it. `declared_distance` holds the distances that the system declares for these pairs: one if
    it agrees, several or none if it does not.
    """

    BETTER: ClassVar[dict[str, Better]] = {"ratio": "lower"}

    name: str
    ratio: Quantity
    pairs: list[tuple[int, int]]
    time: Quantity | None = None
    time_per_line: Quantity | None = None
    declared_distance: list[float] = []


class SlowPlace(msgspec.Struct, kw_only=True):
    """A NUMA node or a core that is slower than its like; `kind` says which of them has this number.

    `part` says what is slow: its "memory" for all readers, its "cores" with all memories, or its "link", over
    which others read it and it reads others. `ratio` is its time over the usual one. `places` are those that
    belong to it; the distance classes leave them out.
    """

    BETTER: ClassVar[dict[str, Better]] = {"ratio": "lower"}

    number: int
    part: str
    ratio: Quantity
    places: list[int]
    kind: Literal["NUMA node", "core"] = "NUMA node"


class Numa(msgspec.Struct, kw_only=True):
    """The five Blacklight experiments. Rows are owners, columns readers, in the order of `places`.

    `over` is "numa" where places are NUMA nodes and "cores" where they are cores. Entries that were not
    measured (sampled machines) are None. Matrices of more than 2,048 cells are empty here and stand in
    `sparse` by their names, those of `ping_back` as "ping_back.STEP".

    Times are those for `block_bytes`, of which every 16th integer is read; `block_bytes_of` has this size by
    experiment where it differs. Times of allocation are for `touched_bytes`: `allocation`, `first_touch`,
    `second_touch` and `release` are those of all cores at once with small pages, the median over the cores of
    a place; `first_touch_huge` is the same with huge pages, `first_touch_alone` that of one core at a time
    with small ones.
    """

    DETAILS: ClassVar[tuple[str, ...]] = (
        "allocation",
        "first_touch",
        "reallocated",
        "second_touch",
        "release",
        "first_touch_huge",
        "first_touch_alone",
    )
    INDEXED_BY: ClassVar[dict[str, str]] = dict.fromkeys(
        ("sequential_first", "sequential_again", "lockstep", "random", "ping_back", *DETAILS), "places"
    )

    over: str
    places: list[int]
    sequential_first: list[list[Quantity | None]]
    sequential_again: list[list[Quantity | None]]
    lockstep: list[list[Quantity | None]] = []
    random: list[list[Quantity | None]] = []
    ping_back: dict[str, list[list[Quantity | None]]] = {}
    allocation: list[Quantity] = []
    first_touch: list[Quantity] = []
    reallocated: list[list[Quantity | None]] = []
    classes: list[DistanceClass] = []
    block_bytes: int | None = None
    first_touch_huge: list[Quantity] = []
    first_touch_alone: list[Quantity | None] = []
    second_touch: list[Quantity] = []
    release: list[Quantity] = []
    slow: list[SlowPlace] = []
    sparse: dict[str, SparseMatrix] = {}
    block_bytes_of: dict[str, int] = {}
    touched_bytes: int | None = None


class LatencyLayer(msgspec.Struct, kw_only=True):
    """Pairs of similar latency; `relations` is what the system declares about them, the most frequent
    first. `groups` are the cores that reach each other at this latency or faster.
    """

    latency: Quantity
    pairs: list[tuple[int, int]]
    relations: list[str] = []
    groups: list[list[int]] = []


class CoreToCore(msgspec.Struct, kw_only=True):
    """One-way latency of a cache line handed from one core to another.

    `latency` is that of a plain store which the other core awaits with loads, `compare_exchange` that of
    compare-and-exchange on both sides, as in most published matrices. Both are symmetric. Matrices of many
    cores are empty here, and their measured entries stand in `sparse` by their names. `disturbed` pairs are
    in no layer; `clock_step` is that of a clock too coarse for the latencies.
    """

    INDEXED_BY: ClassVar[dict[str, str]] = {"latency": "cores", "compare_exchange": "cores"}

    cores: list[int]
    latency: list[list[Quantity | None]]
    layers: list[LatencyLayer] = []
    compare_exchange: list[list[Quantity | None]] = []
    disturbed: list[tuple[int, int]] = []
    clock_step: Quantity | None = None
    sparse: dict[str, SparseMatrix] = {}


class NodeFacts(msgspec.Struct, kw_only=True):
    clock: Clock | None = None
    cores: list[Core] = []
    caches: list[Cache] = []
    tlb: list[Tlb] = []
    memory: Memory | None = None
    numa: Numa | None = None
    core_to_core: CoreToCore | None = None


class SurveyFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `survey`. `declared` is the topology that the OS reports.

    `merged` is there where several surveys became one profile: quantities are then medians over these.
    `origin` names the file and the program of a run that groma did not do.
    """

    OUTCOMES: ClassVar[tuple[str, ...]] = ("origin",)
    NO_TEST: ClassVar[tuple[str, ...]] = ("network",)

    node: NodeFacts
    declared: Topology | None = None
    network: NetworkFacts | None = None
    merged: Merged | None = None
    origin: str | None = None


KIND = Kind(
    name="survey",
    title="survey",
    what="the profile of a machine",
    facts=SurveyFacts,
    schema="profile",
    sections="groma.report.kinds.survey:SECTIONS",
    reopened="groma.survey.run:as_read",
    foreign=ForeignFile(
        marks=(b"START mpiGraph",),
        reader="groma.survey.network.mpigraph:imported_records",
        called="an output of mpiGraph (with its heading)",
    ),
    more_samples=("--thorough",),
)
