import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.native import ParameterInfo, ProbeInfo
from groma.survey.plan import SurveyRequest, plan_notes, plan_survey, slowdown


def probe(name: str, budget: str = "4") -> ProbeInfo:
    parameters = (
        ParameterInfo("budget", "1", budget, "20", "seconds"),
        ParameterInfo("seed", "1", "1", "1", ""),
    )
    return ProbeInfo(name, name.title(), "time (s)", "", "", "", 10, parameters)


CATALOGUE = [probe("clock"), probe("load_latency"), probe("tlb_reach")]


def names(wanted: SurveyRequest) -> list[str]:
    return [step.probe for step in plan_survey(CATALOGUE, wanted).steps]


def test_everything_runs_in_the_order_of_the_catalogue() -> None:
    assert names(SurveyRequest()) == ["clock", "load_latency", "tlb_reach"]


def test_only_and_skip_choose() -> None:
    assert names(SurveyRequest(only=("tlb_reach", "clock"))) == ["clock", "tlb_reach"]
    assert names(SurveyRequest(skip=("clock",))) == ["load_latency", "tlb_reach"]


def test_the_depth_sets_the_budgets() -> None:
    assert plan_survey(CATALOGUE, SurveyRequest(depth="quick")).budget == 3
    assert plan_survey(CATALOGUE, SurveyRequest(depth="thorough")).budget == 60


def test_a_budget_is_shared_out_and_handed_to_the_probes() -> None:
    plan = plan_survey([probe("a", "2"), probe("b", "6")], SurveyRequest(budget=4.0))
    assert [step.budget for step in plan.steps] == [1.0, 3.0]
    assert [step.parameters["budget"] for step in plan.steps] == ["1.000", "3.000"]


def test_a_quota_gives_the_probes_more_time_unless_the_user_set_a_budget() -> None:
    assert plan_survey(CATALOGUE, SurveyRequest(depth="quick"), 2.5).budget == 7.5
    assert plan_survey(CATALOGUE, SurveyRequest(depth="quick", budget=2.0), 2.5).budget == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("processors", "quota", "expected"),
    [
        (2, None, 1.0),
        (2, 2.0, 1.0),
        (1, 3.0, 1.0),
        (2, 0.8, 2.5),
        (2, 0.5, 4.0),
        (64, 0.5, 4.0),
        (0, 0.5, 1.0),
    ],
)
def test_a_quota_slows_all_processors_down_up_to_a_bound(
    processors: int, quota: float | None, expected: float
) -> None:
    assert slowdown(processors, quota) == expected


def test_a_seed_reaches_every_probe() -> None:
    assert all(step.parameters["seed"] == "7" for step in plan_survey(CATALOGUE, SurveyRequest(seed=7)).steps)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (SurveyRequest(only=("load_latancy",)), "did you mean load_latency?"),
        (SurveyRequest(skip=("nonsense",)), "to list all: groma list"),
        (SurveyRequest(only=("clock",), skip=("clock",)), "select other probes"),
        (SurveyRequest(budget=0.0), "use a time"),
        (SurveyRequest(budget=-3.0), "use a time"),
    ],
)
def test_a_request_that_cannot_be_met_says_what_to_do(wanted: SurveyRequest, expected: str) -> None:
    with pytest.raises(GromaError, match=expected) as raised:
        plan_survey(CATALOGUE, wanted)
    assert raised.value.exit_code == ExitCode.USAGE


def test_places_are_handed_to_the_probes_that_have_them() -> None:
    numa = ProbeInfo("numa_read", "", "", "", "", "", 70, (*probe("a").parameters, OVER))
    plan = plan_survey([probe("clock"), numa], SurveyRequest(over="cores"))
    assert [step.parameters.get("over") for step in plan.steps] == [None, "cores"]
    assert plan.options[-2:] == ("--over", "cores")
    assert "over" not in plan_survey([numa], SurveyRequest()).steps[0].parameters


OVER = ParameterInfo("over", "auto", "auto", "auto", "places")


@pytest.mark.parametrize(
    ("name", "what", "step"),
    [
        ("net_distance", "net_distance is a network probe", "add --network"),
        ("distance", "distance is a network probe", "add --network"),
        ("dgemm", "dgemm is a test of the suite", "groma hpcc --only dgemm"),
        ("clok", "unknown probe 'clok'", "did you mean clock?"),
    ],
)
def test_a_name_of_another_command_is_refused_with_that_command(name: str, what: str, step: str) -> None:
    for wanted in (SurveyRequest(only=(name,)), SurveyRequest(skip=(name,))):
        with pytest.raises(GromaError) as refused:
            plan_survey(CATALOGUE, wanted)
        assert refused.value.what.startswith(what)
        assert step in refused.value.next_step


@pytest.mark.parametrize(("budget", "known"), [(None, True), (3.0, True), (2.9, False), (0.01, False)])
def test_a_budget_that_the_first_rounds_may_exceed_is_no_promise(budget: float | None, known: bool) -> None:
    notes = plan_notes(CATALOGUE, SurveyRequest(budget=budget))
    assert (notes == ()) == known
    assert all("every probe completes its first round" in note for note in notes)


def test_the_budget_is_compared_with_that_of_the_chosen_probes() -> None:
    assert plan_notes(CATALOGUE, SurveyRequest(only=("clock",), budget=1.0)) == ()
