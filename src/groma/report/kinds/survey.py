"""The sections of a profile on the terminal, in the order in which they are read."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from groma.record.counting import counted
from groma.record.units import format_ids, format_quantity, format_share, format_time, format_value
from groma.report.document import Block, Pairs, StyledText, Text
from groma.report.kinds.survey_network import NETWORK_SECTIONS
from groma.report.matrices import matrix_blocks, summary_row
from groma.report.terminal import Sections, notes_of, table
from groma.report.words.environment import environment_of
from groma.report.words.node import (
    cache_name,
    contention,
    experiments_of,
    groups_of_ends,
    indexed_by,
    indexing_note,
    measured_between,
    memory_without_cores,
    pages_of_tlb,
    place_name,
    sharing,
    touches_of,
)
from groma.report.words.text import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from groma.facts.merged import FactSpread, QuantitySpread
    from groma.facts.survey import (
        Cache,
        DistanceClass,
        LoadedLatency,
        Memory,
        ScalingPoint,
        SlowPlace,
        SurveyFacts,
    )
    from groma.record import Quantity, Record
    from groma.record.environment import Environment, Limits
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

    Survey = Record[SurveyFacts]

SECTIONS = Sections()


@SECTIONS.section("machine", "Machine", "environment")
def machine(record: Survey) -> Blocks:
    environment = environment_of(record)
    items = [
        ("host", environment.host),
        ("processor", _processor(environment, record)),
        ("memory", _memory_line(environment)),
        ("without cores", memory_without_cores(environment.numa)),
        ("system", joined(environment.distribution, environment.kernel)),
        ("virtual", _virtual(environment)),
        ("limits", _limits(environment)),
        ("read from", record.facts.origin),
        ("surveyed", _surveyed(record)),
    ]
    return [Pairs([(name, value) for name, value in items if value])]


def _counted(number: int | None, noun: str) -> str:
    return "" if number is None else counted(number, noun)


def _processor(environment: Environment, record: Survey) -> str:
    cores = record.facts.node.cores
    packages = len({core.package for core in cores}) or environment.cpu.packages
    nodes = len({core.numa for core in cores}) or len(environment.numa) or None
    smt = f"SMT {environment.cpu.smt}" if environment.cpu.smt in {"on", "off"} else ""
    return joined(
        environment.cpu.model,
        _counted(environment.cpu.cores, "core"),
        _counted(environment.cpu.threads, "hardware thread"),
        _counted(packages, "package"),
        _counted(nodes, "NUMA node"),
        smt,
    )


def _memory_line(environment: Environment) -> str:
    memory = environment.memory
    return joined(
        format_value(memory.total_bytes, "B") if memory.total_bytes else "",
        f"{format_value(memory.page_bytes, 'B')} pages" if memory.page_bytes else "",
        f"transparent huge pages {memory.huge_pages}" if memory.huge_pages else "",
    )


def _virtual(environment: Environment) -> str:
    names = environment.virtualisation
    return joined(
        f"virtual machine ({names.hypervisor})" if names.hypervisor else "",
        f"container ({names.container})" if names.container else "",
    )


def _limits(environment: Environment) -> str:
    limits = environment.limits
    narrowed = limits.affinity if limits.affinity != limits.online else None
    return joined(
        f"may run on processors {narrowed}{_of_online(limits)}" if narrowed else "",
        f"{limits.cpu_quota:g} processors by control group" if limits.cpu_quota else "",
        f"{format_value(limits.memory_bytes, 'B')} by control group" if limits.memory_bytes else "",
    )


def _of_online(limits: Limits) -> str:
    return f" of {limits.online}" if limits.online else ""


def _surveyed(record: Survey) -> str:
    """Nothing of a run of another program, which says neither when nor how long it measured."""
    if record.facts.origin is not None:
        return ""
    elapsed = sum(one.elapsed for one in record.samples.values())
    depth = record.parameters.get("depth")
    return joined(
        format_time(record.created),
        f"{_outcomes(record)} in {format_value(elapsed, 's')}" if record.samples else "",
        f"depth {depth}" if depth else "",
        f"groma {record.build.version}",
    )


def _outcomes(record: Survey) -> str:
    """What became of the probes that have samples; those that ended by their budget might have gone on."""
    ended = {name: one.ended for name, one in record.samples.items()}
    done = sum(one.done for one in record.samples.values())
    failed = ", ".join(name for name, how in ended.items() if how == "failed")
    cut = sum(how == "budget" for how in ended.values())
    more = [f"failed: {failed}" if failed else "", f"{cut} by their budget" if cut else ""]
    reported = "; ".join(filter(None, more))
    of_all = "" if done == len(ended) else f" of {len(ended)}"
    noun = "probe" if len(ended) == 1 else "probes"
    return f"{done}{of_all} {noun} done{f' ({reported})' if reported else ''}"


@SECTIONS.section("clock", "Clock", "facts", "node", "clock")
def clock(record: Survey) -> Blocks:
    facts = record.facts.node.clock
    if facts is None:
        return []
    items = [
        ("core frequency", facts.core_frequency),
        ("timer cost", facts.timer_cost),
        ("timer resolution", facts.timer_resolution),
    ]
    return [Pairs([(name, format_quantity(quantity)) for name, quantity in items])]


@SECTIONS.section("cores", "Cores", "facts", "node", "cores")
def cores(record: Survey) -> Blocks:
    ordered = sorted(record.facts.node.cores, key=lambda core: (core.package, core.numa, core.logical))
    rows = []
    for (package, numa), group in groupby(ordered, key=lambda core: (core.package, core.numa)):
        members = list(group)
        logical, physical = [core.logical for core in members], [core.physical for core in members]
        rows.append([str(package), str(numa), format_ids(logical), format_ids(physical)])
    return table([">package", ">NUMA node", "logical cores", "physical (the system's)"], rows)


@SECTIONS.section("caches", "Caches", "facts", "node", "caches")
def caches(record: Survey) -> Blocks:
    levels = record.facts.node.caches
    reported = [
        (cache, note) for cache in levels for note in (*cache.notes, indexing_note(cache.indexing)) if note
    ]
    notes: list[Block] = [Text([f"{cache_name(cache)}: {note}"]) for cache, note in reported]
    rows = [[name, *map(cell, levels)] for name, cell in _CACHE_ROWS.items()]
    rows = [row for row in rows if row[0] != _INDEXED or any(one.indexing for one in levels)]
    columns = ["", *map(cache_name, levels)]
    return [*table(columns, rows if levels else []), *notes]


def _declared(quantity: Quantity) -> Cell:
    if quantity.os_value is None:
        return "-"
    declared = format_value(quantity.os_value, quantity.unit)
    return StyledText(f"{declared}, disagrees", "warn") if quantity.agrees is False else f"{declared}, agrees"


_INDEXED = "indexed by"

# Levels stand side by side, so that four of them with their intervals fit on a terminal.
_CACHE_ROWS: dict[str, Callable[[Cache], Cell]] = {
    "size": lambda cache: format_quantity(cache.size),
    "system says": lambda cache: _declared(cache.size),
    "latency": lambda cache: format_quantity(cache.latency),
    "in cycles": lambda cache: format_quantity(cache.latency_cycles, interval=False),
    "line": lambda cache: format_quantity(cache.line),
    "associativity": lambda cache: format_quantity(cache.associativity),
    _INDEXED: lambda cache: indexed_by(cache.indexing) or "-",
    "shared by": lambda cache: sharing(cache.shared_by) or "-",
}


@SECTIONS.section("tlb", "TLB", "facts", "node", "tlb")
def tlb(record: Survey) -> Blocks:
    rows = [
        [
            f"L{one.level}",
            pages_of_tlb(one),
            format_quantity(one.reach),
            format_quantity(one.miss_cost),
        ]
        for one in record.facts.node.tlb
    ]
    return table(["level", "pages of", "reach", "cost of a miss"], rows)


@SECTIONS.section("memory", "Memory", "facts", "node", "memory")
def memory(record: Survey) -> Blocks:
    facts = record.facts.node.memory
    if facts is None:
        return []
    lines = [("latency", format_quantity(facts.latency))] if facts.latency else []
    if facts.contention_groups is not None:
        lines.append(("contention", contention(facts.contention_groups)))
    return [
        *([Pairs(lines)] if lines else []),
        *_bandwidth(facts),
        *_scaling_of_groups(facts),
        *_under_load(facts),
    ]


_MOST_GROUPS = 8


def _scaling_of_groups(facts: Memory) -> list[Block]:
    """The ends of each curve; the section contention has the whole of it."""
    shown = facts.contention_scaling[:_MOST_GROUPS]
    rows = [
        [
            f"{group.name} ({group.kind})",
            format_quantity(group.points[0].bandwidth),
            f"{format_quantity(group.points[-1].bandwidth)} on {group.points[-1].cores}",
            format_quantity(group.points[-1].ratio),
            str(group.saturates_at),
        ]
        for group in shown
    ]
    more = len(facts.contention_scaling) - len(shown)
    caption = f"{more} more groups in the section contention" if more else ""
    return table(["group of cores", "1 core", "all at once", ">each slower by", ">full with"], rows, caption)


def _bandwidth(facts: Memory) -> list[Block]:
    widest = max((point.cores for points in facts.bandwidth.values() for point in points), default=0)
    columns = ["kernel", "1 core", f"{counted(widest, 'core')} at once", ">gain"]
    rows = [_bandwidth_row(kernel, points, widest) for kernel, points in facts.bandwidth.items() if points]
    if widest == 1:
        return table(columns[:2], [row[:2] for row in rows])
    return table(columns, rows)


def _bandwidth_row(kernel: str, points: Sequence[ScalingPoint], widest: int) -> list[Cell]:
    by_cores = {point.cores: point.value for point in points}
    alone, together = by_cores.get(1), by_cores.get(widest)
    gain = f"{together.value / alone.value:.2f} x" if alone and together and alone.value else "-"
    return [kernel, format_quantity(alone), format_quantity(together), gain]


def _under_load(facts: Memory) -> list[Block]:
    """The two ends of each curve; the section loaded-latency has the whole of it."""
    rows = []
    for read_fraction, points in _curves(facts):
        idle, full = points[0], max(points, key=lambda point: point.bandwidth.value)
        rows.append(
            [
                format_share(read_fraction),
                format_quantity(idle.latency, interval=False),
                format_quantity(full.latency, interval=False),
                format_quantity(full.bandwidth),
            ]
        )
    return table([">reads", ">latency unloaded", ">at full load", "which is"], rows)


def _curves(facts: Memory) -> list[tuple[float, list[LoadedLatency]]]:
    """Loaded latencies by share of reads, most reads first, along growing bandwidth."""
    ordered = sorted(facts.loaded_latency, key=lambda point: (-point.read_fraction, point.bandwidth.value))
    return [
        (share, list(points)) for share, points in groupby(ordered, key=lambda point: point.read_fraction)
    ]


@SECTIONS.section(
    "contention",
    "Contention for memory",
    "facts",
    "node",
    "memory",
    "contention_scaling",
    at_a_glance=False,
)
def contention_scaling(record: Survey) -> Blocks:
    facts = record.facts.node.memory
    rows = [
        [group.name, str(point.cores), format_quantity(point.bandwidth), format_quantity(point.ratio)]
        for group in (facts.contention_scaling if facts else [])
        for point in group.points
    ]
    groups = facts.contention_groups if facts else None
    reported: list[Block] = [] if groups is None else [Pairs([("contention", contention(groups))])]
    return [*reported, *table(["group of cores", ">cores", "bandwidth together", ">each slower by"], rows)]


@SECTIONS.section(
    "loaded-latency", "Loaded latency", "facts", "node", "memory", "loaded_latency", at_a_glance=False
)
def loaded_latency(record: Survey) -> Blocks:
    facts = record.facts.node.memory
    rows = [
        [format_share(share), format_quantity(point.bandwidth), format_quantity(point.latency)]
        for share, points in (_curves(facts) if facts else [])
        for point in points
    ]
    return table([">reads", "bandwidth injected", "load latency under this traffic"], rows)


@SECTIONS.section("numa", "Memory of cores and NUMA nodes", "facts", "node", "numa")
def numa(record: Survey) -> Blocks:
    facts = record.facts.node.numa
    if facts is None:
        return []
    experiments = experiments_of(facts)
    rows = [
        [*summary_row(one.name, facts.places, one.entries), format_value(one.size, "B") if one.size else "-"]
        for one in experiments
    ]
    columns = ["experiment", ">own", ">others'", ">slowest other", "pair", ">for"]
    aside = " (this machine has one NUMA node)" if _of_one_node(record) else ""
    places = f"{counted(len(facts.places), place_name(facts))}{aside}"
    caption = f"medians over {places}; pairs are owner <- reader"
    return [
        *table(columns, rows, caption),
        *_ranges(touches_of(facts)),
        *_classes(facts.classes),
        *_slow(facts.slow),
    ]


def _of_one_node(record: Survey) -> bool:
    return len({core.numa for core in record.facts.node.cores}) < 2


def _slow(slow: Sequence[SlowPlace]) -> list[Block]:
    rows: list[list[Cell]] = [
        [f"{one.kind} {one.number}", one.part, format_quantity(one.ratio)] for one in slow
    ]
    return list(table(["slow", "what of it", ">times usual"], rows)) if slow else []


def _ranges(groups: Mapping[str, Sequence[Quantity | None]]) -> list[Block]:
    """From the lowest to the highest of each group that was measured."""
    rows = []
    for name, group in groups.items():
        if known := [one for one in group if one is not None]:
            low, high = min(known, key=_value), max(known, key=_value)
            ends = dict.fromkeys((format_quantity(low), format_quantity(high)))
            rows.append((name, " to ".join(ends)))
    return [Pairs(rows)] if rows else []


def _value(quantity: Quantity) -> float:
    return quantity.value


def _classes(classes: list[DistanceClass]) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            one.name,
            format_quantity(one.ratio),
            format_quantity(one.time_per_line),
            ", ".join(f"{distance:g}" for distance in one.declared_distance) or "-",
            str(len(one.pairs)),
            _some_pairs(one.pairs),
        ]
        for one in classes
    ]
    columns = ["distance class", ">times local", ">per line", "declared distance", ">pairs", "which"]
    return list(table(columns, rows)) if classes else []


@SECTIONS.section("core-to-core", "Core to core", "facts", "node", "core_to_core")
def core_to_core(record: Survey) -> Blocks:
    facts = record.facts.node.core_to_core
    if facts is None:
        return []
    rows = [
        [
            str(number),
            format_quantity(layer.latency),
            ", ".join(layer.relations) or "-",
            str(len(layer.pairs)),
            groups_of_ends(layer.groups) or _some_pairs(layer.pairs),
        ]
        for number, layer in enumerate(facts.layers, start=1)
    ]
    layers = table([">layer", "one-way latency", "declared as", ">pairs", "which"], rows)
    exchanges = [entry.quantity for entry in measured_between(facts.cores, facts, "compare_exchange")]
    return [
        *layers,
        *_ranges({"by compare-and-exchange": exchanges}),
        *matrix_blocks(
            "one-way latency, row to column",
            facts.cores,
            measured_between(facts.cores, facts, "latency"),
        ),
    ]


def _some_pairs(pairs: Sequence[tuple[int, int]], shown: int = 4) -> str:
    listed = " ".join(f"{first}-{second}" for first, second in pairs[:shown])
    return listed + (" ..." if len(pairs) > shown else "")


for name, title, fact, build, at_a_glance in NETWORK_SECTIONS:
    SECTIONS.section(name, title, "facts", "network", *fact, at_a_glance=at_a_glance)(build)


_MOST_AT_A_GLANCE = 12


@SECTIONS.section("merged", "Between the surveys", "facts", "merged")
def merged(record: Survey) -> Blocks:
    """The surveys, and what differs most between them."""
    facts = record.facts.merged
    if facts is None:
        return []
    surveys = [[str(i), one.name, format_time(one.created)] for i, one in enumerate(facts.surveys, start=1)]
    return [
        *table([">survey", "file", "measured"], surveys),
        *table(["fact", "surveys in turn"], [[one.name, _fact(one)] for one in facts.facts]),
        *_widest(facts.quantities),
    ]


def _fact(one: FactSpread) -> Cell:
    if one.agrees:
        return f"agree: {next(value for value in one.values if value != '-')}"
    return StyledText(f"differ: {' / '.join(one.values)}", "warn")


def _widest(quantities: Sequence[QuantitySpread]) -> list[Block]:
    ordered = sorted(quantities, key=lambda one: (one.agrees, -one.spread))
    rows: list[list[Cell]] = [
        [
            one.name,
            format_value(one.median, one.unit),
            format_share(one.spread) if one.agrees else StyledText(format_share(one.spread), "warn"),
            " ".join("-" if value is None else format_value(value, one.unit) for value in one.values),
        ]
        for one in ordered[:_MOST_AT_A_GLANCE]
    ]
    agreeing = sum(one.agrees for one in quantities)
    reported = f"{agreeing} of {len(quantities)} quantities agree between the surveys; the widest spreads"
    return table(["quantity", "median", ">spread", "surveys in turn"], rows, reported)


@SECTIONS.section("probes", "Probes", "samples", at_a_glance=False)
def probes(record: Survey) -> Blocks:
    rows = []
    for one in record.samples.values():
        count = sum(map(len, one.values))
        state: Cell = one.ended if one.done else StyledText(one.ended, "warn")
        rows.append(
            [
                one.probe,
                state,
                str(len(one.cases)),
                str(count),
                str(len(one.rounds)),
                format_value(one.elapsed, "s"),
            ]
        )
    return table(["probe", "ended", ">cases", ">samples", ">rounds", ">time"], rows)


@SECTIONS.section("warnings", "Warnings", "warnings")
def warnings(record: Survey) -> Blocks:
    return notes_of(record.warnings)
