"""A survey runs on a fake measure; nothing here touches the machine."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.hpcc import HpccFacts
from groma.facts.reading import read_record
from groma.facts.survey import SurveyFacts
from groma.launch.shape import Room
from groma.record import Advice, Build, ProbeSamples, Record, Round, Topology, TopologyCore, TopologyNuma
from groma.record.io import write_record
from groma.record.partial_file import partial_path
from groma.record.redact import redacted
from groma.run.interruption import Interruption
from groma.run.listener import Listener
from groma.run.probe import ProbeStep
from groma.run.provenance import Provenance
from groma.run.run import Run
from groma.survey.network.conftest import FakeJob, plan_for, survey_of
from groma.survey.plan import Plan, Step
from groma.survey.run import (
    disturbance_advice,
    earlier_record,
    new_survey,
    node_survey,
    recorded_depth,
    recorded_seed,
    refuse_loss,
    replaced_profile,
    resumed_network_record,
    resumed_record,
)

TOPOLOGY = Topology(
    source="test",
    cores=(TopologyCore(logical=0, physical=0, core=0, package=0, numa=0),),
    caches=(),
    numa=(TopologyNuma(logical=0, physical=0, memory_bytes=1 << 33, cores=(0,)),),
    distances=None,
    allowed=(0,),
    page_bytes=4096,
    huge_page_bytes=None,
)
AROUND = Provenance(["groma", "survey"], Build(version="0"), {"host": "node"}, TOPOLOGY)
PLAN = Plan("quick", tuple(Step(name, name, {"depth": "quick"}, 1.0) for name in ("one", "two", "three")))


class FakeMeasure:
    """Answers with one sample per probe; interrupts or fails where a test wants it."""

    def __init__(self, interrupt_at: str = "", fail: tuple[str, ...] = ()) -> None:
        self.calls: list[str] = []
        self.interrupt_at, self.fail = interrupt_at, fail

    def __call__(
        self, step: ProbeStep, interruption: Interruption, progress: Callable[[ProbeSamples], None]
    ) -> ProbeSamples:
        self.calls.append(step.probe)
        samples = ProbeSamples(
            probe=step.probe, cases=[{"unit": "s"}], values=[[1.0]], parameters=dict(step.parameters)
        )
        if step.probe == self.interrupt_at:
            interruption.requested = True
            samples.ended = "interrupted"
        progress(samples)
        if step.probe in self.fail:
            samples.ended = "failed"
            samples.error = Advice(code="probe.needs_cores", what="one core only", next="use two")
        return samples


def survey(output: Path, measure: FakeMeasure, *, resume: bool = False) -> Run[SurveyFacts]:
    record = resumed_record(PLAN, output, AROUND) if resume else new_survey(PLAN, AROUND)
    return node_survey(PLAN, record, output, measure)


def watched(run: Run[SurveyFacts], listener: Listener, *beforehand: Advice) -> Run[SurveyFacts]:
    run.listener, run.beforehand = listener, beforehand
    return run


def test_a_finished_survey_leaves_the_profile_and_no_partial_file(tmp_path: Path) -> None:
    output = tmp_path / "groma-profile.json"
    survey(output, FakeMeasure()).run(Interruption())
    assert set(read_record(output).samples) == {"one", "two", "three"}
    assert not partial_path(output).exists()


def test_an_interrupted_survey_keeps_what_is_done_and_resumes_with_the_rest(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    with pytest.raises(GromaError, match="1 of 3 probes are saved") as raised:
        survey(output, FakeMeasure(interrupt_at="two")).run(Interruption())
    assert raised.value.exit_code == ExitCode.INTERRUPTED
    assert "--resume" in raised.value.next_step
    assert not output.exists()
    assert read_record(partial_path(output)).samples["two"].ended == "interrupted"

    again = FakeMeasure()
    survey(output, again, resume=True).run(Interruption())
    assert again.calls == ["two", "three"]
    assert all(samples.done for samples in read_record(output).samples.values())


def test_steps_of_another_depth_are_measured_again(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    with pytest.raises(GromaError):
        survey(output, FakeMeasure(interrupt_at="three")).run(Interruption())
    deeper = Plan("standard", tuple(Step(s.probe, s.title, {"depth": "standard"}, 9.0) for s in PLAN.steps))
    again = FakeMeasure()
    node_survey(deeper, resumed_record(deeper, output, AROUND), output, again).run(Interruption())
    assert again.calls == ["one", "two", "three"]


def test_probe_that_was_cut_short_and_is_no_longer_planned_leaves_no_samples(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    with pytest.raises(GromaError):
        survey(output, FakeMeasure(interrupt_at="two")).run(Interruption())
    rest = Plan("quick", PLAN.steps[2:])
    node_survey(rest, resumed_record(rest, output, AROUND), output, FakeMeasure()).run(Interruption())
    assert set(read_record(output).samples) == {"one", "three"}


def test_a_resumed_survey_goes_on_with_the_seed_of_the_record(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    assert recorded_seed(output) is None
    assert recorded_depth(output) is None
    seeded = Plan(
        "quick", tuple(Step(s.probe, s.title, {"depth": "quick", "seed": "9"}, 1.0) for s in PLAN.steps)
    )
    with pytest.raises(GromaError) as stopped:
        node_survey(seeded, new_survey(seeded, AROUND), output, FakeMeasure(interrupt_at="two")).run(
            Interruption()
        )
    assert recorded_seed(output) == 9
    assert recorded_depth(output) == "quick"
    assert "--resume --depth quick --only one,two,three --seed 9" in stopped.value.next_step


def test_another_seed_does_not_undo_what_is_done(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    with pytest.raises(GromaError):
        survey(output, FakeMeasure(interrupt_at="three")).run(Interruption())
    reseeded = Plan(
        "quick", tuple(Step(s.probe, s.title, {"depth": "quick", "seed": "9"}, 1.0) for s in PLAN.steps)
    )
    again = FakeMeasure()
    node_survey(reseeded, resumed_record(reseeded, output, AROUND), output, again).run(Interruption())
    assert again.calls == ["three"]


def test_memory_that_grew_meanwhile_is_still_the_same_machine(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    with pytest.raises(GromaError):
        survey(output, FakeMeasure(interrupt_at="two")).run(Interruption())
    (node,) = TOPOLOGY.numa
    grown = msgspec.structs.replace(TOPOLOGY, numa=(msgspec.structs.replace(node, memory_bytes=1 << 34),))
    assert resumed_record(PLAN, output, Provenance(AROUND.command, AROUND.build, {}, grown)).samples


def test_nothing_to_resume_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="nothing to resume") as raised:
        survey(tmp_path / "p.json", FakeMeasure(), resume=True)
    assert raised.value.exit_code == ExitCode.USAGE


def partial_of(output: Path, environment: dict[str, Any], **parameters: Any) -> Path:
    """A partial record with one finished probe, from a machine with that environment."""
    record = new_survey(PLAN, Provenance(AROUND.command, AROUND.build, environment, TOPOLOGY))
    record.samples["one"] = ProbeSamples(probe="one", cases=[], values=[], parameters={"depth": "quick"})
    record.parameters |= parameters
    write_record(partial_path(output), record)
    return partial_path(output)


def provenance(**environment: Any) -> Provenance:
    return Provenance(AROUND.command, AROUND.build, environment, TOPOLOGY)


def refusal(output: Path, here: Provenance) -> GromaError:
    with pytest.raises(GromaError) as raised:
        resumed_record(PLAN, output, here)
    assert raised.value.exit_code == ExitCode.USAGE
    return raised.value


def test_another_machines_partial_run_is_not_mixed_in(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    with pytest.raises(GromaError):
        survey(output, FakeMeasure(interrupt_at="two")).run(Interruption())
    elsewhere = Provenance(AROUND.command, AROUND.build, {}, None)
    with pytest.raises(GromaError, match="another machine"):
        resumed_record(PLAN, output, elsewhere)


@pytest.mark.parametrize(
    ("then", "here", "words"),
    [
        ({"host": "n1"}, {"host": "n2"}, "host n1, here n2"),
        ({"kernel": "6.1.0-9"}, {"kernel": "6.1.0-12"}, "kernel 6.1.0-9, here 6.1.0-12"),
        ({"cpu": {"model": "Xeon"}}, {"cpu": {"model": "EPYC"}}, "CPU Xeon, here EPYC"),
        (
            {"host": "n1", "memory": {"total_bytes": 1 << 33}},
            {"host": "n1", "memory": {"total_bytes": 1 << 34}},
            "memory 8 GiB, here 16 GiB",
        ),
    ],
)
def test_a_partial_run_of_another_machine_is_refused_with_both_values(
    tmp_path: Path, then: dict[str, Any], here: dict[str, Any], words: str
) -> None:
    partial = partial_of(tmp_path / "p.json", then)
    problem = refusal(tmp_path / "p.json", provenance(**here))
    assert problem.what.startswith(f"{partial} was measured on another machine")
    assert problem.what.endswith(words)
    assert "start again without --resume" in problem.next_step


def test_another_build_does_not_go_on(tmp_path: Path) -> None:
    partial_of(tmp_path / "p.json", {"host": "n1"})
    newer = Provenance(AROUND.command, Build(version="1"), {"host": "n1"}, TOPOLOGY)
    assert "groma 0, here 1" in refusal(tmp_path / "p.json", newer).what


def test_a_redacted_partial_run_is_gone_on_with_on_a_like_machine(tmp_path: Path) -> None:
    here = {"host": "walnut", "kernel": "6.1"}
    record = new_survey(PLAN, provenance(**here))
    write_record(partial_path(tmp_path / "p.json"), redacted(record))
    assert resumed_record(PLAN, tmp_path / "p.json", provenance(**here))
    assert "kernel" in refusal(tmp_path / "p.json", provenance(host="walnut", kernel="6.2")).what


def test_a_container_that_has_another_name_now_is_shown_how_to_keep_it(tmp_path: Path) -> None:
    inside = {"virtualisation": {"container": "docker"}}
    partial_of(tmp_path / "p.json", {"host": "3f2a", **inside})
    assert "--hostname" in refusal(tmp_path / "p.json", provenance(host="77c1", **inside)).next_step


def test_a_partial_record_that_names_no_machine_is_not_trusted(tmp_path: Path) -> None:
    partial_of(tmp_path / "p.json", {})
    assert "does not record the machine" in refusal(tmp_path / "p.json", provenance(host="n1")).what


def test_a_partial_record_of_another_kind_is_refused(tmp_path: Path) -> None:
    record = Record(
        kind="hpcc",
        created="",
        command=[],
        build=AROUND.build,
        environment={"host": "node"},
        parameters={},
        samples={},
        facts=HpccFacts(tests=[]),
    )
    write_record(partial_path(tmp_path / "p.json"), record)
    assert "is a record of kind hpcc" in refusal(tmp_path / "p.json", AROUND).what


def test_a_partial_survey_of_the_network_is_not_finished_as_one_of_the_node(tmp_path: Path) -> None:
    partial_of(tmp_path / "p.json", AROUND.environment, network={"plan": {}})
    problem = refusal(tmp_path / "p.json", AROUND)
    assert "belongs to a network survey" in problem.what
    assert "groma survey --network --resume" in problem.next_step
    assert resumed_network_record(tmp_path / "p.json", AROUND).samples


def test_a_partial_survey_of_the_node_is_not_finished_as_one_of_the_network(tmp_path: Path) -> None:
    partial_of(tmp_path / "p.json", AROUND.environment)
    with pytest.raises(GromaError, match="belongs to a node survey") as raised:
        resumed_network_record(tmp_path / "p.json", AROUND)
    assert raised.value.exit_code == ExitCode.USAGE
    assert resumed_record(PLAN, tmp_path / "p.json", AROUND).samples


def test_the_network_is_not_gone_on_with_from_another_machine(tmp_path: Path) -> None:
    partial_of(tmp_path / "p.json", {"host": "n1"}, network={"plan": {}})
    with pytest.raises(GromaError, match="host n1, here n2"):
        resumed_network_record(tmp_path / "p.json", provenance(host="n2"))


def test_what_is_finished_resumes_to_itself(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    survey(output, FakeMeasure()).run(Interruption())
    output.rename(partial_path(output))
    again = FakeMeasure()
    assert set(survey(output, again, resume=True).run(Interruption()).samples) == {"one", "two", "three"}
    assert again.calls == []


def test_a_part_of_a_survey_does_not_replace_the_whole_by_itself(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    refuse_loss(PLAN, output)
    survey(output, FakeMeasure()).run(Interruption())
    refuse_loss(PLAN, output)
    part = msgspec.structs.replace(PLAN, steps=PLAN.steps[1:2])
    with pytest.raises(
        GromaError, match="has 2 probes that this survey would not measure: one, three"
    ) as raised:
        refuse_loss(part, output)
    assert raised.value.next_step.endswith(f"-o {output}")


def test_a_profile_of_this_machine_is_kept_and_one_of_another_replaced_aloud(
    tmp_path: Path,
) -> None:
    output = tmp_path / "p.json"
    assert replaced_profile(output, AROUND) == ""
    survey(output, FakeMeasure()).run(Interruption())
    assert earlier_record(output, AROUND)
    assert replaced_profile(output, AROUND) == ""
    elsewhere = provenance(host="other")
    assert earlier_record(output, elsewhere) is None
    assert "host node, here other" in replaced_profile(output, elsewhere)


def network_profile(output: Path, here: Provenance) -> Record[SurveyFacts]:
    plan = plan_for(Room(nodes=3, cores=2), only=("pairs", "distance"))
    survey_of(plan, output, FakeJob(), new_survey(Plan("quick", ()), here)).run(Interruption())
    return read_record(output)


def test_a_pipe_that_the_profile_goes_to_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end never comes while the survey itself holds it open: groma survey -o /dev/stdout | jq."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr("groma.survey.run.read_record", lambda _: pytest.fail("it was read"))
    assert earlier_record(pipe, AROUND) is None


def test_a_survey_of_the_node_keeps_what_is_known_of_the_network(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    network = network_profile(output, AROUND)
    with pytest.raises(GromaError):
        survey(output, FakeMeasure(interrupt_at="two")).run(Interruption())
    assert read_record(output) == network
    survey(output, FakeMeasure(), resume=True).run(Interruption())
    both = read_record(output)
    assert set(both.samples) == {"one", "two", "three", "net_pairs", "net_distance"}
    assert both.facts.network is not None
    assert both.facts.network == network.facts.network
    assert both.parameters["network"] == network.parameters["network"]
    assert both.parameters["depth"] == PLAN.depth
    assert both.unfinished is None


def test_a_survey_of_another_node_keeps_no_network(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    network_profile(output, provenance(host="other"))
    both = survey(output, FakeMeasure()).run(Interruption())
    assert both.facts.network is None
    assert set(both.samples) == {"one", "two", "three"}


def test_a_damaged_network_is_no_obstacle_to_a_survey_of_the_node(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    network = network_profile(output, AROUND)
    network.parameters["network"] = {"plan": 7}
    write_record(output, network)
    assert survey(output, FakeMeasure()).run(Interruption()).facts.network is None


def test_a_probe_that_fails_is_reported_and_the_others_run(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    record = survey(output, FakeMeasure(fail=("two",))).run(Interruption())
    assert [advice.code for advice in record.warnings] == ["probe.needs_cores"]
    assert read_record(output).samples["three"].done


def test_what_disturbed_beforehand_stands_in_the_record(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    load = Advice(code="doctor.load", what="a core is busy", next="wait")
    watched(node_survey(PLAN, new_survey(PLAN, AROUND), output, FakeMeasure()), Listener(), load).run(
        Interruption()
    )
    assert read_record(output).warnings == [load]


def test_when_no_probe_runs_nothing_is_pretended(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    with pytest.raises(GromaError, match="one core only") as raised:
        survey(output, FakeMeasure(fail=("one", "two", "three"))).run(Interruption())
    assert raised.value.exit_code == ExitCode.NOTHING_RAN
    assert not output.exists()


def test_a_place_that_cannot_be_written_is_found_before_measuring(tmp_path: Path) -> None:
    measure = FakeMeasure()
    with pytest.raises(GromaError) as raised:
        survey(tmp_path / "missing" / "p.json", measure).run(Interruption())
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    assert measure.calls == []


def rounds(*wall_over_cpu: float) -> ProbeSamples:
    seen = [Round(elapsed=1, fixed_work=1e-5, wall_over_cpu=ratio, steal=0) for ratio in wall_over_cpu]
    return ProbeSamples(probe="p", cases=[], values=[], rounds=seen)


def test_lost_cpu_time_in_many_rounds_is_said() -> None:
    (advice,) = disturbance_advice({"busy": rounds(1.0, 1.9, 1.8, 1.0), "calm": rounds(1.0, 1.0, 1.0, 3.0)})
    assert advice.code == "survey.disturbed"
    assert "busy" in advice.what
    assert "calm" not in advice.what


def test_a_single_round_that_lost_most_of_its_time_is_said() -> None:
    """As of a costly probe on a crowded machine, whose budget is spent within its first round."""
    (advice,) = disturbance_advice({"crowded": rounds(9.1), "shared": rounds(1.3, 1.2), "calm": rounds(1.0)})
    assert advice.what.endswith("of crowded")


def test_discarded_samples_are_said_even_of_a_single_round() -> None:
    seen = [Round(elapsed=1, fixed_work=1e-5, wall_over_cpu=1, steal=0, discarded=2)]
    throttled = ProbeSamples(probe="p", cases=[{}], values=[[1.0, 1.0]], rounds=seen)
    (advice,) = disturbance_advice({"throttled": throttled})
    assert "throttled" in advice.what
    assert "quota" in advice.what


class Watching(Listener):
    """What the partial record holds whenever a step is reported as done."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.kept: list[list[str]] = []

    def finished(self, step: Any, samples: ProbeSamples) -> None:
        del step, samples
        self.kept.append(list(read_record(partial_path(self.output)).samples))


def test_steps_reported_as_done_are_on_disk(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    watching = Watching(output)
    watched(node_survey(PLAN, new_survey(PLAN, AROUND), output, FakeMeasure()), watching).run(Interruption())
    assert watching.kept == [["one"], ["one", "two"], ["one", "two", "three"]]


def test_a_record_that_lacks_no_step_has_its_facts_before_the_profile_is_written(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    load = Advice(code="doctor.load", what="a core is busy", next="wait")
    kept: list[Any] = []

    class Last(Listener):
        def finished(self, step: Any, samples: ProbeSamples) -> None:
            del step, samples
            kept.append(read_record(partial_path(output)))

    watched(node_survey(PLAN, new_survey(PLAN, AROUND), output, FakeMeasure()), Last(), load).run(
        Interruption()
    )
    assert [record.unfinished is None for record in kept] == [False, False, True]
    assert kept[-1].warnings == [load]


def test_what_disturbed_the_first_part_is_reported_of_the_whole(tmp_path: Path) -> None:
    output = tmp_path / "p.json"
    load = Advice(code="doctor.load", what="a core is busy", next="wait")
    measure = FakeMeasure(interrupt_at="two")
    with pytest.raises(GromaError, match="interrupted"):
        watched(node_survey(PLAN, new_survey(PLAN, AROUND), output, measure), Listener(), load).run(
            Interruption()
        )
    assert survey(output, FakeMeasure(), resume=True).run(Interruption()).warnings == [load]
