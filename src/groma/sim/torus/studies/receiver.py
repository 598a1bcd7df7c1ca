"""How many incoming links a processor drains: figure 7 of Martorell et al."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.machine.files import find_machine
from groma.sim.torus.infer import exact
from groma.sim.torus.question import Order
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

NOTICED = 0.02
"""Share of the time without tokens from which on a sender counts as stalled."""

DRAINED = Expected(most=NOTICED, wanted="no stalls")
STALLED = Expected(least=NOTICED, wanted="stalls")

FAN = (
    (1, 0, DRAINED),
    (2, 0, DRAINED),
    (3, 0, DRAINED),
    (4, 0, STALLED),
    (5, 0, STALLED),
    (2, 1, DRAINED),
    (3, 1, STALLED),
)
"""Senders to the node in the middle, and nodes that it sends to."""


def stalled(facts: TorusFacts) -> Quantity:
    """Of the sender that waits longest."""
    shares = [some[0] for name, some in facts.values.items() if name.startswith("stalled.")]
    return exact(
        max(shares), "", "simulated: share of the time without tokens, of the sender that waits longest"
    )


def cases(run: Run, quick: bool) -> list[Case]:
    messages = 3 if quick else 30
    return [
        Case(
            "figure-7",
            f"{senders} in, {receivers} out",
            Order(
                machine=find_machine("bluegene-l-500"),
                workload="fan",
                shape="4x4x2",
                settings=(
                    f"workload.senders={senders}",
                    f"workload.receivers={receivers}",
                    f"workload.messages={messages}",
                ),
                run=run,
            ),
            expected,
            stalled,
        )
        for senders, receivers, expected in FAN
    ]


NOTES = [
    "The cost of receiving is fitted to (a), (b): it lies between what four links need and what three allow."
]

STUDY = register(
    Study(
        name="receiver",
        title="Links that a processor drains, beside figure 7 of Martorell et al.",
        headings=[
            Heading(
                "figure-7",
                "Blue Gene/L at 500 MHz, 32 nodes, messages of 1 MB",
                "messages",
                "senders without tokens",
                "of the time",
                "observed",
                "tools, figure 7 (a), (b)",
            )
        ],
        cases=cases,
        notes=lambda: NOTES,
    )
)
