"""A run is read leniently, and refused by name where it does not tell what is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.model.calibration import calibration_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.survey import SurveyFacts
    from groma.record import Record

    MakeRun = Callable[..., Record[Any]]


def exactly(value: float, unit: str = "s") -> dict[str, Any]:
    return {"value": value, "unit": unit, "low": value, "high": value, "confidence": 1.0, "method": "made up"}


def test_a_run_tells_rate_ranks_and_table(make_run: MakeRun) -> None:
    run = calibration_of(make_run(), "run.json")
    assert run.rate.unit == "update/s"
    assert run.rate.value == pytest.approx(0.3e9)
    assert run.rate.low == pytest.approx(0.294e9)
    assert (run.cores, run.nodes, run.table) == (8, 1, 1 << 30)
    assert (run.algorithm, run.mapping_mode, run.errors, run.look_ahead) == ("shared", 1, 0, 1024)
    assert (run.loads, run.bucket) == ([], None)


def test_threads_of_a_rank_are_cores(make_run: MakeRun) -> None:
    assert calibration_of(make_run(ranks=4, launch={"threads": 3}), "run.json").cores == 12


def test_a_rate_in_updates_per_second_is_the_same_rate(make_run: MakeRun) -> None:
    assert calibration_of(make_run(gups=exactly(3e8, "update/s")), "run.json").rate.value == 3e8


@pytest.mark.parametrize("per", [1, 1 << 32])
def test_messages_and_bytes_tell_the_bucket_whether_per_run_or_per_update(
    per: int, make_run: MakeRun
) -> None:
    exchange = {"messages": 0.05 * per, "bytes": 8.0 * per, "other": "ignored"}
    assert calibration_of(make_run(exchange=exchange), "run.json").bucket == pytest.approx(20)


def test_nodes_may_stand_beside_the_ranks_or_in_the_launch(make_run: MakeRun) -> None:
    assert calibration_of(make_run(nodes=4), "run.json").nodes == 4
    assert calibration_of(make_run(launch={"nodes": 2, "launcher": "mpiexec"}), "run.json").nodes == 2


def test_loads_tell_what_each_role_alone_would_allow(make_run: MakeRun) -> None:
    """A role that works half of the time would allow twice the rate."""
    loads = [
        {"role": "route", "ranks": 6, "worked": exactly(2.0), "waited": exactly(6.0)},
        {"role": "update", "ranks": 2, "worked": exactly(8.0)},
    ]
    made = make_run(gups=exactly(0.5, "GUP/s"), seconds=exactly(8.0), loads=loads)
    route, update = calibration_of(made, "run.json").loads
    assert (route.role, route.ranks, update.role, update.ranks) == ("route", 6, "update", 2)
    assert [route.busy.value, update.busy.value] == pytest.approx([0.25, 1.0])
    assert [route.work.value, update.work.value] == pytest.approx([0.5e-9, 2e-9])
    assert [route.rate.value, update.rate.value] == pytest.approx([2e9, 0.5e9])


@pytest.mark.parametrize(
    "loads",
    [None, "much", {"route": 1.0}, ["route"], [{"role": "route"}], [{"role": "route", "worked": 3.0}]],
)
def test_loads_in_another_form_are_left_aside(loads: object, make_run: MakeRun) -> None:
    assert calibration_of(make_run(seconds=exactly(8.0), loads=loads), "run.json").loads == []


def test_loads_without_the_time_of_a_repetition_are_left_aside(make_run: MakeRun) -> None:
    loads = [{"role": "route", "ranks": 6, "worked": exactly(2.0)}]
    assert calibration_of(make_run(loads=loads), "run.json").loads == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gups": None}, "has no gups"),
        ({"gups": 0.3}, "gups = 0.3"),
        ({"gups": exactly(0.3)}, "gups in 's'"),
        ({"gups": exactly(0.0, "GUP/s")}, "gups = 0"),
        ({"ranks": None}, "has no ranks"),
        ({"ranks": "several"}, "ranks = 'several'"),
        ({"ranks": -2}, "ranks = -2"),
        ({"exchange": {"messages": -1.0, "bytes": 8.0}}, "messages = -1.0"),
        ({"table_words": 0}, "has no table_words"),
    ],
)
def test_what_is_missing_or_wrong_is_named(changed: dict[str, Any], said: str, make_run: MakeRun) -> None:
    with pytest.raises(GromaError, match=r"run\.json") as refused:
        calibration_of(make_run(**changed), "run.json")
    assert said in refused.value.what
    assert refused.value.exit_code == ExitCode.USAGE


def test_another_kind_of_record_is_refused(survey: Record[SurveyFacts]) -> None:
    with pytest.raises(GromaError, match="kind survey, not randomaccess"):
        calibration_of(survey, "profile.json")
