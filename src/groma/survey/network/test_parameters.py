"""What a record keeps of a survey of the network is typed when it is read, and plain when it is written."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.survey import SurveyFacts
from groma.launch.shape import Room
from groma.record import Advice, Build, Record
from groma.survey.infer.registry import infer_node
from groma.survey.network.conftest import plan_for
from groma.survey.network.parameters import (
    NetworkParameters,
    SampleCount,
    arguments_of,
    changing,
    network_parameters,
    set_parameters,
)

PLAN = plan_for(Room(nodes=3, cores=2))
HOT = Advice(code="doctor.hot", what="it is hot", next="cool it")


def record_with(parameters: dict[str, Any]) -> Record[SurveyFacts]:
    return Record(
        kind="survey",
        created="",
        command=[],
        build=Build(version="0"),
        environment={},
        parameters=parameters,
        samples={},
        facts=SurveyFacts(node=infer_node({}, None)[0]),
    )


def test_they_are_read_as_they_were_set() -> None:
    launch = PLAN.launches[0]
    part = NetworkParameters(
        plan=PLAN,
        options=["--ppn", "2"],
        done={launch.name: arguments_of(launch)},
        undone={"net_pairs": SampleCount(cases=3, rounds=2)},
        outcomes={launch.name: {"net_pairs": {"pairs_total": 15}}},
        warnings=[HOT],
    )
    record = record_with({})
    set_parameters(record, part)
    written = msgspec.json.decode(msgspec.json.encode(record.parameters))
    assert network_parameters(record_with(written)) == part


def test_a_change_is_in_the_record_and_no_warning_is_there_twice() -> None:
    record = record_with({})
    set_parameters(record, NetworkParameters(plan=PLAN))
    for _ in range(2):
        with changing(record) as part:
            part.warn(HOT, HOT)
    part_read = network_parameters(record)
    assert part_read is not None
    assert part_read.warnings == [HOT]


def test_a_record_of_the_node_has_none() -> None:
    assert network_parameters(record_with({"depth": "quick"})) is None


@pytest.mark.parametrize("damaged", ["damaged", {}, {"plan": None}, {"plan": {"launches": 3}}])
def test_damaged_ones_are_refused_in_one_line(damaged: Any) -> None:
    with pytest.raises(GromaError, match="is invalid") as refusal:
        network_parameters(record_with({"network": damaged}))
    assert refusal.value.exit_code == ExitCode.USAGE
    assert "\n" not in refusal.value.what
