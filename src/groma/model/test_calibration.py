"""A run is read leniently, and refused by name where it does not tell what is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.model.calibration import calibration_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.record import Record, SurveyFacts

    MakeRun = Callable[..., Record[Any]]


def times(value: float) -> dict[str, Any]:
    return {"value": value, "unit": "s", "low": value, "high": value, "confidence": 1.0, "method": "made up"}


def test_a_run_tells_rate_ranks_and_table(make_run: MakeRun) -> None:
    run = calibration_of(make_run(), "run.json")
    assert run.rate.unit == "update/s"
    assert run.rate.value == pytest.approx(0.3e9)
    assert run.rate.low == pytest.approx(0.294e9)
    assert (run.ranks, run.nodes, run.table) == (8, 1, 1 << 30)
    assert (run.algorithm, run.mapping_mode, run.errors, run.look_ahead_max) == ("shared", 1, 0, 1024)
    assert (run.loads, run.bucket) == ({}, None)


def test_a_rate_in_updates_per_second_is_the_same_rate(make_run: MakeRun) -> None:
    gups = {"value": 3e8, "unit": "update/s", "low": 3e8, "high": 3e8, "confidence": 1.0, "method": "made up"}
    assert calibration_of(make_run(gups=gups), "run.json").rate.value == 3e8


@pytest.mark.parametrize("per", [1, 1 << 32])
def test_messages_and_bytes_tell_the_bucket_whether_per_run_or_per_update(
    per: int, make_run: MakeRun
) -> None:
    exchange = {"messages": 0.05 * per, "bytes": 8.0 * per, "other": "ignored"}
    assert calibration_of(make_run(exchange=exchange), "run.json").bucket == pytest.approx(20)


def test_nodes_may_stand_beside_the_ranks_or_in_the_launch(make_run: MakeRun) -> None:
    assert calibration_of(make_run(nodes=4), "run.json").nodes == 4
    assert calibration_of(make_run(launch={"nodes": 2, "launcher": "mpiexec"}), "run.json").nodes == 2


def test_loads_are_seconds_of_roles_and_other_forms_are_left_aside(make_run: MakeRun) -> None:
    loads = {"route": 3e-9, "update": times(5e-9), "idle": 0.0, "text": "much", "odd": {"cycles": 7}}
    found = calibration_of(make_run(loads=loads), "run.json").loads
    assert {role: load.value for role, load in found.items()} == {"route": 3e-9, "update": 5e-9}
    assert calibration_of(make_run(loads=[1, 2]), "run.json").loads == {}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gups": None}, "has no gups"),
        ({"gups": 0.3}, "gups = 0.3"),
        ({"gups": times(0.3)}, "gups in 's'"),
        ({"gups": times(0.0) | {"unit": "GUP/s"}}, "gups = 0"),
        ({"ranks": None}, "has no ranks"),
        ({"ranks": "several"}, "ranks = 'several'"),
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
