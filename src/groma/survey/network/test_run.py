"""Launch after launch, and whatever happens, what was measured is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.launch.shape import Room
from groma.record.partial_file import partial_path
from groma.run.interruption import Interruption
from groma.run.job import JobResult
from groma.survey.network.conftest import FakeJob, plan_for, survey_of

if TYPE_CHECKING:
    from pathlib import Path

    from groma.launch.command import Command

THREE = plan_for(Room(nodes=3, cores=2), skip=("curve", "loggp", "concurrency"))
BIG = plan_for(Room(nodes=16, cores=65), only=("pairs",))


def test_a_whole_survey_leaves_samples_facts_and_the_places_of_all_launches(output: Path) -> None:
    job = FakeJob()
    survey_of(THREE, output, job).run(Interruption())
    record = read_record(output)
    between = {"net_node_pairs", "net_distance", "net_receiver", "net_access"}
    assert set(record.samples) == {"net_pairs", *between}
    assert len(job.commands) == 4
    network = record.facts.network
    assert network.distance.ratio[0].value == 1.0
    assert [round(one.value, 6) for one in network.access.ratio] == [1.0, 2.0]
    assert {one.labels.get("per_node") for one in network.launches} == {None, 1, 2}
    assert not partial_path(output).exists()


def test_two_stages_are_reported_in_the_ranks_of_the_whole_machine(output: Path) -> None:
    record = survey_of(BIG, output, SparseJob()).run(Interruption())
    ranks = {rank for case in record.samples["net_pairs"].cases for rank in (case["from"], case["to"])}
    assert ranks == {0, 1, 2, 3, 129, 65, 130, 195, 15 * 65}
    assert record.facts.network is not None
    (launch,) = record.facts.network.launches
    places = {one.rank: one.host for one in launch.launch.placement}
    assert [places[rank] for rank in (0, 1, 65, 66, 130, 15 * 65)] == ["n0", "n0", "n1", "n1", "n2", "n15"]


class SparseJob(FakeJob):
    """The pairs of a design instead of all."""

    def _samples(self, probe, given, ranks, nodes):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        lines = list(super()._samples(probe, given, min(ranks, 4), nodes))
        lines[0]["cases"][0] |= {"to": ranks - 1}
        yield from lines


def test_two_ranks_on_a_node_are_refused_and_the_host_is_named(output: Path) -> None:
    job = FakeJob(misplace=lambda node: 0 if node == 1 else node)
    with pytest.raises(GromaError) as refusal:
        survey_of(plan_for(THREE.room, only=("distance",)), output, job).run(Interruption())
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT
    assert "2 ranks run on n0" in refusal.value.what
    assert not partial_path(output).exists()


def test_hosts_that_get_too_many_ranks_are_refused(output: Path) -> None:
    survey = survey_of(
        plan_for(THREE.room, only=("pairs",)), output, FakeJob(misplace=lambda node: node // 2)
    )
    with pytest.raises(GromaError, match="4 ranks run on n0") as refusal:
        survey.run(Interruption())
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT


def test_layers_come_from_the_pairs_and_keep_their_names(output: Path) -> None:
    plan = plan_for(THREE.room, only=("curve", "loggp"))
    record = survey_of(plan, output, FakeJob()).run(Interruption())
    assert record.facts.network is not None
    names = {layer.name for layer in record.facts.network.layers}
    assert len(names) == 2
    assert {case["layer"] for case in record.samples["net_curve"].cases} == names


@pytest.mark.parametrize(
    ("ended", "code", "words"),
    [
        (JobResult("interrupted", -15), ExitCode.INTERRUPTED, "interrupted during net_distance"),
        (JobResult("stuck", -9, silence=60.0), ExitCode.ENVIRONMENT, "the launch printed nothing for 60 s"),
        (
            JobResult(
                "finished", 137, ["mpirun noticed that process rank 2 with PID 0 exited on signal 9 (Killed)"]
            ),
            ExitCode.ENVIRONMENT,
            "rank 2 on n2",
        ),
    ],
)
def test_what_came_before_the_end_is_kept_and_resumed(
    output: Path, ended: JobResult, code: ExitCode, words: str
) -> None:
    with pytest.raises(GromaError, match="1 of 4 launches are saved") as refusal:
        survey_of(THREE, output, FakeJob(endings={"net_distance": ended})).run(Interruption())
    assert refusal.value.exit_code == code
    assert words in refusal.value.what
    assert "--resume" in refusal.value.next_step
    assert not output.exists()

    kept = read_record(partial_path(output))
    assert kept.samples["net_pairs"].done
    again = FakeJob()
    survey_of(THREE, output, again, kept).run(Interruption())
    assert len(again.commands) == 3
    whole = read_record(output)
    assert len(whole.samples["net_distance"].cases) == 3
    assert all(len(values) == 3 for values in whole.samples["net_distance"].values)


def test_a_launch_that_is_repeated_leaves_no_warning_of_its_first_try(output: Path) -> None:
    job = FakeJob(endings={"net_distance": JobResult("interrupted", -15)}, damaged="net_distance")
    with pytest.raises(GromaError, match="interrupted"):
        survey_of(THREE, output, job).run(Interruption())
    kept = read_record(partial_path(output))
    assert "network.unread" in [one.code for one in kept.warnings]
    survey_of(THREE, output, FakeJob(), kept).run(Interruption())
    assert "network.unread" not in [one.code for one in read_record(output).warnings]


@pytest.mark.parametrize(
    ("silent", "words"),
    [
        (["n1"], "; n1 does not answer; 1 of 4 launches are saved"),
        ([], "; each of the 3 nodes answers when asked alone; 1 of 4 launches are saved"),
    ],
)
def test_after_a_launch_that_hangs_the_nodes_that_do_not_answer_are_named(
    output: Path, silent: list[str], words: str
) -> None:
    job = FakeJob(endings={"net_distance": JobResult("stuck", -9, silence=60.0)}, silent=silent)
    with pytest.raises(GromaError) as problem:
        survey_of(THREE, output, job).run(Interruption())
    assert words in problem.value.what
    assert problem.value.exit_code == ExitCode.ENVIRONMENT
    assert sorted(job.asked) == ["n0", "n1", "n2"]


def test_the_probe_that_was_on_when_the_user_interrupted_did_not_fail(output: Path) -> None:
    job = FakeJob(endings={"net_distance": JobResult("interrupted", -15)})
    with pytest.raises(GromaError, match="interrupted"):
        survey_of(THREE, output, job).run(Interruption())
    assert read_record(partial_path(output)).samples["net_distance"].ended == "interrupted"


def test_nobody_is_asked_after_an_interruption_or_a_refusal(output: Path) -> None:
    job = FakeJob(endings={"net_distance": JobResult("interrupted", -15)})
    with pytest.raises(GromaError, match="interrupted"):
        survey_of(THREE, output, job).run(Interruption())
    assert job.asked == []


def test_ranks_that_do_not_end_are_warned_of_and_everything_is_kept(output: Path) -> None:
    job = FakeJob(endings={"net_distance": JobResult("lingering", -9)})
    record = survey_of(THREE, output, job).run(Interruption())
    assert [one.code for one in record.warnings].count("launch.lingering") == 1
    assert len(job.commands) == 4
    assert job.asked == []


def test_what_the_program_refuses_keeps_its_words_and_its_code(output: Path) -> None:
    class Refusing(FakeJob):
        def lines(self, words, ranks, per_node):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            yield next(super().lines(words, ranks, per_node))
            yield {"event": "failed", "code": "memory", "what": "2 messages do not fit", "next": "--message"}

    job = Refusing()
    with pytest.raises(GromaError, match="2 messages do not fit") as refusal:
        survey_of(plan_for(THREE.room, only=("distance",)), output, job).run(Interruption())
    assert refusal.value.exit_code == ExitCode.USAGE
    assert job.asked == []


def test_the_node_part_of_a_profile_stays(output: Path) -> None:
    first = survey_of(plan_for(THREE.room, only=("distance",)), output, FakeJob()).run(Interruption())
    first.samples["clock"] = first.samples["net_distance"]
    again = survey_of(plan_for(THREE.room, only=("access",)), output, FakeJob(), first)
    assert "clock" in again.run(Interruption()).samples


def test_what_is_given_of_the_network_stands_beside_what_is_measured(output: Path) -> None:
    plan = plan_for(THREE.room, only=("distance",), topology="3", link=1e6)
    record = survey_of(plan, output, FakeJob()).run(Interruption())
    assert record.facts.network is not None
    found = record.facts.network.distance
    assert found is not None
    assert (found.loads_of, found.structure, found.link_bandwidth) == ("declared", "ring of 3", 1e6)
    assert record.parameters["network"]["plan"]["declared"]["topology"] == "3"


class KilledJob(FakeJob):
    """The user presses Ctrl-C twice as the second probe of a launch begins."""

    def __call__(self, command: Command, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        def up_to_the_second(line: bytes) -> None:
            on_line(line)
            if b'"begin"' in line and b"net_receiver" in line:
                raise KeyboardInterrupt

        return super().__call__(command, up_to_the_second, interruption, timeouts)


def test_probes_of_a_launch_that_was_killed_are_kept_but_measured_again(output: Path) -> None:
    plan = plan_for(THREE.room, only=("distance", "receiver"))
    with pytest.raises(KeyboardInterrupt):
        survey_of(plan, output, KilledJob()).run(Interruption())
    kept = read_record(partial_path(output))
    assert kept.samples["net_distance"].done
    assert kept.samples["net_receiver"].ended == "interrupted"
    assert kept.unfinished is not None
    assert kept.unfinished.missing == ["nodes"]
    record = survey_of(plan, output, FakeJob(), kept).run(Interruption())
    assert len(record.samples["net_distance"].cases) == 3
