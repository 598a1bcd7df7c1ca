"""How many senders one node can drain, also while it sends itself (docs/network/receiver.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.network import NetworkFacts, Receiver, ReceiverLimit, ReceiverPhase
from groma.record import Advice, Quantity
from groma.stats.quantities import median_quantity
from groma.stats.ratios import ratio_quantity
from groma.stats.resampling import group_interval
from groma.stats.saturation import Saturation, saturation
from groma.survey.infer.network.places import hosts_of, message_bytes, named, one_machine_advice
from groma.survey.infer.network.sweeps import over_ranks, speeds_of
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import by_label, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.record import ProbeSamples
    from groma.survey.infer.selection import Cases

    Values = NDArray[np.float64]


RECEIVER = "net_receiver"

IN_METHOD = "median over repetitions of all bytes over the mean time of the senders"
OUT_METHOD = "median over repetitions of all bytes over the mean time of the targets"
SLOWED_METHOD = "time of a sender over that of a single sender; interval of Hodges and Lehmann"
KNEE_METHOD = "knee of sum = rate x min(senders, knee), rate of one sender to an idle node; bootstrap"
FULL = 0.9
"""A sender that keeps this share of its rate counts as drained."""
SLOWED = 1.25
NEAR_KNEE = 0.05
"""The sum of as many senders as the knee, but for this, is the limit: the knee has an error of its own."""

Phase = tuple[int, int]
"""Numbers of senders and of targets."""


class Traffic(NamedTuple):
    """Of one phase, by repetition: what the node takes in, gives out, and gets from each sender (B/s)."""

    incoming: Values
    outgoing: Values
    senders: dict[int, Values]


@infers("receiver", needs=(RECEIVER,), of=NetworkFacts)
def receiver(evidence: Evidence) -> Inferred:
    """The limit of one receiver; nothing without the phase of a single sender, to which all are compared."""
    samples = evidence.samples[RECEIVER]
    phases = _phases(samples)
    alone = phases.get((1, 0))
    if alone is None:
        return Inferred(None)
    limits = [
        _limit(phases, targets)
        for targets in sorted({m for (_, m), one in phases.items() if len(one.incoming)})
    ]
    hosts = hosts_of(evidence, RECEIVER)
    facts = Receiver(
        sending=_drained(limits[0], phases),
        receiving=0,
        bandwidth=limits[0].bandwidth,
        message=message_bytes(samples),
        messages=int(samples.cases[0].get("messages", 1)),
        host=hosts.get(_receiving_rank(samples), ""),
        limits=limits,
        phases=[_phase(phase, traffic, alone) for phase, traffic in phases.items()],
    )
    facts.notes = list(_notes(facts, hosts))
    return Inferred(facts, (*_incast(phases, facts), *one_machine_advice(evidence, RECEIVER)))


def _phases(samples: ProbeSamples) -> dict[Phase, Traffic]:
    """The phases of which a repetition is complete, fewest targets first."""
    parts = split(samples, "receivers", "senders")
    found = {
        (senders, targets): _traffic(parts[targets, senders], senders, targets)
        for targets, senders in sorted(parts)
    }
    return {phase: one for phase, one in found.items() if len(one.incoming) or len(one.outgoing)}


def _traffic(samples: Cases, senders: int, targets: int) -> Traffic:
    first = samples.cases[0]
    size = float(first["bytes"] * first.get("messages", 1))
    sent, served = (by_label(samples, "rank", role=role) for role in ("sender", "target"))
    incoming, outgoing = (speeds_of(size, list(times.values())) for times in (sent, served))
    return Traffic(
        incoming=senders * _of_all(incoming),
        outgoing=targets * _of_all(outgoing),
        senders={rank: incoming[:, column] for column, rank in enumerate(sent)} if len(incoming) else {},
    )


def _of_all(speeds: Values) -> Values:
    """The mean time counts: the slowest of many would read lower than the slowest of few by noise alone."""
    return over_ranks("harmonic", speeds)


def _limit(phases: Mapping[Phase, Traffic], targets: int) -> ReceiverLimit:
    """The knee of the sum for this number of targets, in senders at the rate of one to an idle node."""
    groups = {
        phase: list(one.incoming)
        for phase, one in phases.items()
        if phase[1] in {0, targets} and len(one.incoming)
    }
    most = max(k for k, m in groups if m == targets)

    def knee(drawn: Mapping[Phase, Values]) -> float:
        sums = {phase: float(np.median(one)) for phase, one in drawn.items()}
        rate = _saturation(sums, 0, None).rate
        return _saturation(sums, targets, rate if targets else None).knee

    value = knee({phase: np.asarray(one) for phase, one in groups.items()})
    interval = group_interval(groups, knee)
    from_knee = min(math.ceil(value - NEAR_KNEE), most)
    full = [speed for (k, m), one in groups.items() if m == targets and k >= from_knee for speed in one]
    return ReceiverLimit(
        receiving=targets,
        sending=Quantity(
            value=value,
            unit="senders",
            low=min(value, interval.low),
            high=max(value, interval.high),
            confidence=interval.confidence,
            method=KNEE_METHOD,
        ),
        saturated=max(value, interval.high) < most - 1e-9,
        bandwidth=median_quantity(full, "B/s", IN_METHOD),
    )


def _saturation(sums: Mapping[Phase, float], targets: int, rate: float | None) -> Saturation:
    some = {k: one for (k, m), one in sums.items() if m == targets}
    return saturation(list(some), list(some.values()), rate)


def _drained(limit: ReceiverLimit, phases: Mapping[Phase, Traffic]) -> int:
    """Whole senders that keep nearly all of their rate; no more than were tried."""
    return min(max(1, math.floor(limit.sending.value / FULL + 1e-9)), max(k for k, _ in phases))


def _phase(phase: Phase, traffic: Traffic, alone: Traffic) -> ReceiverPhase:
    (sole,) = alone.senders.values()
    return ReceiverPhase(
        sending=phase[0],
        receiving=phase[1],
        bandwidth=median_quantity(traffic.incoming, "B/s", IN_METHOD) if len(traffic.incoming) else None,
        outgoing=median_quantity(traffic.outgoing, "B/s", OUT_METHOD) if len(traffic.outgoing) else None,
        senders=list(traffic.senders),
        slowed=[ratio_quantity(sole, one, SLOWED_METHOD) for one in traffic.senders.values()],
    )


def _receiving_rank(samples: ProbeSamples) -> int:
    return next((int(case["rank"]) for case in samples.cases if case["role"] == "receiver"), -1)


def _notes(facts: Receiver, hosts: Mapping[int, str]) -> Iterator[str]:
    if not facts.limits[0].saturated:
        most = max(one.sending for one in facts.phases)
        yield f"the sum still grows with {most} senders: the limit is higher"
    idle = [one for one in facts.phases if one.receiving == 0]
    first = next((one for one in idle if _slowed(one)), None)
    if first is not None:
        who = ", ".join(named(hosts, rank) for rank in _slowed(first))
        yield f"from {first.sending} senders on, some are slowed: {who}"


def _slowed(phase: ReceiverPhase) -> Sequence[int]:
    return [rank for rank, one in zip(phase.senders, phase.slowed, strict=True) if one.low > SLOWED]


def _incast(phases: Mapping[Phase, Traffic], facts: Receiver) -> Iterator[Advice]:
    """A sum that falls again: senders retransmit what the node could not take."""
    idle = {k: one.incoming for (k, m), one in phases.items() if m == 0 and len(one.incoming)}
    most, best = max(idle), max(idle, key=lambda k: float(np.median(idle[k])))
    fall = ratio_quantity(idle[best], idle[most], "")
    if fall.low > SLOWED:
        yield Advice(
            code="network.incast",
            what=f"{facts.host or 'the receiver'} receives {fall.value:.2f} times less from {most} senders "
            f"than from {best}",
            next="gather in steps or to several nodes; check flow control and buffers of the switch",
        )
