"""On which machine a record was measured, and with which shape of job: what a trend must not mix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.hpcc import HpccFacts
from groma.hpccoutf.headlines import ranks_of, threads_of
from groma.record.counting import counted
from groma.record.hosts import pattern_of_hosts
from groma.record.known_environment import known_environment

if TYPE_CHECKING:
    from groma.record import Record

_CLUSTER = "SLURM_CLUSTER_NAME"


def machine_of(record: Record[Any]) -> str:
    """The host; of a job over several hosts its cluster, or what such hosts have in common, since they differ
    from night to night.
    """
    environment = known_environment(record.environment)
    if _nodes(record) > 1:
        cluster = environment.variables.get(_CLUSTER)
        return cluster or pattern_of_hosts(environment.host or "") or "unknown"
    return environment.host or environment.cpu.model or "unknown"


def _nodes(record: Record[Any]) -> int:
    launch = getattr(record.facts, "launch", None)
    nodes = getattr(launch, "nodes", 1)
    return nodes if isinstance(nodes, int) else 1


def shape_of(record: Record[Any]) -> str:
    """E.g. `8 ranks of 2 threads on 2 nodes`; another number of ranks is another measurement."""
    ranks, threads = _ranks_and_threads(record.facts)
    if not isinstance(ranks, int):
        return ""
    each = f" of {threads} threads" if isinstance(threads, int) and threads > 1 else ""
    where = f" on {_nodes(record)} nodes" if _nodes(record) > 1 else ""
    return f"{counted(ranks, 'rank')}{each}{where}"


def _ranks_and_threads(facts: Any) -> tuple[Any, Any]:
    """Of the launch; a run of another program has none, but says them in its output."""
    if isinstance(facts, HpccFacts):
        return ranks_of(facts), threads_of(facts)
    launch = getattr(facts, "launch", None)
    return getattr(launch, "ranks", getattr(facts, "ranks", None)), getattr(launch, "threads", 1)
