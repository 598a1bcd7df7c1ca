"""Runs of the suite as systems: who ran what, on how many ranks, with every quantity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groma.balance.ratios import accumulated_of
from groma.facts.balance import System, Warned
from groma.hpccoutf.headlines import DEFINITIONS, FURTHER, headlines_of, ranks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.hpcc import HpccFacts
    from groma.record import Quantity, Record
    from groma.record.environment import Environment


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
    ranks, found = ranks_of(facts), _quantities(facts)
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
        nodes=launch.nodes if launch else _nodes(ranks, ranks_per_node),
        success=facts.success,
        quantities=found,
        accumulated=accumulated_of(found, ranks),
    )


def _quantities(facts: HpccFacts) -> dict[str, Quantity]:
    headlines = headlines_of(facts, (*DEFINITIONS, *FURTHER))
    return {name.replace(" ", "_"): one.quantity for name, one in headlines.items()}


def _nodes(ranks: int | None, ranks_per_node: int | None) -> int | None:
    return -(-ranks // ranks_per_node) if ranks and ranks_per_node else None


def threads_of(facts: HpccFacts) -> int | None:
    """Threads of each rank; None where nothing says so. Threads of a BLAS are in no output of hpcc."""
    if facts.launch:
        return facts.launch.threads
    summary = facts.summary
    reported = summary.get("STREAM_Threads", "")
    if summary.get("M_OPENMP", "0") != "0":
        reported = summary.get("omp_get_max_threads", "") or summary.get("omp_get_num_threads", "")
    return int(reported) if reported.isdecimal() and 0 < int(reported) < MOST_THREADS else None


MOST_THREADS = 1 << 20


def _platform(run: Run) -> str:
    """What runs have in common that lie on one curve: the processor, else the host without its number."""
    if run.environment.cpu.model:
        return run.environment.cpu.model
    host = re.sub(r"[-_]?\d+$", "", (run.environment.host or "").partition(".")[0])
    return host or re.sub(r" \(\d+\)$", "", run.name)
