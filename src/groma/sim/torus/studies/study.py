"""What a study consists of, and the studies that there are."""

from __future__ import annotations

import importlib
import math
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.facts.torus_study import StudyRow, StudyTable
from groma.sim.torus.nearest import nearest_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.torus import TorusFacts
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run
    from groma.sim.torus.simulation_plan import SimulationOptions


class Expected(NamedTuple):
    """What is known of a run: a number, how near to it the simulation has to come, and the analytic bound.

    In place of a number, `min` and `max` with the words for them. `times` names an earlier row of the
    table; `value` is then a multiple of what was simulated there.
    """

    value: float | None = None
    tolerance: float | None = None
    model: float | None = None
    note: str = ""
    min: float | None = None
    max: float | None = None
    wanted: str = ""
    times: str = ""

    def agrees(self, found: float) -> bool | None:
        """None where nothing is judged."""
        if self.min is not None or self.max is not None:
            least, most = self.min or 0.0, math.inf if self.max is None else self.max
            return least <= found <= most
        if self.value and self.tolerance is not None:
            return abs(found / self.value - 1) <= self.tolerance
        return None


class Case(NamedTuple):
    """A run of a study. `measure` takes from its facts what is compared."""

    table: str
    name: str
    options: SimulationOptions
    expected: Expected
    measure: Callable[[TorusFacts], Quantity]


class Heading(NamedTuple):
    """A table without its rows; see `StudyTable`."""

    name: str
    title: str
    varied: str
    quantity: str
    unit: str
    against: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Study:
    """`cases` plans the runs from the options of a run and whether they have to be quick.

    `notes` are what a reader has to know beside the numbers.
    """

    name: str
    title: str
    headings: Sequence[Heading]
    cases: Callable[[Run, bool], list[Case]]
    notes: Callable[[], Sequence[str]] = tuple


_STUDIES: dict[str, Study] = {}


def register(study: Study) -> Study:
    _STUDIES[study.name] = study
    return study


@cache
def _load() -> None:
    folder = importlib.import_module(str(__package__)).__path__
    for module in pkgutil.iter_modules(folder):
        if not module.name.startswith("test_"):
            importlib.import_module(f"{__package__}.{module.name}")


def known_studies() -> list[Study]:
    _load()
    return [_STUDIES[name] for name in sorted(_STUDIES)]


def study_named(name: str) -> Study:
    """Raises GromaError (exit code 2) for an unknown one, with the nearest."""
    known = {one.name: one for one in known_studies()}
    if name not in known:
        raise GromaError(f"unknown study {name!r}", nearest_hint(name, known, "studies"))
    return known[name]


def chosen_cases(study: Study, cases: Sequence[Case], only: Sequence[str]) -> list[Case]:
    """Those of the named tables and with the named rows.

    Raises GromaError (exit code 2) for an unknown name.
    """
    tables, rows = {one.table for one in cases}, {one.name for one in cases}
    for name in only:
        if name not in tables | rows:
            raise GromaError(
                f"the study {study.name} has no table or row {name!r}",
                nearest_hint(name, [*sorted(tables), *dict.fromkeys(one.name for one in cases)], "names"),
            )
    named_tables, named_rows = set(only) & tables or tables, set(only) & rows or rows
    kept = [one for one in cases if one.table in named_tables and one.name in named_rows]
    if not kept:
        raise GromaError(f"no table of {' '.join(only)} has such a row", "leave out --only")
    return kept


def row_of(case: Case, facts: TorusFacts, earlier: Sequence[tuple[Case, StudyRow]] = ()) -> StudyRow:
    """A run beside what is known of it."""
    found, expected = case.measure(facts), _settled(case, earlier)
    agrees = expected.agrees(found.value)
    return StudyRow(
        case=case.name,
        shape=facts.shape,
        simulated=found,
        expected=expected.value,
        difference=found.value / expected.value - 1 if expected.value else None,
        tolerance=expected.tolerance,
        min=expected.min,
        max=expected.max,
        wanted=expected.wanted,
        agrees=None if agrees is None else agrees and facts.finished,
        model=expected.model,
        drift=facts.window.drift if facts.window else None,
        bucket=facts.bucket,
        updates=case.options.updates,
        wall=facts.simulator.wall if facts.simulator else None,
        finished=facts.finished,
        stuck=facts.stuck,
        note=expected.note,
    )


def _settled(case: Case, earlier: Sequence[tuple[Case, StudyRow]]) -> Expected:
    """With the number of an earlier row in place of its name; without that row, nothing is expected."""
    expected = case.expected
    if not expected.times or expected.value is None:
        return expected
    reference = (r.simulated.value for c, r in earlier if (c.table, c.name) == (case.table, expected.times))
    value = next(reference, None)
    return expected._replace(value=None if value is None else expected.value * value)


def tables_of(study: Study, rows: Sequence[tuple[Case, StudyRow]]) -> list[StudyTable]:
    """The rows that were made, by table; tables without rows are left out."""
    tables = [
        StudyTable(**heading._asdict(), rows=[row for case, row in rows if case.table == heading.name])
        for heading in study.headings
    ]
    return [table for table in tables if table.rows]
