"""One packet alone: its latency follows from a formula, exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from groma.machine.files import find_machine
from groma.sim.torus.infer import exact
from groma.sim.torus.studies.network_only import MACHINE, options_of
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.machine.description import Machine
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

WAYS = ((1, 0, 0), (4, 0, 0), (4, 4, 4), (0, 3, 6))
"""Offsets on a torus of 8x8x8; the last one is shorter downwards."""

SIZES = (32, 256)


def closed_form(machine: Machine, offsets: tuple[int, ...], extent: int, packet: int) -> float:
    """Cycles: a hop takes the latency of a router, and the tail follows the head at the rate of the link."""
    hops = sum(min(one, extent - one) for one in offsets)
    rate = machine.torus.link.value / machine.processor.frequency.value
    return hops * machine.network.hop_latency.value + math.ceil(
        (packet + machine.packet.on_wire.value) / rate
    )


def least(facts: TorusFacts) -> Quantity:
    """Of packets that are so rare that most of them meet none."""
    assert facts.latency is not None  # noqa: S101 - packets were sent
    summary = facts.latency.median.samples
    assert summary is not None  # noqa: S101 - likewise
    return exact(round(summary.min * facts.frequency, 6), "cycles", "simulated: least latency of a packet")


def cases(run: Run, quick: bool) -> list[Case]:  # noqa: ARG001 - it is quick
    machine = find_machine(MACHINE)
    return [
        Case(
            "latency",
            f"{','.join(map(str, offsets))} of {size} B",
            options_of(
                run,
                "shift",
                "8x8x8",
                f"workload.offsets={','.join(map(str, offsets))}",
                f"workload.packet={size}",
                "workload.packets=1",
                "workload.load=0.001",
            ),
            Expected(closed_form(machine, offsets, 8, size), 0.0),
            least,
        )
        for offsets in WAYS
        for size in SIZES
    ]


STUDY = register(
    Study(
        name="latency",
        title="A packet alone, beside the closed form of its latency",
        headings=[
            Heading(
                "latency",
                "Latency of a packet",
                "offsets",
                "latency",
                "cycles",
                "formula",
                "hops x hop latency + bytes on the wire over the rate of a link",
            )
        ],
        cases=cases,
    )
)
