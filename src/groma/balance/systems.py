"""Runs of the suite as systems: who ran what, on how many ranks, with every quantity."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from groma.balance.ratios import accumulated_of
from groma.balance.soundness import partial_hpl, usable_figures
from groma.facts.balance import System, Warned
from groma.hpccoutf.headlines import DEFINITIONS, FURTHER, ranks_of, threads_of
from groma.record.hosts import pattern_of_hosts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.hpcc import HpccFacts
    from groma.record import Record
    from groma.record.environment import Environment
    from groma.record.launch import Launch


class Run(NamedTuple):
    """A run before it becomes a system: what it is called, where it is from, and what is odd about it."""

    name: str
    source: str
    record: Record[HpccFacts]
    environment: Environment
    warnings: Sequence[Warned]


def system_of(run: Run, ranks_per_node: int | None = None, *, reference: bool = False) -> System:
    """`ranks_per_node` is used where the run does not say on how many nodes it ran."""
    facts, launch = run.record.facts, run.record.facts.launch
    ranks, found = ranks_of(facts), usable_figures(facts, (*DEFINITIONS, *FURTHER))
    doubt = partial_hpl(facts) or _unknown_failure(run, found.failed)
    return System(
        name=run.name,
        source=run.source,
        reference=reference,
        platform=_platform(run),
        created=run.record.created,
        program=run.record.build.version,
        switch=launch.mpi.partition(",")[0] if launch else "",
        cpu=run.environment.cpu.model or "",
        ranks=ranks,
        threads=threads_of(facts),
        nodes=launch.nodes if launch else nodes_of(ranks, ranks_per_node),
        ranks_of_nodes=_uneven(launch),
        success=facts.success,
        no_ratios=doubt if "hpl_mpi" in found.quantities else "",
        quantities=found.quantities,
        accumulated=accumulated_of(found.quantities, ranks, whole_hpl=not doubt),
    )


def _uneven(launch: Launch | None) -> list[int]:
    """The ranks of each node where they differ: 12 of 8 on each node are 8 and 4, or 6 and 6."""
    counts = list(Counter(one.machine for one in launch.placement).values()) if launch else []
    return counts if len(set(counts)) > 1 else []


def _unknown_failure(run: Run, failed: Sequence[str]) -> str:
    """Of a run with a failed check any figure may be wrong, unless it is known which."""
    facts = run.record.facts
    checks = [check for test in facts.tests for check in test.checks if not check.passed]
    is_known = failed or checks or any(one.code == "hpccoutf.failed-check" for one in run.warnings)
    return "a check failed, and nothing says which" if facts.success is False and not is_known else ""


def nodes_of(ranks: int | None, ranks_per_node: int | None) -> int | None:
    """Of so many ranks on each node; None where nothing says so.

    None too for ranks that do not fill their nodes: some launchers leave the last one emptier, others even
    them out, and the share of neighbours on the same node depends on it.
    """
    if ranks == 1:
        return 1
    if not ranks or not ranks_per_node:
        return None
    return max(1, ranks // ranks_per_node) if fills_nodes(ranks, ranks_per_node) else None


def fills_nodes(ranks: int, ranks_per_node: int) -> bool:
    """Whether as many are on each node."""
    return ranks <= ranks_per_node or ranks % ranks_per_node == 0


def _platform(run: Run) -> str:
    """What runs have in common that lie on one curve: the processor, else the host without its numbers."""
    if run.environment.cpu.model:
        return run.environment.cpu.model
    host = (run.environment.host or "").partition(".")[0]
    return pattern_of_hosts(host).rstrip("*").rstrip("-_") or re.sub(r" \(\d+\)$", "", run.name)
