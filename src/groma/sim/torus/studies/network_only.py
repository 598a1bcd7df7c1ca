"""Parts of the studies of the network alone: processors cost nothing, and what comes always has room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.machine.files import find_machine
from groma.sim.torus.infer import exact
from groma.sim.torus.simulation_plan import SimulationOptions

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

MACHINE = "bluegene-l"

FREE = (
    "processor.send=0",
    "processor.receive.single=0",
    "processor.receive.each=0",
    "network.reception_packets=0",
)


def options_of(run: Run, workload: str, shape: str, *settings: str) -> SimulationOptions:
    return SimulationOptions(
        machine=find_machine(MACHINE), workload=workload, shape=shape, settings=(*FREE, *settings), run=run
    )


def workload_value(facts: TorusFacts, name: str, unit: str = "") -> Quantity:
    """A further number of a workload."""
    return exact(facts.values[name][0], unit)
