"""What is set of single probes is read by type, or refused in one line with the next step."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.launch.native import ParameterInfo, ProbeInfo
from groma.launch.shape import Room
from groma.survey.assignments import assigned_in, names_cores, refuse_absent_cores
from groma.survey.network.conftest import CATALOGUE as NETWORK
from groma.survey.network.plan import NetworkPlan, plan_network
from groma.survey.network.request import NetworkRequest
from groma.survey.plan import Plan, Step, SurveyRequest, plan_survey
from groma.survey.unfinished import node_steps

BYTES = ParameterInfo("max_size", "0", "0", "0", "largest size", "bytes")


def probe(name: str, *own: ParameterInfo) -> ProbeInfo:
    parameters = (
        *own,
        ParameterInfo("budget", "1", "4", "20", "", "seconds"),
        ParameterInfo("rounds", "12", "40", "120", "", "count"),
    )
    return ProbeInfo(name, name.title(), "", "", "", "", 10, parameters)


CATALOGUE = [
    probe("clock"),
    probe(
        "load_latency",
        BYTES,
        ParameterInfo("per_octave", "8", "8", "8", "", "1|2|4|8"),
        ParameterInfo("core", "-1", "-1", "-1", "", "integer"),
        ParameterInfo("share", "0.5", "0.5", "0.5", "", "number"),
        ParameterInfo("kernels", "all", "all", "all", ""),
        ParameterInfo("layers", "0", "0", "0", "", "found"),
    ),
]


def planned(*texts: str, **wanted: object) -> Plan:
    return plan_survey(CATALOGUE, SurveyRequest(assignments=texts, **wanted))  # type: ignore[arg-type]


def steps(*texts: str, **wanted: object) -> dict[str, Step]:
    return {step.probe: step for step in planned(*texts, **wanted).steps}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("load_latency.max_size=64MiB", str(64 << 20)),
        ("load_latency.max_size=0", "0"),
        ("load_latency.per_octave=4", "4"),
        ("load_latency.core=-1", "-1"),
        ("load_latency.share=0.25", "0.25"),
        ("load_latency.kernels=copy,triad", "copy,triad"),
        ("load_latency.kernels=a=b.c", "a=b.c"),
        ("load_latency.rounds=7", "7"),
        ("load_latency.budget=2m", "120"),
        (" load_latency.rounds = 7 ", "7"),
    ],
)
def test_a_value_reaches_its_probe_alone_as_the_probe_reads_it(text: str, value: str) -> None:
    found = steps(text)
    name = text.partition(".")[2].partition("=")[0].strip()
    assert found["load_latency"].parameters[name] == value
    assert name not in found["clock"].parameters


def test_several_are_set_at_once() -> None:
    found = steps("clock.rounds=3", "load_latency.rounds=5", "load_latency.core=2")
    assert found["clock"].parameters["rounds"] == "3"
    assert found["load_latency"].parameters.items() >= {"rounds": "5", "core": "2"}.items()


def test_a_budget_of_a_probe_bounds_it_and_leaves_the_others() -> None:
    found = steps("clock.budget=30s")
    assert (found["clock"].budget, found["load_latency"].budget) == (30.0, 4.0)
    assert found["clock"].parameters["budget"] == "30"


def test_the_plan_can_be_made_again_from_its_options() -> None:
    plan = planned("clock.rounds=3", "load_latency.max_size=1GiB")
    assert plan.options[-4:] == ("--set", "clock.rounds=3", "--set", "load_latency.max_size=1GiB")


@pytest.mark.parametrize(
    ("texts", "what", "next_step"),
    [
        (["rounds=3"], "is not of the form probe.parameter=value", "clock.rounds=50"),
        (["clock.rounds"], "is not of the form", "clock.rounds=50"),
        ([""], "is not of the form", ""),
        (["clok.rounds=3"], "unknown probe 'clok' in --set clok.rounds=3", "did you mean clock?"),
        (["net_pairs.pairs=3"], "unknown probe 'net_pairs'", "need --network"),
        (["clock.round=3"], "clock has no parameter 'round'", "did you mean rounds?"),
        (["clock.zzz=3"], "clock has no parameter 'zzz'", "groma describe clock"),
        (["clock.rounds=3", "clock.rounds=4"], "clock.rounds is set several times", "keep one"),
        (["clock.rounds=3", "clock.rounds=3"], "clock.rounds is set several times", "keep one"),
        (["clock.rounds=many"], "clock.rounds takes a whole number, not 'many'", "clock.rounds=50"),
        (["clock.rounds=-3"], "takes a whole number", ""),
        (["clock.rounds=2.5"], "takes a whole number", ""),
        (["clock.rounds="], "takes a whole number, not ''", ""),
        (["clock.budget=0"], "takes a time above zero", "clock.budget=2.5s"),
        (["clock.budget=-1"], "takes a time above zero", ""),
        (["load_latency.max_size=big"], "takes a size in bytes, not 'big'", "64MiB"),
        (["load_latency.share=inf"], "takes a number, not 'inf'", ""),
        (["load_latency.per_octave=3"], "takes 1, 2, 4 or 8, not '3'", "groma describe load_latency"),
        (["load_latency.kernels="], "takes a value, not ''", ""),
        (["load_latency.layers=0:0-1"], "cannot be set: the survey finds it itself", "omit"),
    ],
)
def test_what_cannot_be_set_is_a_usage_error_with_the_next_step(
    texts: list[str], what: str, next_step: str
) -> None:
    with pytest.raises(GromaError) as refused:
        planned(*texts)
    assert refused.value.exit_code == ExitCode.USAGE
    assert what in refused.value.what
    assert next_step in refused.value.next_step


TYPED = [
    probe(
        "streams",
        ParameterInfo("kernels", "all", "all", "all", "", "list of all|read|copy"),
        ParameterInfo("paces", "0.5", "0.5", "0.5", "", "shares"),
        ParameterInfo("sets", "auto", "auto", "auto", "", "sizes"),
        ParameterInfo("trips", "250", "250", "250", "", "count<=1000000"),
        ParameterInfo("slice", "8388608", "8388608", "8388608", "", "bytes>=65536"),
        ParameterInfo("inner", "0", "0", "0", "", "bytes>=4096"),
        ParameterInfo("core", "-1", "-1", "-1", "", "core"),
        ParameterInfo("threads", "0", "0", "0", "", "cores"),
    )
]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("kernels=read, copy", "read,copy"),
        ("paces=0.2, 1", "0.2,1"),
        ("sets=24KiB,512", "24576,512"),
        ("sets=auto", "auto"),
        ("trips=1000000", "1000000"),
        ("slice=64KiB", "65536"),
        ("inner=0", "0"),
        ("core=-1", "-1"),
    ],
)
def test_values_within_their_bounds_reach_the_probe(text: str, value: str) -> None:
    name = text.partition("=")[0]
    assert assigned_in([f"streams.{text}"], TYPED, ["streams"]) == {"streams": {name: value}}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("kernels=read,foo", "takes all, read or copy, not 'foo'"),
        ("paces=abc", "takes shares above 0 up to 1"),
        ("paces=2", "takes shares above 0 up to 1"),
        ("paces=0.5,,1", "takes shares above 0 up to 1"),
        ("sets=foo", "takes sizes with commas between them, or auto"),
        ("sets=0", "takes sizes with commas between them, or auto"),
        ("trips=2000000", "takes at most 1000000, not '2000000'"),
        ("slice=1KiB", "takes at least 65536, not '1KiB'"),
        ("slice=0", "takes at least 65536, not '0'"),
        ("inner=1", "takes at least 4096, not '1'"),
        ("core=-2", "takes the number of a core, or -1"),
    ],
)
def test_values_beyond_their_bounds_are_refused_before_anything_is_measured(text: str, what: str) -> None:
    with pytest.raises(GromaError) as refused:
        assigned_in([f"streams.{text}"], TYPED, ["streams"])
    assert refused.value.exit_code == ExitCode.USAGE
    assert what in refused.value.what
    assert "streams" in refused.value.next_step


def test_cores_that_this_process_may_not_use_are_refused_by_name() -> None:
    for text, what in (("core=99", "may not use core 99"), ("threads=7", "takes at most 2")):
        assigned = assigned_in([f"streams.{text}"], TYPED, ["streams"])
        assert names_cores(assigned, TYPED)
        with pytest.raises(GromaError, match=what) as refused:
            refuse_absent_cores(assigned, TYPED, (0, 3))
        assert refused.value.exit_code == ExitCode.USAGE
    for text in ("core=3", "core=-1", "threads=2"):
        refuse_absent_cores(assigned_in([f"streams.{text}"], TYPED, ["streams"]), TYPED, (0, 3))


def test_a_probe_that_does_not_run_is_not_set() -> None:
    for wanted in ({"only": ("load_latency",)}, {"skip": ("clock",)}):
        with pytest.raises(GromaError, match="clock does not run"):
            planned("clock.rounds=3", **wanted)


def test_one_budget_for_all_does_not_change_the_one_of_a_probe() -> None:
    with pytest.raises(GromaError, match=r"--budget and --set clock\.budget cannot be combined"):
        planned("clock.budget=3s", budget=20.0)
    assert steps("clock.rounds=3", budget=20.0)["clock"].budget == pytest.approx(10.0)


def test_a_probe_that_is_set_otherwise_is_measured_anew() -> None:
    from groma.facts.survey import SurveyFacts
    from groma.record import Build, ProbeSamples, Record
    from groma.survey.infer.registry import infer_node

    record = Record(
        kind="survey",
        created="",
        command=[],
        build=Build(version="1"),
        environment={},
        parameters={"steps": [{"probe": "clock", "title": "", "parameters": {"rounds": "9"}, "budget": 1.0}]},
        samples={
            "clock": ProbeSamples(
                probe="clock", cases=[], values=[], parameters={"rounds": "40"}, ended="rounds"
            )
        },
        facts=SurveyFacts(node=infer_node({}, None)[0]),
    )
    assert node_steps(record).done == 0
    record.samples["clock"].parameters["rounds"] = "9"
    assert node_steps(record).done == 1


def network(*texts: str, **wanted: object) -> NetworkPlan:
    request = NetworkRequest(assignments=texts, **wanted)  # type: ignore[arg-type]
    return plan_network(NETWORK, request, Room(nodes=4, cores=2))


def test_network_probes_are_set_with_and_without_their_prefix() -> None:
    for name in ("curve", "net_curve"):
        plan = network(f"{name}.budget=3s")
        calls = {call.probe: call for launch in plan.launches for call in launch.calls}
        assert calls["net_curve"].budget == 3.0
        assert "budget=3" in calls["net_curve"].words()
        assert "budget" not in calls["net_loggp"].parameters
        assert plan.options[-2:] == ("--set", f"{name}.budget=3s")


def test_both_spellings_of_a_network_probe_are_one() -> None:
    with pytest.raises(GromaError, match=r"net_curve\.budget is set several times"):
        network("curve.budget=3s", "net_curve.budget=4s")


def test_a_network_probe_that_is_unknown_is_answered_with_the_nearest() -> None:
    with pytest.raises(GromaError, match="unknown network probe 'curv'") as refused:
        network("curv.budget=3s")
    assert "did you mean curve?" in refused.value.next_step


def test_a_number_of_pairs_that_is_set_outlives_the_budget_of_all() -> None:
    pairs = ParameterInfo("pairs", "1", "2", "4", "", "count")
    catalogue = [
        ProbeInfo(one.name, one.title, "", "", "", "", 1, (*one.parameters, pairs), one.ranks)
        for one in NETWORK
    ]
    request = NetworkRequest(assignments=("pairs.pairs=5", "curve.pairs=3"), budget=60.0)
    plan = plan_network(catalogue, request, Room(nodes=4, cores=2))
    given = {call.probe: call.parameters.get("pairs") for one in plan.launches for call in one.calls}
    assert (given["net_pairs"], given["net_curve"], given["net_loggp"]) == ("5", "3", None)
    assert plan.launches[0].why.startswith("5 of 28 pairs")


LIKELY = st.from_regex(r"(clock|load_latency)\.(rounds|max_size|core)=.*", fullmatch=True)


@given(st.text(max_size=40) | LIKELY)
def test_any_text_is_set_or_refused_and_never_empty(text: str) -> None:
    with contextlib.suppress(GromaError):
        found = assigned_in([text], CATALOGUE, ["clock", "load_latency"])
        assert all(value for values in found.values() for value in values.values())
