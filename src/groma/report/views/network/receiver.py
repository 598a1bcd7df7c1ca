"""How many senders one node can drain, also while it sends itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_value
from groma.report.blocks import Axis, DataTable, Figure, LineChart, Note, XRange, table_figure
from groma.report.views.marks import first_method, measured_line, point_at
from groma.report.views.network.registry import network_view
from groma.report.words.network import meanwhile
from groma.report.words.text import sentence

if TYPE_CHECKING:
    from groma.facts.network import NetworkFacts, Receiver, ReceiverPhase
    from groma.report.blocks import Block, Cell, Series
    from groma.report.views.registry import Blocks


@network_view(order=9)
def receiver(network: NetworkFacts) -> Blocks:
    facts = network.receiver
    if facts is None:
        return []
    return [_figure(facts), *_limits(facts), *(Note(text=sentence(note)) for note in facts.notes)]


def _figure(facts: Receiver) -> Figure:
    targets = sorted({phase.receiving for phase in facts.phases})
    return Figure(
        id="network-receiver",
        title=f"Bandwidth into {facts.host or 'one node'}",
        what=f"Sum over all senders, each of {facts.messages} messages of "
        f"{format_value(facts.message, 'B')}, by the number of nodes that the receiver sends to "
        "meanwhile; bars are intervals. The vertical band marks where the sum stops growing.",
        method=facts.bandwidth.method,
        drawing=LineChart(
            x=Axis(title="senders"),
            y=Axis(title="received", unit="B/s"),
            series=[_intake(facts, number, tone) for tone, number in enumerate(targets)],
            ranges=_limit_of_idle(facts),
        ),
        table=DataTable(
            columns=["senders", "targets", "receives", "sends", "slowest sender, times as long"],
            rows=[_row(phase) for phase in facts.phases],
        ),
        data=facts,
    )


def _intake(facts: Receiver, targets: int, tone: int) -> Series:
    own = [phase for phase in facts.phases if phase.receiving == targets]
    points = [point for phase in own for point in point_at(phase.sending, phase.bandwidth)]
    return measured_line(meanwhile(targets), tone, points)


def _limit_of_idle(facts: Receiver) -> list[XRange]:
    """Where one that sends to nobody is filled; the others would lie too near for names."""
    return [
        XRange(name="filled", low=limit.sending.low, high=limit.sending.high)
        for limit in facts.limits
        if limit.receiving == 0 and limit.saturated
    ]


def _row(phase: ReceiverPhase) -> list[Cell]:
    slowest = max((one.value for one in phase.slowed), default=None)
    return [phase.sending, phase.receiving, phase.bandwidth, phase.outgoing, slowest]


def _limits(facts: Receiver) -> list[Block]:
    return table_figure(
        "network-receiver-limits",
        f"Senders that saturate {facts.host or 'one node'}",
        "Number of senders at the rate of a single one, in fractions. If the sum still grew at "
        "the largest number, the receiver is not saturated.",
        DataTable(
            columns=["meanwhile", "senders", "saturated", "receives"],
            rows=[
                [meanwhile(one.receiving), one.sending, one.saturated, one.bandwidth] for one in facts.limits
            ],
        ),
        method=first_method(one.sending for one in facts.limits),
        data=facts.limits,
    )
