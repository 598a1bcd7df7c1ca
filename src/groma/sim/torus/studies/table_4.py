"""Table 4 of Aggarwal et al.: RandomAccess on Blue Gene/P and Blue Gene/L from 64 to 65,536 nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.interconnect.shapes import cubic_shape
from groma.machine.files import find_machine
from groma.sim.torus.studies.random_access import MOST_QUICK, Job, gups, updates_of
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.interconnect.lattice import Shape
    from groma.machine.description import Machine, PublishedRow
    from groma.sim.torus.protocol import Run

TOLERANCE = 0.15


class _Torus(NamedTuple):
    """A torus of a row, and why this one; one that is not `judged` is simulated besides."""

    shape: Shape
    why: str = ""
    judged: bool = True


class _Column(NamedTuple):
    """`tori` are those of rows of which something else is known than their number of nodes."""

    name: str
    title: str
    machine: str
    algorithm: str
    tori: tuple[_Torus, ...] = ()

    def tori_of(self, nodes: int) -> list[_Torus]:
        known = [one for one in self.tori if _nodes(one.shape) == nodes]
        return known or [_Torus(cubic_shape(nodes, 3))]


def _nodes(shape: Shape) -> int:
    x, y, z = shape
    return x * y * z


COLUMNS = (
    _Column(
        "multi-core",
        "Table 4, Blue Gene/P, multi-core",
        "bluegene-p",
        "multi-core",
        (
            _Torus(
                (8, 16, 32),
                "the paper prints no shapes; this one is chosen because the printed rate falls behind its "
                "neighbours as with a dimension of 32",
            ),
            _Torus(
                (16, 16, 16), "the shape to which the printed bucket of 15 points; not judged", judged=False
            ),
        ),
    ),
    _Column("single-core-p", "Table 4, Blue Gene/P, single core", "bluegene-p", "single-core"),
    _Column("single-core-l", "Table 4, Blue Gene/L, single core", "bluegene-l", "single-core"),
)


def cases(run: Run, quick: bool) -> list[Case]:
    return [case for column in COLUMNS for case in _cases(column, run, quick)]


def _cases(column: _Column, run: Run, quick: bool) -> Iterator[Case]:
    machine = find_machine(column.machine)
    for row in _rows(machine, column.algorithm):
        if quick and row.nodes > MOST_QUICK:
            continue
        for torus in column.tori_of(row.nodes):
            job = Job(machine, column.algorithm, torus.shape, updates_of(row.nodes, quick))
            yield Case(column.name, _label(row, torus), job.options(run), _expected(row, torus), gups)


def _rows(machine: Machine, algorithm: str) -> list[PublishedRow]:
    assert machine.randomaccess is not None  # noqa: S101 - the files of both machines have it
    published = machine.randomaccess.algorithm(algorithm).published
    return published.rows if published else []


def _label(row: PublishedRow, torus: _Torus) -> str:
    return str(row.nodes) if torus.judged else f"{row.nodes} as {'x'.join(map(str, torus.shape))}"


def _expected(row: PublishedRow, torus: _Torus) -> Expected:
    measured = row.measured_later or row.measured
    return Expected(measured, TOLERANCE if torus.judged else None, row.bottleneck, torus.why)


NOTES = """\
Processor costs of multi-core are those of the paper's text.
Of the rows, only that of 64 nodes sets one: the paper takes the overhead of the update core from it.
Buckets follow the formula of section 4.3.1. The printed ones are mostly the same quotients, rounded.
Routing, the latency of a hop and the buffers of routers are assumed.
Deterministic routing was chosen because adaptive routing is faster than what was measured.
Tori are those nearest to a cube, where a row says nothing else.
Costs of Blue Gene/L are fitted to the bounds that the paper prints, not to what it measured.
Of two measured rates, the one of HPCC 1.2.0 counts.""".splitlines()

STUDY = register(
    Study(
        name="table-4",
        title="RandomAccess on Blue Gene, beside table 4 of Aggarwal et al.",
        headings=[
            Heading(one.name, one.title, "nodes", "rate", "GUP/s", "measured", "randomaccess, table 4")
            for one in COLUMNS
        ],
        cases=cases,
        notes=lambda: NOTES,
    )
)
