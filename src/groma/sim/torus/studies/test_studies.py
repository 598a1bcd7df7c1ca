"""Studies ask only what can be simulated, and judge as they say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import GromaError
from groma.machine.description import Specialised
from groma.machine.files import find_machine
from groma.run.interruption import Interruption
from groma.sim.torus.conftest import result
from groma.sim.torus.infer import exact, facts_of
from groma.sim.torus.protocol import Result, Run
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of
from groma.sim.torus.steadiness import MOST_DRIFT, drifts
from groma.sim.torus.studies import broadcast, latency, receiver, table_3, table_4
from groma.sim.torus.studies.random_access import gups
from groma.sim.torus.studies.study import (
    Case,
    Expected,
    Study,
    chosen_cases,
    known_studies,
    row_of,
    study_named,
    tables_of,
)
from groma.sim.torus.study_run import (
    CompletedRow,
    StudyRequest,
    advice_of,
    facts_of_study,
    planned,
    run_study,
)

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.facts.torus_study import StudyRow
    from groma.record import Advice

RUN = Run(seed=1, threads=1)


def facts(**changed: object) -> TorusFacts:
    plan = plan_of(SimulationOptions(machine=find_machine("bluegene-p"), shape="4x4x4", run=RUN))
    return facts_of(plan, msgspec.convert(result(**changed), Result))


def case(expected: Expected, name: str = "64") -> Case:
    options = SimulationOptions(machine=find_machine("bluegene-p"), shape="4x4x4", run=RUN)
    return Case("multi-core", name, options, expected, gups)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("study", known_studies(), ids=lambda one: one.name)
def test_every_run_of_a_study_can_be_asked(study: Study, quick: bool) -> None:
    cases = study.cases(RUN, quick)
    for one in cases:
        plan_of(one.options)
    assert len({(one.table, one.name) for one in cases}) == len(cases)
    assert {one.table for one in cases} == {heading.name for heading in study.headings}


def test_an_unknown_study_is_refused_with_the_nearest() -> None:
    with pytest.raises(GromaError) as refused:
        study_named("tabel-4")
    assert "did you mean table-4?" in refused.value.next_step


def test_rows_are_chosen_by_table_and_by_name() -> None:
    cases = table_4.cases(RUN, quick=False)
    chosen = chosen_cases(table_4.STUDY, cases, ["multi-core", "512", "1024"])
    assert [(one.table, one.name) for one in chosen] == [("multi-core", "512"), ("multi-core", "1024")]
    assert len(chosen_cases(table_4.STUDY, cases, ["512"])) == 3
    for unknown in (["513"], ["multi-core", "65536"]):
        with pytest.raises(GromaError):
            chosen_cases(table_4.STUDY, cases, unknown)


@pytest.mark.parametrize(
    ("expected", "agrees"),
    [
        (Expected(2.6, 0.15), True),
        (Expected(3.2, 0.15), False),
        (Expected(2.0, 0.15), False),
        (Expected(2.6), None),
        (Expected(min=2.0), True),
        (Expected(max=2.0), False),
        (Expected(min=2.7, max=3.0), False),
        (Expected(), None),
    ],
)
def test_a_row_agrees_within_its_tolerance(expected: Expected, agrees: bool | None) -> None:
    row = row_of(case(expected), facts())
    assert row.simulated.value == pytest.approx(2.62144)
    assert row.agrees is agrees
    if expected.value:
        assert row.difference == pytest.approx(2.62144 / expected.value - 1)


def test_a_run_that_was_cut_short_agrees_with_nothing() -> None:
    assert row_of(case(Expected(2.6, 0.15)), facts(finished=False)).agrees is False
    stuck = row_of(case(Expected(2.6, 0.15)), facts(finished=False, stuck=True))
    assert (stuck.agrees, stuck.stuck) == (False, True)


def test_a_row_may_be_expected_as_a_multiple_of_an_earlier_one() -> None:
    first = case(Expected(), "fifo")
    row = row_of(first, facts())
    assert row.expected is None
    second = case(Expected(1.3, 0.1, times="fifo"), "overlapping")
    assert row_of(second, facts(), [(first, row)]).expected == pytest.approx(1.3 * 2.62144)
    assert row_of(second, facts(), [(first, row)]).agrees is False
    assert row_of(second, facts()).agrees is None, "without the earlier row nothing is expected"


def row(drift: float, reach: float) -> StudyRow:
    found = row_of(case(Expected()), facts())
    simulated = msgspec.structs.replace(exact(100.0, "GUP/s"), low=100 - reach, high=100 + reach)
    return msgspec.structs.replace(found, drift=drift, simulated=simulated)


@pytest.mark.parametrize(
    ("drift", "reach", "drifting"),
    [
        (MOST_DRIFT / 2, 0.0, False),
        (1.5 * MOST_DRIFT, 0.1, True),
        (-1.5 * MOST_DRIFT, 0.1, True),
        (1.5 * MOST_DRIFT, 5.0, False),  # within what noise explains
    ],
)
def test_a_rate_drifts_where_its_halves_differ_by_more_than_noise(
    drift: float, reach: float, drifting: bool
) -> None:
    assert drifts(row(drift, reach).simulated, drift) is drifting


def advice_of_rows(*rows: StudyRow) -> dict[str, Advice]:
    done = [CompletedRow(case(Expected()), one, []) for one in rows]
    task = StudyRequest("table-4", RUN)
    found = facts_of_study(task, table_4.STUDY, [], done)
    return {one.code: one for one in advice_of(found)}


def test_a_row_that_was_cut_short_is_not_called_outside_the_tolerance() -> None:
    cut = row_of(case(Expected(0.38, 0.15)), facts(finished=False, window={"samples": []}))
    found = advice_of_rows(cut)
    assert set(found) == {"torus.cut"}
    assert "a longer --time-limit" in found["torus.cut"].next


def test_a_study_names_the_rows_that_are_too_short_with_more_updates_than_they_had() -> None:
    few = [msgspec.structs.replace(one, updates=5000) for one in (row(0.3, 30.0), row(0.3, 0.1))]
    found = advice_of_rows(few[0])
    assert set(found) == {"torus.short"}
    assert found["torus.short"].next.endswith("--updates 20000")
    assert advice_of_rows(few[1])["torus.drifts"].next.endswith("--updates 20000")


def test_the_facts_of_a_study_tell_what_is_missing_and_what_was_assumed() -> None:
    task = StudyRequest("table-4", RUN, quick=True, only=["multi-core"])
    cases = planned(task, table_4.STUDY)
    one = facts()
    found = facts_of_study(
        task, table_4.STUDY, cases, [CompletedRow(cases[0], row_of(cases[0], one), one.parameters)]
    )
    assert found.planned == len(cases)
    assert found.missing == [f"multi-core {other.name}" for other in cases[1:]]
    assert {p.name for p in found.parameters} >= {"network.hop_latency", "network.routing"}
    assert all(p.assumed for p in found.parameters)
    assert [advice.code for advice in advice_of(found)] == ["torus.differs"], "2.62 is not 0.38"


def test_tables_without_rows_are_left_out() -> None:
    cases = table_4.cases(RUN, quick=True)
    shown = tables_of(table_4.STUDY, [(cases[0], row_of(cases[0], facts()))])
    assert [table.name for table in shown] == ["multi-core"]


def test_updates_of_the_user_hold_for_all_runs_of_random_access() -> None:
    for study in (table_4.STUDY, latency.STUDY):
        all_options = [one.options for one in planned(StudyRequest(study.name, RUN, updates=77), study)]
        assert {one.updates for one in all_options} == ({77} if study is table_4.STUDY else {None})


def test_updates_are_refused_where_no_run_has_any() -> None:
    with pytest.raises(GromaError, match="no run of latency simulates RandomAccess"):
        run_study(StudyRequest("latency", RUN, updates=5), None, Interruption())


def test_table_4_has_every_printed_row_with_the_bucket_of_the_formula() -> None:
    cases = table_4.cases(RUN, quick=False)
    multi = [one for one in cases if one.table == "multi-core" and one.expected.tolerance]
    assert [int(one.name) for one in multi] == [64 << step for step in range(10)]
    assert [plan_of(one.options).bucket for one in multi] == [30, 27, 24, 22, 19, 16, 13, 12, 10, 8]
    assert [math.prod(plan_of(one.options).extents.shape) for one in multi] == [int(c.name) for c in multi]
    last = cases[-1]
    assert (last.name, last.options.shape, last.expected.value) == ("65536", "32x32x64", 75.0)


def test_a_division_costs_what_the_row_of_96_nodes_says() -> None:
    machine = find_machine("bluegene-p")
    assert machine.randomaccess is not None
    algorithm = machine.randomaccess.algorithm("multi-core")
    assert isinstance(algorithm, Specialised)
    # 96 x 850 MHz / 0.34 GUP/s are 240 cycles; the core that routes along z has 97.4 + 480/29 of its own.
    assert table_3.division_cycles(machine, algorithm, 0.34, 96) == pytest.approx(240 - 97.4 - 480 / 29)
    cases = {(one.table, one.name): one for one in table_3.cases(RUN, quick=False)}
    assert cases["division", "96"].expected.tolerance is None, "derived from it, so not judged by it"
    own = plan_of(cases["division", "768"].options).request.workload["own"]
    plain = plan_of(cases["prediction", "768"].options).request.workload["own"]
    assert [round(a - b) for a, b in zip(own, plain, strict=True)] == [126, 126, 126, 0]


def test_the_latency_of_a_packet_has_a_closed_form() -> None:
    machine = find_machine("bluegene-l")
    # 12 hops of 64 cycles and 256 + 14 bytes at a quarter byte a cycle.
    assert latency.closed_form(machine, (4, 4, 4), 8, 256) == 12 * 64 + 1080
    assert latency.closed_form(machine, (0, 3, 6), 8, 32) == 5 * 64 + 184, "6 upwards are 2 downwards"


def test_in_figure_7_only_senders_that_do_not_receive_stall() -> None:
    cases = {one.name: one for one in receiver.cases(RUN, quick=True)}
    stalls = {name: one.expected is receiver.STALLED for name, one in cases.items()}
    assert [name for name, some in stalls.items() if some] == [
        "4 in, 0 out",
        "5 in, 0 out",
        "3 in, 1 out: 6 18 only send",
        "5 in, 1 out: 6 18 23 26 only send",
        "5 in, 2 out: 6 23 26 only send",
        "5 in, 3 out: 23 26 only send",
        "5 in, 4 out: 26 only sends",
    ]
    workload = plan_of(cases["5 in, 2 out: 18 21 receive too"].options).request.workload
    assert (workload["center"], workload["from"], workload["to"]) == (22, [6, 18, 21, 23, 26], [21, 18])


def test_each_group_of_senders_of_figure_7_is_judged_by_its_weakest_case() -> None:
    """All of those who have to stall do, and none of the others."""
    senders = [{"node": node, "stalled": share, "finished_at": 1} for node, share in ((6, 0.3), (21, 0.1))]
    options = receiver.cases(RUN, quick=True)[0].options
    found = facts_of(plan_of(options), msgspec.convert(result(senders=senders), Result))
    assert receiver.stalled(found, (6, 21), receiver.SHORTEST).value == 0.1
    assert receiver.stalled(found, (6, 21), receiver.LONGEST).value == 0.3
    assert receiver.stalled(found, (21,), receiver.LONGEST).value == 0.1


def test_messages_in_turns_cost_a_whole_message_for_each_link_of_the_way() -> None:
    assert broadcast.store_and_forward(1) == 1, "one piece has no turns"
    assert broadcast.store_and_forward(2) == 1.5
    assert broadcast.store_and_forward(10**6) == pytest.approx(broadcast.DEPTH, rel=1e-5)


def test_the_rate_of_a_broadcast_is_that_of_chips_of_500_mhz() -> None:
    """The link of which the paper speaks there sustains "around 100 MB/s"."""
    cases = broadcast.cases(RUN, quick=False)
    assert {one.options.machine.processor.frequency.value for one in cases} == {500e6}
    rates = {one.name: one.expected.value for one in cases if one.table == "broadcast-rate"}
    assert rates == {"8 pieces": 100, "16 pieces": 100}
