"""How many incoming links a processor drains, and who waits for tokens: figure 7 of Martorell et al."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from groma.machine.files import find_machine
from groma.sim.torus.infer import exact
from groma.sim.torus.simulation_plan import SimulationOptions
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from groma.facts.torus import TorusFacts
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

NOTICED = 0.02
"""Share of the time without tokens from which on a sender counts as stalled."""

DRAINED = Expected(max=NOTICED, wanted="no stalls")
STALLED = Expected(min=NOTICED, wanted="stalls")

CENTER = 22
SENDERS = (6, 18, 21, 23, 26)
"""All neighbours of the node in the middle, in the order in which they begin to send."""

RECEIVERS = (21, 18, 6, 23)
"""In the order in which the node in the middle begins to send to them.

The text implies the first three: node 18 stalls in (b) until it receives, node 21 in (a) only, and in (c)
nodes 23 and 26 are left.
"""


class Phase(NamedTuple):
    """So many nodes send to the one in the middle, which sends to so many of them."""

    picture: str
    senders: int
    receivers: int

    def __str__(self) -> str:
        return f"{self.senders} in, {self.receivers} out"

    @property
    def sending(self) -> tuple[int, ...]:
        return SENDERS[: self.senders]

    @property
    def receiving(self) -> tuple[int, ...]:
        return RECEIVERS[: self.receivers]


ALL_ALIKE = [
    *((Phase("figure-7a", senders, 0), DRAINED) for senders in (1, 2, 3)),
    *((Phase("figure-7a", senders, 0), STALLED) for senders in (4, 5)),
    (Phase("figure-7b", 2, 1), DRAINED),
]

APART = [
    Phase("figure-7b", 3, 1),
    Phase("figure-7b", 5, 1),
    Phase("figure-7b", 5, 2),
    Phase("figure-7c", 5, 3),
    Phase("figure-7c", 5, 4),
]
"""Senders that receive do not stall there, the others do."""


class Sender(NamedTuple):
    """Which of several senders a row gives."""

    pick: Callable[[Iterable[float]], float]
    words: str


LONGEST = Sender(max, "that waits longest")
SHORTEST = Sender(min, "that waits shortest")


def stalled(facts: TorusFacts, nodes: Sequence[int], sender: Sender) -> Quantity:
    share = sender.pick(facts.values[f"stalled.node {node}"][0] for node in nodes)
    return exact(share, "", f"simulated: share of the time without tokens, of the sender {sender.words}")


def _options(phase: Phase, run: Run, messages: int) -> SimulationOptions:
    return SimulationOptions(
        machine=find_machine("bluegene-l-500"),
        workload="fan",
        shape="4x4x2",
        settings=(
            f"workload.center={CENTER}",
            f"workload.from={_list(phase.sending)}",
            *([f"workload.to={_list(phase.receiving)}"] if phase.receiving else []),
            f"workload.messages={messages}",
        ),
        run=run,
    )


def _list(nodes: Sequence[int]) -> str:
    return ",".join(map(str, nodes))


def cases(run: Run, quick: bool) -> list[Case]:
    messages = 3 if quick else 30
    alike = [
        Case(
            phase.picture,
            str(phase),
            _options(phase, run, messages),
            expected,
            partial(stalled, nodes=phase.sending, sender=LONGEST),
        )
        for phase, expected in ALL_ALIKE
    ]
    apart = [case for phase in APART for case in _apart(phase, _options(phase, run, messages))]
    return [*alike, *apart]


def _apart(phase: Phase, options: SimulationOptions) -> Iterator[Case]:
    """Those who only send, and those who receive as well."""
    only_sending = [node for node in phase.sending if node not in phase.receiving]
    both = [node for node in phase.sending if node in phase.receiving]
    for nodes, doing, expected, sender in (
        (only_sending, "only send" if len(only_sending) > 1 else "only sends", STALLED, SHORTEST),
        (both, "receive too" if len(both) > 1 else "receives too", DRAINED, LONGEST),
    ):
        name = f"{phase}: {' '.join(map(str, nodes))} {doing}"
        yield Case(phase.picture, name, options, expected, partial(stalled, nodes=nodes, sender=sender))


NOTES = [
    "32 nodes, messages of 1 MB.",
    "The cost of receiving is fitted to (a), (b): it lies between what four links need and what three allow.",
    "The text implies the order in which nodes begin to receive: 21, 18, 6. That 23 comes next is assumed.",
]


def _heading(picture: str, what: str) -> Heading:
    return Heading(
        f"figure-7{picture}",
        f"Figure 7({picture}), node {CENTER} {what}",
        "messages",
        "senders without tokens",
        "of the time",
        "observed",
        f"tools, figure 7({picture}) with its text",
    )


STUDY = register(
    Study(
        name="receiver",
        title="Links that a processor of Blue Gene/L at 500 MHz drains, beside figure 7 of Martorell et al.",
        headings=[
            _heading("a", "receives"),
            _heading("b", "receives and sends to one node, then to two"),
            _heading("c", "receives and sends to three nodes, then to four"),
        ],
        cases=cases,
        notes=lambda: NOTES,
    )
)
