"""The Network Access Benchmark: what processes of one node leave each other (docs/network/access.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.network import Access, NetworkFacts
from groma.record import Advice
from groma.survey.infer.network.names import ACCESS
from groma.survey.infer.network.places import message_bytes, one_machine_advice
from groma.survey.infer.network.sweeps import degradation, patterns
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groma.survey.infer.network.sweeps import Pattern


@infers("access", needs=(ACCESS,), of=NetworkFacts)
def access(evidence: Evidence) -> Inferred:
    """The ratios by processes on a node; nothing without one process on each, the reference."""
    samples = evidence.samples[ACCESS]
    found = patterns(samples, "per_node")
    cores = int(samples.parameters.get("cores_per_node", 0)) or max(found, default=0)
    mean = degradation(found, "mean", cores)
    if mean is None or not mean.bandwidth or mean.bandwidth[0] is None:
        return Inferred(None, tuple(_no_reference(found)))
    facts = Access(
        cores_per_node=cores,
        message=message_bytes(samples),
        processes=len(found[1].ranks),
        reference=mean.bandwidth[0],
        ratio=mean.ratio,
        bandwidth=mean.bandwidth,
        slowest=degradation(found, "slowest", cores),
        harmonic=degradation(found, "harmonic", cores),
        notes=list(_notes(found)),
    )
    return Inferred(facts, tuple(one_machine_advice(evidence, ACCESS, per_node=1)))


def _notes(found: Mapping[int, Pattern]) -> Iterator[str]:
    """The paper keeps the number of processes: otherwise the number of messages differs as well."""
    processes = {number: len(one.ranks) for number, one in found.items()}
    if len(set(processes.values())) > 1:
        listed = ", ".join(f"{count} with {number} per node" for number, count in processes.items())
        yield f"the number of processes varied ({listed}): the ratios compare different numbers of messages"


def _no_reference(found: Mapping[int, Pattern]) -> Iterator[Advice]:
    if found:
        yield Advice(
            code="network.no_reference",
            what="the Network Access Benchmark lacks its reference, a run with one process on each node",
            next="use as many nodes as processes: groma survey --network --only access",
        )
