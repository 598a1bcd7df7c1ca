"""Table 4 of Aggarwal et al.: RandomAccess on Blue Gene/P and Blue Gene/L from 64 to 65,536 nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.interconnect.shapes import cubic_shape
from groma.machine.files import find_machine
from groma.sim.torus.studies.random_access import MOST_QUICK, QUICK_UPDATES, UPDATES, gups, order_of
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.interconnect.lattice import Shape
    from groma.machine.description import Machine, PublishedRow
    from groma.sim.torus.protocol import Run

TOLERANCE = 0.15

FEWER_UPDATES = {65536: 2048}
"""Of the largest torus, for want of time."""


class _Column(NamedTuple):
    machine: str
    algorithm: str
    shapes: dict[int, tuple[Shape, str]] = {}
    """Of rows that are not nearest to a cube, each with the reason."""

    others: tuple[tuple[int, Shape, str], ...] = ()
    """Rows that are simulated besides, and not judged."""


_FLAT = "the dip of the printed row is that of a torus with a dimension of 32; the paper prints no shapes"

COLUMNS = {
    "multi-core": _Column(
        "bluegene-p",
        "multi-core",
        shapes={4096: ((8, 16, 32), _FLAT)},
        others=((4096, (16, 16, 16), "not judged: the shape to which the printed bucket of 15 points"),),
    ),
    "single-core-p": _Column("bluegene-p", "single-core"),
    "single-core-l": _Column(
        "bluegene-l", "single-core", shapes={65536: ((32, 32, 64), "the whole machine was 64x32x32")}
    ),
}

HEADINGS = [
    Heading(
        "multi-core", "Table 4, Blue Gene/P, multi-core", "rate", "GUP/s", "measured", "randomaccess, table 4"
    ),
    Heading(
        "single-core-p",
        "Table 4, Blue Gene/P, single core",
        "rate",
        "GUP/s",
        "measured",
        "randomaccess, table 4",
    ),
    Heading(
        "single-core-l",
        "Table 4, Blue Gene/L, single core",
        "rate",
        "GUP/s",
        "measured",
        "randomaccess, table 4",
    ),
]


def cases(run: Run, quick: bool) -> list[Case]:
    return [case for name in COLUMNS for case in _cases(name, run, quick)]


def _cases(name: str, run: Run, quick: bool) -> Iterator[Case]:
    column = COLUMNS[name]
    machine = find_machine(column.machine)
    for row in _rows(machine, column.algorithm):
        if quick and row.nodes > MOST_QUICK:
            continue
        shape, why = column.shapes.get(row.nodes, (cubic_shape(row.nodes, 3), ""))
        yield _case(name, machine, run, row, shape, why, TOLERANCE, quick)
        for nodes, other, reason in column.others:
            if nodes == row.nodes:
                yield _case(name, machine, run, row, other, reason, None, quick)


def _rows(machine: Machine, algorithm: str) -> list[PublishedRow]:
    assert machine.randomaccess is not None  # noqa: S101 - the files of both machines have it
    published = machine.randomaccess.algorithm(algorithm).published
    return published.rows if published else []


def _case(
    name: str,
    machine: Machine,
    run: Run,
    row: PublishedRow,
    shape: Shape,
    note: str,
    tolerance: float | None,
    quick: bool,
) -> Case:
    updates = QUICK_UPDATES if quick else FEWER_UPDATES.get(row.nodes, UPDATES)
    label = str(row.nodes) if tolerance else f"{row.nodes} as {'x'.join(map(str, shape))}"
    return Case(
        table=name,
        name=label,
        order=order_of(machine, COLUMNS[name].algorithm, shape, updates, run),
        expected=Expected(row.measured_later or row.measured, tolerance, row.bottleneck, note),
        measure=gups,
    )


NOTES = (
    "Processor costs of multi-core are those of the paper's text. No row was used to set them but that of 64 nodes, "
    "from which the paper itself takes its overheads.",
    "Deterministic routing, hop latency and buffers of routers are assumed. Routing was chosen because adaptive "
    "routing is faster than what was measured.",
    "Tori are those nearest to a cube, where a row says nothing else.",
    "Costs of Blue Gene/L are fitted to the bounds that the paper prints, not to what it measured.",
)

STUDY = register(
    Study(
        name="table-4",
        title="RandomAccess on Blue Gene, beside table 4 of Aggarwal et al.",
        headings=HEADINGS,
        cases=cases,
        notes=lambda: NOTES,
    )
)
