"""The Network Access Benchmark: what processes of one node leave each other (docs/network/access.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.network import Access, NetworkFacts
from groma.record import Advice
from groma.record.units import format_value
from groma.survey.infer.network.names import ACCESS
from groma.survey.infer.network.places import message_bytes, one_machine_advice, pieces_by
from groma.survey.infer.network.sweeps import degradation, patterns
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groma.facts.network import Distance
    from groma.survey.infer.network.sweeps import Pattern


REFERENCES_AGREE = 1.1
"""By this factor the medians of the same pattern may differ between two launches."""

EXCHANGE_NOTE = (
    "an exchange with {numbers} per node: there are two nodes, so each rank sends to the rank from which it "
    "receives"
)


@infers("access", needs=(ACCESS,), after=("distance",), of=NetworkFacts)
def access(evidence: Evidence) -> Inferred:
    """The ratios by processes on a node; nothing without one process on each, the reference."""
    samples = evidence.samples[ACCESS]
    found = patterns(samples, "per_node")
    cores = int(samples.parameters.get("cores_per_node", 0)) or max(found, default=0)
    mean = degradation(found, "mean", cores)
    if mean is None or not mean.bandwidth or mean.bandwidth[0] is None:
        return Inferred(None, tuple(_no_reference(found)))
    numbers = range(1, cores + 1)
    pieces = pieces_by(samples, "per_node")
    facts = Access(
        cores_per_node=cores,
        message=message_bytes(samples),
        processes=len(found[1].ranks),
        reference=mean.bandwidth[0],
        ratio=mean.ratio,
        bandwidth=mean.bandwidth,
        slowest=degradation(found, "slowest", cores),
        harmonic=degradation(found, "harmonic", cores),
        exchange=[number in found and _nodes(number, found[number]) == 2 for number in numbers],
        pieces=[pieces.get(number) for number in numbers],
    )
    facts.notes = [*_notes(found), *_exchanges(facts)]
    advice = (
        *unlike_distance(facts, evidence.network.distance),
        *one_machine_advice(evidence, ACCESS, per_node=1),
    )
    return Inferred(facts, advice)


def _nodes(per_node: int, pattern: Pattern) -> int:
    return len(pattern.ranks) // per_node


def _exchanges(facts: Access) -> Iterator[str]:
    numbers = [str(number) for number, exchange in enumerate(facts.exchange, start=1) if exchange]
    if numbers:
        yield EXCHANGE_NOTE.format(numbers=", ".join(numbers))


def unlike_distance(facts: Access, distance: Distance | None) -> Iterator[Advice]:
    """One process on each node sends as at distance 1 of the Distance Benchmark: both have to agree.

    Where a slow link is known, distance 1, which has it, may be slower.
    """
    if distance is None:
        return
    one, other = facts.reference, distance.reference
    if distance.slow and one.value > other.value:
        return
    apart = max(one.value, other.value) / min(one.value, other.value)
    if apart > REFERENCES_AGREE and (one.high < other.low or other.high < one.low):
        yield Advice(
            code="network.reference_disagrees",
            what=f"with one process per node {facts.processes} nodes reach {format_value(one.value, 'B/s')} "
            f"each (access), at distance 1 {distance.nodes} nodes reach {format_value(other.value, 'B/s')} "
            f"each: the ratios of the lower one are too small",
            next=_next_for(facts, distance),
        )


def _next_for(facts: Access, distance: Distance) -> str:
    if facts.processes == distance.nodes:
        return "both are the same pattern: repeat on an idle machine, or with --depth thorough"
    return f"measure both on as many nodes: --nodes {min(facts.processes, distance.nodes)}"


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
