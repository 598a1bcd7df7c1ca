"""`groma sim torus study` from its name to its record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import ExitCode, GromaError
from groma.facts.torus_study import KIND, TorusStudyFacts
from groma.facts.unfinished import state_of
from groma.launch.native import build_of, native_program
from groma.record import Advice
from groma.run.provenance import new_record, provenance_of
from groma.sim.torus.infer import facts_of
from groma.sim.torus.program import PROGRAM, simulated
from groma.sim.torus.run import STUCK
from groma.sim.torus.simulation_plan import plan_of
from groma.sim.torus.steadiness import drifts, is_vague, more_updates
from groma.sim.torus.studies.study import chosen_cases, row_of, study_named, tables_of
from groma.sim.torus.workloads import RANDOMACCESS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.facts.torus import SimulatedWith, TorusFacts
    from groma.facts.torus_study import StudyRow
    from groma.record import Record
    from groma.run.interruption import Interruption
    from groma.sim.torus.protocol import Run
    from groma.sim.torus.studies.study import Case, Study


class StudyRequest(NamedTuple):
    """Options of a study. `only` names tables and rows; `updates` are those of each node."""

    study: str
    run: Run
    quick: bool = False
    only: Sequence[str] = ()
    updates: int | None = None


class CompletedRow(NamedTuple):
    """A row that was simulated, and the parameters of its run."""

    case: Case
    row: StudyRow
    parameters: Sequence[SimulatedWith]


def run_study(
    request: StudyRequest,
    folder: str | None,
    interruption: Interruption,
    report: Callable[[int, int, Case, StudyRow], None] = lambda *_: None,
) -> Record[TorusStudyFacts]:
    """A record, also of a study that was interrupted. `report` is called after each run, with its number and
    that of all runs. Raises what `simulated` raises.
    """
    study = study_named(request.study)
    cases = planned(request, study)
    if request.updates is not None and all(one.options.workload != RANDOMACCESS for one in cases):
        raise GromaError(f"no run of {study.name} simulates RandomAccess", "omit --updates")
    program = native_program(PROGRAM, folder)
    done: list[CompletedRow] = []
    for case in cases:
        if interruption.requested:
            break
        facts = _simulated(program, case, interruption)
        if facts is None:
            break
        done.append(CompletedRow(case, row_of(case, facts, [one[:2] for one in done]), facts.parameters))
        report(len(done), len(cases), case, done[-1].row)
    facts_found = facts_of_study(request, study, cases, done)
    record = new_record(
        KIND, provenance_of(build_of(program)), {"study": study.name, "quick": request.quick}, facts_found
    )
    record.warnings = list(advice_of(facts_found))
    record.unfinished = state_of(record)
    return record


def _simulated(program: Path, case: Case, interruption: Interruption) -> TorusFacts | None:
    """None of a run that the user interrupted."""
    plan = plan_of(case.options)
    try:
        facts = facts_of(plan, simulated(program, plan.request, interruption))
    except GromaError as error:
        if error.exit_code == ExitCode.INTERRUPTED:
            return None
        raise
    return None if interruption.requested and not facts.finished else facts


def planned(request: StudyRequest, study: Study) -> list[Case]:
    """Raises GromaError (exit code 2) for a table or row that the study does not have."""
    cases = chosen_cases(study, study.cases(request.run, request.quick), request.only)
    if request.updates is None:
        return cases
    return [
        one._replace(options=replace(one.options, updates=request.updates))
        if one.options.workload == RANDOMACCESS
        else one
        for one in cases
    ]


def facts_of_study(
    request: StudyRequest, study: Study, cases: Sequence[Case], done: Sequence[CompletedRow]
) -> TorusStudyFacts:
    """Pure: the same rows give the same facts."""
    made = {(one.case.table, one.case.name) for one in done}
    assumed = {(p.name, p.value): p for one in done for p in one.parameters if p.assumed}
    return TorusStudyFacts(
        study=study.name,
        title=study.title,
        tables=tables_of(study, [(one.case, one.row) for one in done]),
        planned=len(cases),
        missing=[f"{one.table} {one.name}" for one in cases if (one.table, one.name) not in made],
        parameters=list(assumed.values()),
        notes=list(study.notes()),
        quick=request.quick,
        seed=request.run.seed,
    )


def advice_of(facts: TorusStudyFacts) -> list[Advice]:
    """What a reader has to know before the rows are used. A run that was cut short is not judged further."""
    rows = [(f"{table.name} {row.case}", row) for table in facts.tables for row in table.rows]
    ended = [one for one in rows if one[1].finished]
    cut = [one for one in rows if not one[1].finished and not one[1].stuck]
    drifting = [one for one in ended if drifts(one[1].simulated, one[1].drift)]
    vague = [one for one in ended if is_vague(one[1].simulated) and one not in drifting]
    kinds = (
        (
            [one for one in ended if one[1].agrees is False],
            "torus.differs",
            "outside the tolerance",
            "docs/sim/torus-tables.md says which rows miss and why",
        ),
        (drifting, "torus.drifts", "the rate still changes by more than 2 %", _more_updates(drifting)),
        (vague, "torus.short", "too short for a steady state", _more_updates(vague)),
        (cut, "torus.cut", "ended by the time limit", "allow each run more time: a longer --time-limit"),
        ([one for one in rows if one[1].stuck], "torus.stuck", STUCK.what, STUCK.next),
    )
    return [
        Advice(code=code, what=f"{what}: {', '.join(name for name, _ in named)}", next=step)
        for named, code, what, step in kinds
        if named
    ]


def _more_updates(rows: Sequence[tuple[str, StudyRow]]) -> str:
    return more_updates(max((row.updates or 0 for _, row in rows), default=0))
