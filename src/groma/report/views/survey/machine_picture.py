"""The node drawn from what the system declares, with what was measured beside it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.survey import SurveyFacts
from groma.record.units import format_ids, format_value
from groma.report.blocks import Band, Box, DataTable, Figure, MachinePicture, Note, PackagePicture
from groma.report.views.registry import view
from groma.report.words.environment import environment_of
from groma.report.words.node import cache_name, kind_words
from groma.report.words.text import quantity_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.facts.survey import NodeFacts
    from groma.record import Record, Topology, TopologyCache, TopologyCore, TopologyNuma
    from groma.record.environment import MemoryKind
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks

    Kinds = Mapping[int, MemoryKind | None]
    """By the system's number of the NUMA node."""

MOST_THREADS_LABELLED = 32
"""Of more hardware threads, measured values stand with the first package alone."""

_COLUMNS = ("logical", "physical", "core", "package", "NUMA node", "usable", "caches shared with")


@view("machine", order=0, of=SurveyFacts)
def machine(record: Record[SurveyFacts]) -> Blocks:
    declared = record.facts.declared
    if declared is None:
        return [Note(text="The system declared no topology, so there is nothing to draw.")]
    return [
        Figure(
            id="machine",
            title="The node as declared, with measured values",
            what="One column per hardware thread (logical number); a box spans the threads that share it. "
            "Faded cores were not available to this run.",
            method=f"Topology from {declared.source}; measured values from this survey.",
            drawing=MachinePicture(packages=_packages(declared, record.facts.node, _kinds(record))),
            table=DataTable(columns=_COLUMNS, rows=[_core_row(core, declared) for core in declared.cores]),
            data=declared,
        )
    ]


class _Package(NamedTuple):
    """One package with the columns of its hardware threads."""

    number: int
    cores: list[TopologyCore]
    columns: dict[int, int]
    allowed: frozenset[int]


def _kinds(record: Record[SurveyFacts]) -> Kinds:
    return {place.node: place.kind for place in environment_of(record).numa}


def _packages(declared: Topology, node: NodeFacts, kinds: Kinds) -> list[PackagePicture]:
    numbers = sorted({core.package for core in declared.cores})
    pictures = [_picture(_package(declared, number), declared, node) for number in numbers]
    if len(declared.cores) > MOST_THREADS_LABELLED:  # all packages are alike to the survey
        for band in (band for picture in pictures[1:] for band in picture.bands):
            band.measured = ""
    return [*pictures, *_memory_without_cores(declared, kinds)]


def _package(declared: Topology, number: int) -> _Package:
    own = [core for core in declared.cores if core.package == number]
    cores = sorted(own, key=lambda core: (core.numa, core.core, core.logical))
    columns = {core.logical: column for column, core in enumerate(cores)}
    return _Package(number, cores, columns, frozenset(declared.allowed))


def _picture(package: _Package, declared: Topology, node: NodeFacts) -> PackagePicture:
    return PackagePicture(
        title=f"Package {package.number}",
        detail=f"hardware threads {format_ids([core.logical for core in package.cores])}",
        columns=len(package.cores),
        bands=[
            _core_band(package, node),
            *_cache_bands(package, declared, node),
            *_memory_bands(package, declared, node),
        ],
    )


def _box(package: _Package, threads: Iterable[int], text: str, detail: str) -> list[Box]:
    """The box over the columns of those threads that lie in this package; nothing if none does."""
    columns = [package.columns[thread] for thread in threads if thread in package.columns]
    if not columns:
        return []
    first = min(columns)
    return [Box(first=first, span=max(columns) - first + 1, text=text, detail=detail)]


def _core_band(package: _Package, node: NodeFacts) -> Band:
    boxes = []
    ordered = sorted(package.cores, key=lambda core: core.core)
    for _, group in groupby(ordered, key=lambda core: core.core):
        threads = list(group)
        logical = [thread.logical for thread in threads]
        physical = format_ids([thread.physical for thread in threads])
        detail = f"core: logical {format_ids(logical)}, physical {physical}"
        for box in _box(package, logical, " ".join(map(str, logical)), detail):
            box.faded = not package.allowed.intersection(logical)
            boxes.append(box)
    measured = quantity_text(node.clock.core_frequency) if node.clock else ""
    return Band(label="Cores", measured=measured, role="core", boxes=_in_order(boxes))


def _in_order(boxes: Iterable[Box]) -> list[Box]:
    return sorted(boxes, key=lambda box: box.first)


def _cache_bands(package: _Package, declared: Topology, node: NodeFacts) -> list[Band]:
    data = [cache for cache in declared.caches if cache.kind != "instruction"]
    levels = sorted({cache.level for cache in data})
    bands = [_cache_band(package, [one for one in data if one.level == level], node) for level in levels]
    return [band for band in bands if band.boxes]


def _cache_band(package: _Package, caches: Sequence[TopologyCache], node: NodeFacts) -> Band:
    first = caches[0]
    measured = next((cache for cache in node.caches if cache.level == first.level), None)
    boxes = [
        box
        for cache in caches
        for box in _box(package, cache.cores, _size(cache.size_bytes), _cache_detail(cache))
    ]
    return Band(
        label=f"{cache_name(first)} · {_size(first.size_bytes)} declared",
        measured=f"{quantity_text(measured.size)}, {quantity_text(measured.latency)}" if measured else "",
        role="level1" if first.level <= 1 else "level2" if first.level == 2 else "level3",
        boxes=_in_order(boxes),
    )


def _cache_detail(cache: TopologyCache) -> str:
    return f"{cache_name(cache)} {_size(cache.size_bytes)}: threads {format_ids(list(cache.cores))}"


def _memory_bands(package: _Package, declared: Topology, node: NodeFacts) -> list[Band]:
    boxes = [
        box for place in declared.numa for box in _box(package, place.cores, _place(place), _detail(place))
    ]
    if not boxes:
        return []
    latency = node.memory.latency if node.memory else None
    return [_memory_band(_in_order(boxes), quantity_text(latency) if latency else "")]


def _memory_band(boxes: Sequence[Box], measured: str = "") -> Band:
    return Band(label="Memory, by NUMA node", measured=measured, role="memory", boxes=boxes)


def _memory_without_cores(declared: Topology, kinds: Kinds) -> list[PackagePicture]:
    places = [place for place in declared.numa if not place.cores]
    if not places:
        return []
    boxes = []
    for column, place in enumerate(places):
        shown = " · ".join(filter(None, (_place(place), kind_words(kinds.get(place.physical)))))
        boxes.append(Box(first=column, span=1, text=shown, detail=shown))
    title = "Memory without cores"
    return [PackagePicture(title=title, detail="", columns=len(places), bands=[_memory_band(boxes)])]


def _detail(place: TopologyNuma) -> str:
    threads = format_ids(list(place.cores))
    return f"NUMA node: logical {place.logical}, physical {place.physical}, threads {threads}"


def _place(place: TopologyNuma) -> str:
    size = "" if place.memory_bytes is None else f" · {_size(place.memory_bytes)}"
    cache = place.memory_side_cache_bytes
    return f"NUMA {place.logical}{size}{f' behind {_size(cache)} of cache' if cache else ''}"


def _size(size_bytes: int | None) -> str:
    return "size unknown" if size_bytes is None else format_value(size_bytes, "B")


def _core_row(core: TopologyCore, declared: Topology) -> list[Cell]:
    usable = core.logical in declared.allowed
    shared = [
        f"{cache_name(cache)}: {format_ids(list(cache.cores))}"
        for cache in declared.caches
        if cache.kind != "instruction" and core.logical in cache.cores
    ]
    return [core.logical, core.physical, core.core, core.package, core.numa, usable, "; ".join(shared)]
