"""Parts of the studies of RandomAccess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.sim.torus.question import Order

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.interconnect.lattice import Shape
    from groma.machine.description import Machine
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

QUICK_UPDATES = 1024

UPDATES = 4096
"""Of each node: several times the look-ahead, so that most of the run is steady."""

MOST_QUICK = 512
"""Nodes of the largest torus of a quick study."""


def gups(facts: TorusFacts) -> Quantity:
    assert facts.gups is not None  # noqa: S101 - of RandomAccess
    return facts.gups


def order_of(
    machine: Machine, algorithm: str, shape: Shape, updates: int, run: Run, settings: tuple[str, ...] = ()
) -> Order:
    return Order(
        machine=machine,
        algorithm=algorithm,
        shape="x".join(map(str, shape)),
        updates=updates,
        settings=settings,
        run=run,
    )
