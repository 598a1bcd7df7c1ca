"""Files as systems: records of groma, outputs of hpcc, tables of published results.

Nothing that is wrong with a file stops the others: it becomes a warning with the file and the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.balance.inter_node import has_unknown_nodes
from groma.balance.reference import SHIPPED, facts_in, is_reference_file, shipped, systems_of
from groma.balance.soundness import without_impossible
from groma.balance.summaries import ReadSystem, repeated_summaries
from groma.balance.systems import Run, fills_nodes, nodes_of, system_of
from groma.errors import GromaError
from groma.facts.balance import KIND, BalanceFacts, System, Warned
from groma.facts.hpcc import HpccFacts
from groma.facts.kinds import kind_of_file
from groma.facts.reading import decode_record
from groma.hpccoutf.imported import imported_runs
from groma.record.environment import Environment
from groma.record.io import read_bytes
from groma.record.reading import is_missing
from groma.record.redact import redacted_here

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from groma.balance.reference import Fact
    from groma.hpccoutf.imported import Imported
    from groma.record import Record


class NamedFile(NamedTuple):
    """A file, what its systems are called, and what is shown of its path where that is not all of it."""

    name: str
    path: Path
    shown: str = ""

    @property
    def place(self) -> str:
        return self.shown or str(self.path)


class ReadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of reading files: see `groma balance --help`.

    To `redact`, the `hosts` that any of the files names get numbers, and platforms that are called after
    hosts as well: `platforms` holds those so far.
    """

    ranks_per_node: int | None = None
    redact: bool = False
    reference: bool = False
    hosts: frozenset[str] = frozenset()
    platforms: dict[str, str] = {}


class FoundSystems(NamedTuple):
    """`unused` are files that gave no system."""

    systems: list[System]
    warnings: list[Warned]
    unused: list[str]


def read_systems(files: Iterable[NamedFile], options: ReadOptions) -> FoundSystems:
    """Every system in the files, each once. Never raises for what a file holds."""
    found: list[ReadSystem] = []
    warnings: list[Warned] = []
    unused: list[str] = []
    for file in files:
        own, reported = _read(file, options)
        warnings += reported
        found += own
        if not own:
            unused.append(file.place)
    systems, summed_up = _without_summaries(found)
    kept, repeated = distinct(systems)
    repeated = [*summed_up, *repeated]
    missing = [one for system in kept for one in _missing(system)]
    unplaced = [*_uneven(kept, options), *_unplaced(kept, options)]
    return FoundSystems(kept, [*warnings, *repeated, *missing, *unplaced], unused)


def reference_systems(name: str, files: Sequence[NamedFile], options: ReadOptions) -> FoundSystems:
    """Those of a shipped table, else of the file of that name.

    Raises GromaError (exit code 2) where there is neither.
    """
    if name in SHIPPED:
        return FoundSystems(systems_of(shipped(name)), [], [])
    if is_missing(files[0].path):
        raise GromaError(f"there is no reference {name!r}", f"use none, {', '.join(SHIPPED)} or a file")
    found = read_systems(files, msgspec.structs.replace(options, reference=True))
    if not found.systems:
        raise GromaError(f"the reference {name}: {found.warnings[0].what}", found.warnings[0].next)
    return found


def joined(own: FoundSystems, others: Sequence[FoundSystems]) -> FoundSystems:
    """The systems of the user before those to compare them with, under names of their own."""
    systems = [*own.systems, *(one for found in others for one in found.systems)]
    warnings = [*own.warnings, *(one for found in others for one in found.warnings)]
    kept, repeated = distinct(systems)
    return FoundSystems(kept, [*warnings, *repeated], own.unused)


def _read(file: NamedFile, options: ReadOptions) -> tuple[list[ReadSystem], list[Warned]]:
    try:
        own, reported = _systems_in(read_bytes(file.path), file, options)
        _refuse_empty(own)
    except GromaError as error:
        what = error.what.removeprefix(str(file.path)).lstrip(":, ")
        return [], [Warned(source=file.place, code="balance.unusable", what=what, next=error.next_step)]
    usable, impossible = _without_impossible(own)
    return usable, [*reported, *impossible]


def _without_impossible(found: Iterable[ReadSystem]) -> tuple[list[ReadSystem], list[Warned]]:
    kept: list[ReadSystem] = []
    reported: list[Warned] = []
    for one in found:
        system, names = without_impossible(one.system)
        kept.append(one._replace(system=system))
        if names:
            what = f"{', '.join(names)}: no rate or time is like this, so it is left out"
            reported.append(_warned(system, "impossible-value", what, "measure it again"))
    return kept, reported


def _refuse_empty(found: Sequence[ReadSystem]) -> None:
    if not found:
        raise GromaError("it has no system in it", "name a file with the results of a system")


def _systems_in(
    content: bytes, file: NamedFile, options: ReadOptions
) -> tuple[list[ReadSystem], list[Warned]]:
    path = str(file.path)
    kind = kind_of_file(content)
    if kind is not None:
        return _of_runs(_imported(_runs_in(content, file), file), options)
    if is_reference_file(content[:4096].decode("utf-8", errors="replace")):
        return _published(facts_in(content.decode("utf-8", errors="replace"), path), options), []
    return _of_record(decode_record(content, path), file, options)


def _runs_in(content: bytes, file: NamedFile) -> list[Imported]:
    """As `imported_runs`, under the place that is shown."""
    try:
        return imported_runs(content, file.place)
    except GromaError as error:
        raise error.saying(error.what.removeprefix(file.place), error.next_step) from None


def _published(facts: Sequence[Fact], options: ReadOptions) -> list[ReadSystem]:
    """The systems of a table, on as many nodes as it says, else as the user does."""
    found = (
        msgspec.structs.replace(one, nodes=one.nodes or nodes_of(one.ranks, options.ranks_per_node))
        for one in systems_of(facts)
    )
    return [ReadSystem(one) for one in found]


def _of_record(
    record: Record[Any], file: NamedFile, options: ReadOptions
) -> tuple[list[ReadSystem], list[Warned]]:
    if isinstance(record.facts, BalanceFacts):
        return _again(record.facts, options), []
    if not isinstance(record.facts, HpccFacts):
        what = f"is a record of kind {record.kind}, which has no balance"
        raise GromaError(f"{file.path} {what}", "name records of groma hpcc or outputs of hpcc")
    shown = redacted_here(record, options.hosts) if options.redact else record
    reported = [
        Warned(source=file.place, code=one.code, what=one.what, next=one.next) for one in shown.warnings
    ]
    reported += [*_unfinished(shown, file.place), *_failed_checks(shown.facts, file.place)]
    return _of_runs([Run(file.name, file.place, record, _environment(record), reported)], options)


def _unfinished(record: Record[HpccFacts], source: str) -> Iterator[Warned]:
    if record.unfinished is not None:
        state = record.unfinished
        yield Warned(source=source, code="record.unfinished", what=state.what, next=state.next)


def _failed_checks(facts: HpccFacts, source: str) -> Iterator[Warned]:
    """An output of hpcc says this in its own warnings."""
    for test in facts.tests:
        for check in test.checks:
            if not check.passed:
                what = f"{test.name}: {check.in_words()}; the figures that it checks do not count"
                step = "find out why the result is wrong, and run the test again"
                yield Warned(source=source, code=f"{KIND.name}.failed-check", what=what, next=step)


def _again(facts: BalanceFacts, options: ReadOptions) -> list[ReadSystem]:
    """The systems of an earlier balance; references stay references."""
    found = (
        msgspec.structs.replace(one, reference=one.reference or options.reference) for one in facts.systems
    )
    return [ReadSystem(one) for one in found]


def _imported(runs: Sequence[Imported], file: NamedFile) -> Iterator[Run]:
    for number, one in enumerate(runs, start=1):
        name = file.name if len(runs) == 1 else f"{file.name} ({number})"
        reported = [
            Warned(
                source=file.place,
                line=anomaly.line,
                code=anomaly.code,
                what=anomaly.what,
                next=anomaly.next,
            )
            for anomaly in one.run.anomalies
        ]
        source = one.place if len(runs) == 1 else f"{one.place}, line {one.run.line}"
        yield Run(name, source, one.record, _environment(one.record), reported)


def _environment(record: Record[Any]) -> Environment:
    try:
        return msgspec.convert(record.environment, Environment)
    except msgspec.ValidationError:
        return Environment(captured="")


def _of_runs(runs: Iterable[Run], options: ReadOptions) -> tuple[list[ReadSystem], list[Warned]]:
    systems: list[ReadSystem] = []
    reported: list[Warned] = []
    for run in runs:
        system = system_of(run, options.ranks_per_node, reference=options.reference)
        shown = _without_host(system, options.platforms) if options.redact else system
        systems.append(ReadSystem(shown, run.record.facts))
        reported += run.warnings
    return systems, reported


def _without_host(system: System, platforms: dict[str, str]) -> System:
    """The name of a platform is that of a processor, or what is left of the name of a host: then a number."""
    if system.platform == system.cpu:
        return system
    number = platforms.setdefault(system.platform, f"platform-{len(platforms) + 1}")
    return msgspec.structs.replace(system, platform=number)


# ---- what is missing or double -----------------------------------------------------------------------------


def _missing(system: System) -> Iterator[Warned]:
    """Why a system has no ratios."""
    if not system.quantities and not system.accumulated:
        yield _warned(
            system, "nothing-measured", "it has no figures", "name a run that ended with its checks passed"
        )
    elif system.no_ratios:
        what = f"{system.no_ratios}, so there are no ratios to HPL"
        step = "run all tests again, with HPL on a grid of all ranks and with every check passed"
        yield _warned(system, "unusable-hpl", what, step)
    elif "hpl" not in system.accumulated:
        what = "HPL has no figure, so there are no ratios to it"
        yield _warned(system, "no-hpl", what, "run HPL too, with the same ranks")
    elif system.ranks is None:
        what = "the number of ranks is unknown, so what each rank does cannot be added up"
        row = "a row ranks" if _is_published(system) else "the line CommWorldProcs= of the original file"
        yield _warned(system, "no-ranks", what, f"add {row}")


def _uneven(systems: Sequence[System], options: ReadOptions) -> Iterator[Warned]:
    """Systems of which nothing says how many ranks are on each node, as not all can have as many."""
    per_node = options.ranks_per_node
    for one in systems:
        if one.nodes and has_unknown_nodes(one):
            what = f"{one.ranks} ranks do not fill {one.nodes} nodes, so how many are on each is unknown"
            yield _warned(one, "nodes-uneven", what, "correct the number of nodes, or leave it out")
        elif one.ranks and per_node and one.nodes is None and not fills_nodes(one.ranks, per_node):
            what = f"{one.ranks} ranks do not fill nodes of {per_node}, so how many are on each is unknown"
            yield _warned(one, "nodes-uneven", what, "give --ranks-per-node for this file alone")


def _unplaced(systems: Sequence[System], options: ReadOptions) -> Iterator[Warned]:
    """One for all: of outputs of hpcc no one says it."""
    if options.ranks_per_node:
        return
    found = [one for one in systems if one.ranks and one.nodes is None and one.quantities]
    if found:
        of = f" of this and {len(found) - 1} more" if len(found) > 1 else ""
        what = f"the number of nodes{of} is unknown; on one node, rings measure memory and no network"
        yield _warned(found[0], "nodes-unknown", what, "give --ranks-per-node")


def _warned(system: System, code: str, what: str, step: str) -> Warned:
    """A publication has many systems, a file of a run has one."""
    named = f"{system.name}: {what}" if _is_published(system) else what
    return Warned(source=system.source, code=f"{KIND.name}.{code}", what=named, next=step)


def _without_summaries(found: Sequence[ReadSystem]) -> tuple[list[System], list[Warned]]:
    """A record has intervals, which the output of its run has not."""
    repeated = repeated_summaries(found)
    step = "leave it out: the record has more"
    reported = [
        _warned(one.system, "duplicate", f"is the summary of {one.record.name}, so it counts once", step)
        for one in repeated
    ]
    left_out = {id(one.system) for one in repeated}
    return [one.system for one in found if id(one.system) not in left_out], reported


def distinct(systems: Iterable[System]) -> tuple[list[System], list[Warned]]:
    """Each run once, each under a name of its own."""
    kept: dict[str, System] = {}
    seen: dict[bytes, System] = {}
    reported = []
    for one in systems:
        first = seen.setdefault(_identity(one), one)
        if first is not one:
            kind = "system" if _is_published(one) else "run"
            what = f"is the same {kind} as {first.name}, so it counts once"
            reported.append(_warned(one, "duplicate", what, "leave one of the two out"))
            continue
        name = _free(one.name, kept)
        kept[name] = one if name == one.name else msgspec.structs.replace(one, name=name)
    return list(kept.values()), reported


def _identity(system: System) -> bytes:
    """Of a run all that was measured, and when. Other systems may agree in the few figures that they have."""
    if not _is_measured(system):
        return msgspec.json.encode(system)
    measured = {name: one.value for name, one in system.quantities.items()}
    return msgspec.json.encode((system.ranks, system.created, sorted(measured.items())))


def _is_measured(system: System) -> bool:
    return bool(system.quantities) and not _is_published(system)


def _is_published(system: System) -> bool:
    """From a table: a run says when it was, or that it does not know."""
    return not system.created


def _free(name: str, taken: dict[str, System]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
