"""Nodes to map to."""

from __future__ import annotations

from groma.record.topology import Topology, TopologyCore


def node(packages: int = 2, cores: int = 2, threads: int = 2) -> Topology:
    """Siblings are neighbours in logical order. The kernel counts the first thread of every core first."""
    total = packages * cores
    listed = [
        TopologyCore(
            logical=core * threads + thread,
            physical=thread * total + core,
            core=core,
            package=core // cores,
            numa=core // cores,
        )
        for core in range(total)
        for thread in range(threads)
    ]
    return Topology(
        source="test",
        cores=tuple(listed),
        caches=(),
        numa=(),
        distances=None,
        allowed=tuple(one.logical for one in listed),
        page_bytes=4096,
        huge_page_bytes=None,
    )


SMT, PLAIN = node(), node(packages=2, cores=4, threads=1)
