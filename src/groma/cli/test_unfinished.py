"""A survey that was cut short shows what it has, and names what it lacks and the command that finishes it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from groma.cli.frame import read_records
from groma.cli.main import run
from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.facts.survey import Clock, SurveyFacts
from groma.record import Advice, ProbeSamples, Quantity, Record
from groma.record.io import write_record
from groma.record.partial_file import partial_path
from groma.record.redact import redacted
from groma.report.renderers import plain
from groma.report.terminal import document_of, facts_of
from groma.run.provenance import Provenance
from groma.survey.network.conftest import FakeJob, plan_for, survey_of
from groma.survey.plan import Plan, SurveyRequest, options_of
from groma.survey.run import infer_facts, keep_advice, resumed_record
from groma.survey.unfinished import resume_command, state_of

HOST = "walnut"
PARTIAL = Path("groma-profile.partial.json")
CURVE = "load_latency"
TIMED = Quantity(value=1e9, unit="Hz", low=1e9, high=1e9, confidence=0.9, method="given")


def killed(survey: Record[SurveyFacts], **ended: str) -> Record[SurveyFacts]:
    """What SIGKILL leaves of a survey of three probes: samples, and no facts but the topology."""
    steps = [
        {"probe": name, "title": name, "parameters": {"depth": "quick"}, "budget": 1.0}
        for name in (CURVE, "clock", "tlb_reach")
    ]
    survey.parameters = {"depth": "quick", "steps": steps, "options": ["--depth", "quick"]}
    survey.environment = {"host": HOST}
    survey.samples = {CURVE: survey.samples[CURVE]}
    survey.samples[CURVE].parameters["depth"] = "quick"
    for name, how in ended.items():
        survey.samples[name] = ProbeSamples(
            probe=name, cases=[], values=[], parameters={"depth": "quick"}, ended=how
        )
    survey.facts = SurveyFacts(node=type(survey.facts.node)(), declared=survey.facts.declared)
    survey.warnings = []
    return survey


def written(record: Record[Any], path: Path) -> Path:
    write_record(path, record)
    return path


def as_read(record: Record[Any], path: Path) -> Record[Any]:
    ((read,),) = read_records([written(record, path)])
    return read


def test_what_was_killed_shows_what_its_samples_support(survey: Record[SurveyFacts], tmp_path: Path) -> None:
    record = as_read(killed(survey), tmp_path / PARTIAL)
    assert record.facts.node.caches
    text = plain(document_of(record))
    assert text.startswith("! unfinished: 1 of 3 probes done; not measured: clock, tlb_reach")
    assert "32 KiB" in text


def test_each_probe_that_is_not_done_is_reported_with_its_reason(survey: Record[SurveyFacts]) -> None:
    state = state_of(killed(survey, clock="failed", tlb_reach="interrupted"), PARTIAL)
    assert state is not None
    assert (state.done, state.planned) == (1, 3)
    assert (state.failed, state.interrupted, state.missing) == (["clock"], ["tlb_reach"], [])


def test_interrupted_and_killed_look_the_same(survey: Record[SurveyFacts], tmp_path: Path) -> None:
    record = killed(survey)
    before = plain(document_of(as_read(record, tmp_path / PARTIAL)))
    infer_facts(record)
    assert plain(document_of(as_read(record, tmp_path / PARTIAL))) == before


def test_the_machine_and_the_command_that_finish_it_are_named(survey: Record[SurveyFacts]) -> None:
    state = state_of(killed(survey), Path("runs/p.partial.json"))
    assert state is not None
    assert state.next == "finish it on walnut with: groma survey --resume --depth quick -o runs/p.json"


def test_the_command_of_a_redacted_record_redacts_and_names_no_host(survey: Record[SurveyFacts]) -> None:
    state = state_of(redacted(killed(survey)), PARTIAL)
    assert state is not None
    assert "on that machine" in state.next
    assert "--redact" in state.next


def test_a_partial_record_under_another_name_says_how_to_call_it(survey: Record[SurveyFacts]) -> None:
    state = state_of(killed(survey), Path("copy.json"))
    assert state is not None
    assert state.next.startswith("call it copy.partial.json again")
    assert state.next.endswith("-o copy.json")


def test_a_record_that_tells_no_options_names_its_probes(survey: Record[SurveyFacts]) -> None:
    record = killed(survey)
    del record.parameters["options"]
    assert "--depth quick --only load_latency,clock,tlb_reach" in resume_command(record, Path("p.json"))


@pytest.mark.parametrize(
    "wanted",
    [
        SurveyRequest(),
        SurveyRequest(depth="quick", only=("clock", "tlb_reach"), budget=12.5),
        SurveyRequest(depth="thorough", skip=("clock",)),
    ],
)
def test_the_options_of_a_plan_are_those_that_were_asked_for(wanted: SurveyRequest) -> None:
    words = options_of(wanted)
    given = dict(zip(words[::2], words[1::2], strict=True))
    assert given.get("--depth") == wanted.depth
    assert tuple(filter(None, given.get("--only", "").split(","))) == wanted.only
    assert tuple(filter(None, given.get("--skip", "").split(","))) == wanted.skip
    assert given.get("--budget") == (None if wanted.budget is None else "12.5s")


def test_a_finished_profile_is_shown_as_it_was_written(survey: Record[SurveyFacts], tmp_path: Path) -> None:
    assert as_read(survey, tmp_path / "p.json") == survey


@pytest.mark.parametrize("taken", [(), (CURVE,), ("clock",), (CURVE, "clock")])
def test_a_profile_without_the_samples_of_its_facts_is_shown_as_it_was_written(
    survey: Record[SurveyFacts], tmp_path: Path, taken: tuple[str, ...]
) -> None:
    facts, samples = survey.facts, survey.samples[CURVE]
    whole = killed(survey, clock="rounds", tlb_reach="rounds")
    whole.samples[CURVE], whole.facts = samples, facts
    whole.facts.node.clock = Clock(core_frequency=TIMED, timer_cost=TIMED, timer_resolution=TIMED)
    for name in taken or list(whole.samples):
        del whole.samples[name]
    assert as_read(whole, tmp_path / "p.json") == whole
    assert "not measured" not in plain(document_of(whole, ["caches", "clock"]))


def test_an_interrupted_survey_without_its_samples_says_what_it_lacked(
    survey: Record[SurveyFacts], tmp_path: Path
) -> None:
    facts = survey.facts
    cut = as_read(killed(survey), tmp_path / PARTIAL)
    state = cut.unfinished
    cut.samples, cut.facts = {}, facts
    assert as_read(cut, tmp_path / PARTIAL).unfinished == state


def test_a_profile_with_a_failed_and_a_cut_probe_is_finished_and_says_so(
    survey: Record[SurveyFacts], tmp_path: Path
) -> None:
    record = as_read(killed(survey, clock="failed", tlb_reach="budget"), tmp_path / "p.json")
    assert record.unfinished is None
    assert "2 of 3 probes done (failed: clock; 1 by their budget)" in plain(document_of(record))


def test_what_disturbed_a_killed_survey_is_still_reported(
    survey: Record[SurveyFacts], tmp_path: Path
) -> None:
    record = killed(survey)
    load = Advice(code="doctor.load", what="a core is busy", next="wait")
    keep_advice(record, [load])
    keep_advice(record, [load])
    read = as_read(record, tmp_path / PARTIAL)
    assert [one.code for one in read.warnings].count("doctor.load") == 1


def test_programs_get_the_state_too(
    survey: Record[SurveyFacts], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = as_read(killed(survey), tmp_path / PARTIAL)
    assert facts_of(record, ["caches"])["unfinished"]["missing"] == ["clock", "tlb_reach"]
    assert run(["show", str(tmp_path / PARTIAL), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unfinished"]["planned"] == 3


@pytest.mark.parametrize("cut", range(6))
def test_a_curve_that_was_cut_anywhere_can_still_be_shown(
    survey: Record[SurveyFacts], tmp_path: Path, cut: int
) -> None:
    record = killed(survey)
    samples = record.samples[CURVE]
    samples.ended = "interrupted"
    samples.values = [values[:cut] if index % 2 else [] for index, values in enumerate(samples.values)]
    read = as_read(record, tmp_path / PARTIAL)
    assert "interrupted: load_latency" in plain(document_of(read))


@pytest.mark.parametrize(
    "label", [{}, {"size_bytes": None, "pages": "huge"}, {"size_bytes": "4 KiB", "pages": "huge"}]
)
def test_samples_that_were_damaged_are_refused_in_one_line(
    survey: Record[SurveyFacts], tmp_path: Path, label: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    record = killed(survey)
    samples = record.samples[CURVE]
    samples.cases = [{"unit": "s", "pages": "huge", **label} for _ in samples.cases]
    path = written(record, tmp_path / PARTIAL)
    assert run(["show", str(path)]) == ExitCode.USAGE
    assert f"{path}: its samples were edited or damaged" in capsys.readouterr().err
    here = Provenance([], record.build, record.environment, record.facts.declared)
    with pytest.raises(GromaError, match="edited or damaged"):
        resumed_record(Plan("quick", ()), tmp_path / "groma-profile.json", here)


def test_a_network_that_was_cut_short_names_its_launches(tmp_path: Path) -> None:
    from groma.launch.shape import Room
    from groma.run.interruption import Interruption
    from groma.run.job import JobResult

    output = tmp_path / "p.json"
    plan = plan_for(Room(nodes=3, cores=2), skip=("loggp", "concurrency"), depth="quick")
    job = FakeJob(endings={"net_distance": JobResult("stuck", -9, silence=60.0)})
    with pytest.raises(GromaError) as raised:
        survey_of(plan, output, job).run(Interruption())
    command = f"groma survey --network --resume --depth quick --skip loggp,concurrency -o {output}"
    assert command in raised.value.next_step
    state = read_record(partial_path(output)).unfinished
    assert state is not None
    assert state.done < state.planned == len(plan.launches)
    assert command in state.next
    assert "launches done" in state.what


def test_a_damaged_plan_tells_nothing_and_breaks_nothing(survey: Record[SurveyFacts]) -> None:
    record = killed(survey)
    record.parameters["steps"] = "damaged"
    assert state_of(record, PARTIAL) is None
    assert shlex.split(resume_command(record, Path("a b.json")))[-1] == "a b.json"


def test_a_model_of_a_profile_that_was_cut_short_says_so(
    survey: Record[SurveyFacts], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bandwidth = ProbeSamples(
        probe="memory_bandwidth",
        cases=[
            {
                "unit": "B/s", "kernel": "triad", "threads": 1, "cores": [0], "formula": "a = b + s * c",
                "reads": 2, "writes": 1, "flops_per_element": 2, "bytes_per_element": 24,
                "write_allocate_per_element": 8, "isa": "avx2", "strands": 2,
            }
        ],
        values=[[1e10, 1.1e10, 1.2e10, 1.05e10, 1.15e10, 1.12e10]],
        parameters={"depth": "quick"},
    )  # fmt: skip
    record = killed(survey)
    record.samples["memory_bandwidth"] = bandwidth
    path = written(record, tmp_path / PARTIAL)
    assert run(["model", "randomaccess", "--profile", str(path)]) == 0
    assert "unfinished: 1 of 3 probes done" in capsys.readouterr().err
