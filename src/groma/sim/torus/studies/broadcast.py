"""The broadcast of Linpack with messages one by one and in turns: table 3 of Martorell et al."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.machine.files import find_machine
from groma.sim.torus.question import Order
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

FIFO = Expected()
OVERLAPPING = Expected(1.3, 0.1, times="fifo")


def taken(facts: TorusFacts) -> Quantity:
    return facts.time


def cases(run: Run, quick: bool) -> list[Case]:
    size = 1 << 18 if quick else 4 << 20
    return [
        Case(
            "broadcast",
            policy,
            Order(
                machine=find_machine("bluegene-l"),
                workload="broadcast",
                shape="4x4x2",
                settings=(f"workload.policy={policy}", f"workload.bytes={size}"),
                run=run,
            ),
            expected,
            taken,
        )
        for policy, expected in (("fifo", FIFO), ("overlapping", OVERLAPPING))
    ]


STUDY = register(
    Study(
        name="broadcast",
        title="The broadcast of Linpack, beside Martorell et al.",
        headings=[
            Heading(
                "broadcast",
                "Blue Gene/L, 4x4x2, in groups of 4x2",
                "policy",
                "time",
                "s",
                "1.3 x fifo",
                "tools, analysis of the behaviour of the message layer: overlapping is 30 % slower",
            )
        ],
        cases=cases,
    )
)
