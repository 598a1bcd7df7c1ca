"""On which machine a record was measured, and with which shape of job: what a trend must not mix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groma.record import Record

_CLUSTER = "SLURM_CLUSTER_NAME"


def machine_of(record: Record[Any]) -> str:
    """The host; of a job over several hosts its cluster, since the hosts differ from night to night."""
    environment = record.environment
    host = environment.get("host")
    if _nodes(record) > 1:
        variables = environment.get("variables")
        cluster = variables.get(_CLUSTER) if isinstance(variables, dict) else None
        return str(cluster or _without_number(str(host or "")) or "unknown")
    cpu = environment.get("cpu")
    model = cpu.get("model") if isinstance(cpu, dict) else None
    return str(host or model or "unknown")


def _nodes(record: Record[Any]) -> int:
    launch = getattr(record.facts, "launch", None)
    nodes = getattr(launch, "nodes", 1)
    return nodes if isinstance(nodes, int) else 1


def _without_number(host: str) -> str:
    """`node*` of `node17`: the first host of a job stands for all."""
    name = host.rstrip("0123456789")
    return f"{name}*" if name != host else host


def shape_of(record: Record[Any]) -> str:
    """E.g. `8 ranks of 2 threads on 2 nodes`; another number of ranks is another measurement."""
    launch = getattr(record.facts, "launch", None)
    ranks = getattr(launch, "ranks", getattr(record.facts, "ranks", None))
    if not isinstance(ranks, int):
        return ""
    threads = getattr(launch, "threads", 1)
    each = f" of {threads} threads" if isinstance(threads, int) and threads > 1 else ""
    where = f" on {_nodes(record)} nodes" if _nodes(record) > 1 else ""
    return f"{ranks} {'rank' if ranks == 1 else 'ranks'}{each}{where}"
