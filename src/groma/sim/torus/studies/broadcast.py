"""The broadcast of Linpack with messages one by one and in turns: table 3 of Martorell et al."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from groma.machine.files import find_machine
from groma.sim.torus.infer import exact
from groma.sim.torus.simulation_plan import SimulationOptions
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.torus import TorusFacts
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

PIECES = 8
"""Of the message; the paper does not print it."""

DEPTH = 3
"""Links from the root of a group of 4x2 to the farthest node."""

MACHINE = "bluegene-l-500"
"""A link of it sustains 110 MB/s, and most calls of the paper get "around 100 MB/s", those of a link."""

RATE = 100
"""MB/s, in whole tens: the histogram of the paper has no finer columns."""

FIFO = Expected()
OVERLAPPING = Expected(1.3, 0.1, times="fifo")


def taken(facts: TorusFacts) -> Quantity:
    return facts.time


def received(facts: TorusFacts, size: int) -> Quantity:
    """Of the last process, which receives the `size` bytes of the message in the time of the broadcast."""
    return exact(
        size / facts.time.value / 1e6, "MB/s", "simulated: bytes of the message over the time of all"
    )


def store_and_forward(pieces: int) -> float:
    """How much longer messages in turns take than messages one by one.

    In turns, all pieces of a message arrive together at its end: each node of the way keeps the whole message
    before it passes anything on. One by one, a node passes on a piece while the next one comes.
    """
    return DEPTH * pieces / (pieces + DEPTH - 1)


class Broadcasts(NamedTuple):
    """Runs with messages of `size` bytes."""

    size: int
    run: Run

    def options(self, policy: str, pieces: int) -> SimulationOptions:
        return SimulationOptions(
            machine=find_machine(MACHINE),
            workload="broadcast",
            shape="4x4x2",
            settings=(
                f"workload.policy={policy}",
                f"workload.bytes={self.size}",
                f"workload.pieces={pieces}",
                "workload.ahead=0",
            ),
            run=self.run,
        )

    def policies(self) -> Iterator[Case]:
        for policy, expected in (("fifo", FIFO), ("overlapping", OVERLAPPING)):
            yield Case("broadcast", policy, self.options(policy, PIECES), expected, taken)

    def rates(self) -> Iterator[Case]:
        received_in = partial(received, size=self.size)
        for pieces in (PIECES, 2 * PIECES):
            options = self.options("fifo", pieces)
            yield Case("broadcast-rate", f"{pieces} pieces", options, Expected(RATE, 0.15), received_in)

    def by_pieces(self) -> Iterator[Case]:
        for pieces in (2, 3, 4, 8):
            fifo, in_turns = f"fifo, {pieces} pieces", f"overlapping, {pieces} pieces"
            longer = Expected(store_and_forward(pieces), 0.05, times=fifo)
            yield Case("broadcast-pieces", fifo, self.options("fifo", pieces), FIFO, taken)
            yield Case("broadcast-pieces", in_turns, self.options("overlapping", pieces), longer, taken)


def cases(run: Run, quick: bool) -> list[Case]:
    of = Broadcasts(1 << 18 if quick else 4 << 20, run)
    return [*of.policies(), *of.rates(), *of.by_pieces()]


NOTES = [
    "All pieces are posted at once, as the paper says of its message layer.",
    f"The paper prints no number of pieces; {PIECES} is assumed.",
    "The rate of its messages one by one is that of 12 pieces or more, if it is right to 5 %.",
]

STUDY = register(
    Study(
        name="broadcast",
        title="The broadcast of Linpack, beside Martorell et al.",
        headings=[
            Heading(
                "broadcast",
                f"Blue Gene/L at 500 MHz, 4x4x2, in groups of 4x2, {PIECES} pieces",
                "policy",
                "time",
                "s",
                "1.3 x fifo",
                "tools, analysis of the behaviour of the message layer: overlapping is 30 % slower",
            ),
            Heading(
                "broadcast-rate",
                "Messages one by one, what a process receives",
                "pieces",
                "rate",
                "MB/s",
                "observed",
                "tools, analysis of the behaviour of the message layer: over the duration of a broadcast, "
                "each processor receives 100 MB/s",
            ),
            Heading(
                "broadcast-pieces",
                "The same with other numbers of pieces",
                "policy",
                "time",
                "s",
                "formula x fifo",
                "p pieces over d links: d p / (p + d - 1) times as long, d = 3",
            ),
        ],
        cases=cases,
        notes=lambda: NOTES,
    )
)
