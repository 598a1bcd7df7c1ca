"""Parts of the studies of RandomAccess."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.sim.torus.simulation_plan import SimulationOptions

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.interconnect.lattice import Shape
    from groma.machine.description import Machine
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

QUICK_UPDATES = 1024

UPDATES = 4096
"""Of each node: several times the look-ahead, so that most of the run is steady."""

FEWER_UPDATES = {65536: 1536}
"""By the nodes of the largest torus, for want of time."""

MOST_QUICK = 512
"""Nodes of the largest torus of a quick study."""


class Job(NamedTuple):
    """An algorithm on a torus; `updates` are those of each node."""

    machine: Machine
    algorithm: str
    shape: Shape
    updates: int
    settings: tuple[str, ...] = ()

    def options(self, run: Run) -> SimulationOptions:
        return SimulationOptions(
            machine=self.machine,
            algorithm=self.algorithm,
            shape="x".join(map(str, self.shape)),
            updates=self.updates,
            settings=self.settings,
            run=run,
        )


def updates_of(nodes: int, quick: bool) -> int:
    return QUICK_UPDATES if quick else FEWER_UPDATES.get(nodes, UPDATES)


def gups(facts: TorusFacts) -> Quantity:
    assert facts.gups is not None  # noqa: S101 - of RandomAccess
    return facts.gups
