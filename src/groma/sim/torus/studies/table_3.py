"""Table 3 of Aggarwal et al.: nodes that are no power of two, owners found by division or by prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.interconnect.shapes import cubic_shape
from groma.machine.buckets import bucket_of
from groma.machine.description import Specialised
from groma.machine.files import find_machine
from groma.sim.torus.studies.random_access import MOST_QUICK, Job, gups, updates_of
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from groma.machine.description import Machine, OwnerRow, Owners, Role
    from groma.sim.torus.protocol import Run
    from groma.sim.torus.simulation_plan import SimulationOptions

TOLERANCE = 0.15

DERIVED_FROM = 96
"""Nodes of the row from which the cost of a division is taken; the others are predicted."""


def division_cycles(machine: Machine, algorithm: Specialised, rate: float, nodes: int) -> float:
    """Equation 7 turned round: what each core that finds owners spends on a division, so that the slowest of
    them has the printed rate (GUP/s).

    The core that applies updates finds no owner: its updates have arrived.
    """
    assert machine.randomaccess is not None  # noqa: S101 - the algorithm is a part of it
    bucket = bucket_of(machine.randomaccess, machine.packet, algorithm, cubic_shape(nodes, 3), None).size
    load = nodes * machine.processor.frequency.value / (rate * 1e9)
    return load - max(_load(algorithm, role, bucket) for role in _dividing(algorithm))


def _dividing(algorithm: Specialised) -> list[Role]:
    return algorithm.roles[:-1]


def _load(algorithm: Specialised, role: Role, bucket: int) -> float:
    """Equation 6."""
    packets = role.sends * algorithm.send.value + role.receives * algorithm.receive.value
    return role.own.value + packets / bucket


def cases(run: Run, quick: bool) -> list[Case]:
    machine, algorithm, owners = _published()
    division = _division(machine, algorithm, owners)
    slower = tuple(
        f"workload.own.{role.name}={role.own.value + division:.1f}" for role in _dividing(algorithm)
    )
    rows = [row for row in owners.rows if not quick or row.nodes <= MOST_QUICK]
    jobs = [
        (row, Job(machine, algorithm.name, cubic_shape(row.nodes, 3), updates_of(row.nodes, quick)))
        for row in rows
    ]
    return [
        *(_predicted(job.options(run), row) for row, job in jobs),
        *(_divided(job._replace(settings=slower).options(run), row) for row, job in jobs),
    ]


def _predicted(options: SimulationOptions, row: OwnerRow) -> Case:
    return Case("prediction", str(row.nodes), options, Expected(row.prediction, TOLERANCE), gups)


def _divided(options: SimulationOptions, row: OwnerRow) -> Case:
    expected = Expected(row.division, TOLERANCE)
    if row.nodes == DERIVED_FROM:
        expected = Expected(row.division, note="not judged: the cost of a division is taken from this row")
    return Case("division", str(row.nodes), options, expected, gups)


def _published() -> tuple[Machine, Specialised, Owners]:
    machine = find_machine("bluegene-p")
    assert machine.randomaccess is not None  # noqa: S101 - the file of the machine has it
    owners = machine.randomaccess.owners
    assert owners is not None  # noqa: S101 - likewise
    algorithm = machine.randomaccess.algorithm(owners.algorithm)
    assert isinstance(algorithm, Specialised)  # noqa: S101 - likewise
    return machine, algorithm, owners


def _division(machine: Machine, algorithm: Specialised, owners: Owners) -> float:
    rate = next(row.division for row in owners.rows if row.nodes == DERIVED_FROM)
    return division_cycles(machine, algorithm, rate, DERIVED_FROM)


def _notes() -> list[str]:
    division = (
        f"A division takes {_division(*_published()):.0f} cycles of each core that finds owners. "
        f"This follows from equations 6 and 7 and the row of {DERIVED_FROM} nodes alone. "
        "The paper does not print it."
    )
    return [division, "Prediction is taken to cost nothing beside the work of a power of two of nodes."]


STUDY = register(
    Study(
        name="table-3",
        title="Owners by division and by prediction, beside table 3 of Aggarwal et al.",
        headings=[
            Heading(
                "prediction",
                "Owners by prediction",
                "nodes",
                "rate",
                "GUP/s",
                "measured",
                "randomaccess, table 3",
            ),
            Heading(
                "division",
                "Owners by division",
                "nodes",
                "rate",
                "GUP/s",
                "measured",
                "randomaccess, table 3",
            ),
        ],
        cases=cases,
        notes=_notes,
    )
)
