"""What was measured on some machines is never mixed with what is measured on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.launch.shape import Room
from groma.record import Round
from groma.record.partial_file import partial_path
from groma.record.redact import redacted
from groma.run.interruption import Interruption
from groma.run.job import JobResult
from groma.survey.network.conftest import FakeJob, plan_for, survey_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groma.facts.survey import SurveyFacts
    from groma.record import Record

ROOM = Room(nodes=3, cores=2)
PLAN = plan_for(ROOM, skip=("loggp", "concurrency"))
HUNG = JobResult("stuck", -9, silence=60.0)


def interrupted(output: Path, at: str, job: Callable[..., FakeJob] = FakeJob) -> Record[SurveyFacts]:
    """What is left of a survey that ended with the launch of a probe."""
    with pytest.raises(GromaError):
        survey_of(PLAN, output, job(endings={at: HUNG})).run(Interruption())
    return read_record(partial_path(output))


def elsewhere(node: int) -> int:
    return node + 1


def in_reverse(node: int) -> int:
    return 2 - node


def test_a_survey_is_not_gone_on_with_on_other_nodes(output: Path) -> None:
    kept = interrupted(output, "net_distance")
    with pytest.raises(GromaError, match=r"started on n0, n1, n2, but this launch runs on n3") as refusal:
        survey_of(PLAN, output, FakeJob(misplace=elsewhere), kept).run(Interruption())
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT
    assert refusal.value.next_step.startswith("start again without --resume, or use those nodes")
    assert refusal.value.next_step.count("--resume") == 1


def test_what_was_refused_elsewhere_is_gone_on_with_at_home(output: Path) -> None:
    kept = interrupted(output, "net_distance")
    with pytest.raises(GromaError):
        survey_of(PLAN, output, FakeJob(misplace=elsewhere), kept).run(Interruption())
    record = survey_of(PLAN, output, FakeJob(), read_record(partial_path(output))).run(Interruption())
    assert record.facts.network is not None
    assert {place.host for one in record.facts.network.launches for place in one.launch.placement} == {
        "n0",
        "n1",
        "n2",
    }
    assert len(record.samples["net_distance"].cases) == 3


def test_a_survey_is_not_gone_on_with_by_another_mpi(output: Path) -> None:
    kept = interrupted(output, "net_distance")
    with pytest.raises(GromaError, match=r"started with Open MPI v4.*, but this is MPICH 4") as refusal:
        survey_of(PLAN, output, FakeJob(mpi="MPICH 4"), kept).run(Interruption())
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT
    assert "--launcher" in refusal.value.next_step


def test_layers_are_not_measured_on_pairs_that_lie_elsewhere_now(output: Path) -> None:
    kept = interrupted(output, "net_curve")
    with pytest.raises(GromaError, match="rank 0 ran on n0 when pairs were measured, but runs on n2"):
        survey_of(PLAN, output, FakeJob(misplace=in_reverse), kept).run(Interruption())


def test_distances_may_be_measured_in_another_order_and_are_reported_in_it(output: Path) -> None:
    kept = interrupted(output, "net_distance")
    record = survey_of(PLAN, output, FakeJob(misplace=in_reverse), kept).run(Interruption())
    assert record.facts.network is not None
    assert record.facts.network.distance is not None
    assert record.facts.network.distance.hosts == ["n2", "n1", "n0"]


def test_where_nothing_is_kept_any_nodes_will_do(output: Path) -> None:
    plan = plan_for(ROOM, only=("distance",))
    with pytest.raises(GromaError):
        survey_of(plan, output, FakeJob(endings={"net_distance": HUNG})).run(Interruption())
    kept = read_record(partial_path(output))
    record = survey_of(plan, output, FakeJob(misplace=elsewhere), kept).run(Interruption())
    assert record.facts.network is not None
    assert record.facts.network.distance is not None
    assert record.facts.network.distance.hosts == ["n1", "n2", "n3"]


def test_without_names_of_hosts_nothing_is_gone_on_with(output: Path) -> None:
    kept = redacted(interrupted(output, "net_distance"))
    with pytest.raises(GromaError, match=r"started on host-1, host-2, host-3, but this launch runs on n0"):
        survey_of(PLAN, output, FakeJob(), kept).run(Interruption())


def test_warnings_of_launches_that_are_done_survive_a_resumption(output: Path) -> None:
    job = FakeJob(endings={"net_pairs": JobResult("lingering", -9), "net_distance": HUNG})
    with pytest.raises(GromaError):
        survey_of(PLAN, output, job).run(Interruption())
    kept = read_record(partial_path(output))
    record = survey_of(PLAN, output, FakeJob(), kept).run(Interruption())
    assert [one.code for one in record.warnings].count("launch.lingering") == 1


def test_rounds_of_a_launch_that_did_not_end_are_not_counted(output: Path) -> None:
    kept = interrupted(output, "net_distance")
    kept.samples["net_pairs"].rounds.append(Round(elapsed=1.0, fixed_work=0.0, wall_over_cpu=1.0, steal=0.0))
    kept.parameters["network"]["undone"]["net_pairs"]["rounds"] = 0
    record = survey_of(PLAN, output, FakeJob(), kept).run(Interruption())
    assert record.samples["net_pairs"].rounds == []


@pytest.mark.parametrize(
    ("room", "requested", "words"),
    [
        (Room(nodes=4, cores=2), {}, "pairs was measured with 3 nodes, and now there are 4"),
        (Room(nodes=3, cores=3), {}, "pairs was measured with 6 ranks, and now there are 9"),
        (ROOM, {"depth": "quick"}, "pairs was measured with other options"),
    ],
)
def test_what_is_done_is_not_mixed_with_other_options(
    output: Path, room: Room, requested: dict[str, str], words: str
) -> None:
    kept = interrupted(output, "net_distance")
    plan = plan_for(room, skip=("loggp", "concurrency"), **requested)
    with pytest.raises(GromaError, match=words) as refusal:
        survey_of(plan, output, FakeJob(), kept)
    assert refusal.value.exit_code == ExitCode.USAGE
    assert "the same options" in refusal.value.next_step


@pytest.mark.parametrize("requested", [{"seed": 7}, {"budget": 60.0}, {"link": 1e8}])
def test_another_seed_time_or_knowledge_goes_on(output: Path, requested: dict[str, float]) -> None:
    kept = interrupted(output, "net_distance")
    plan = plan_for(ROOM, skip=("loggp", "concurrency"), **requested)
    job = FakeJob()
    survey_of(plan, output, job, kept).run(Interruption())
    assert len(job.commands) == 3
