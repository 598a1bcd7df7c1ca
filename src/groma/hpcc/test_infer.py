"""Samples become figures with intervals, spreads and warnings."""

from __future__ import annotations

from typing import Any

import pytest

from groma.facts.hpcc import HpccFacts, HpccTest
from groma.hpcc.infer import failed_checks, figures_of, stability_advice, success_of
from groma.record import ProbeSamples
from groma.record.launch import CheckResult


def case(series: str, mode: str, rank: int, **labels: Any) -> dict[str, Any]:
    return {"unit": "B/s", "series": series, "mode": mode, "rank": rank, **labels}


def samples(*cases: tuple[dict[str, Any], list[float]]) -> ProbeSamples:
    return ProbeSamples(probe="stream", cases=[c for c, _ in cases], values=[v for _, v in cases])


def test_a_star_figure_is_the_median_of_means_over_the_ranks() -> None:
    taken = samples(
        (case("triad", "star", 0), [10.0, 20.0, 30.0]), (case("triad", "star", 1), [20.0, 30.0, 80.0])
    )
    (figure,) = figures_of(taken)
    assert (figure.series, figure.mode) == ("triad", "star")
    assert figure.value.value == 25.0  # of 15, 25, 55
    assert (figure.value.low, figure.value.high) == (15.0, 55.0)
    assert figure.value.unit == "B/s"
    assert figure.value.samples is not None
    assert figure.value.samples.n == 3


def test_the_spread_names_the_slowest_and_the_fastest_rank() -> None:
    taken = samples(
        *((case("triad", "star", rank), [value] * 3) for rank, value in enumerate((7.0, 5.0, 9.0)))
    )
    (figure,) = figures_of(taken)
    assert figure.spread is not None
    assert (figure.spread.min_rank, figure.spread.max_rank, figure.spread.ranks) == (1, 2, 3)
    assert (figure.spread.min.value, figure.spread.max.value) == (5.0, 9.0)


def test_a_single_value_has_no_spread_and_its_rank_is_no_label() -> None:
    (figure,) = figures_of(samples((case("triad", "single", 3), [1.0, 2.0])))
    assert figure.spread is None
    assert figure.labels == {}


def test_labels_distinguish_figures_of_one_series() -> None:
    taken = samples(
        (case("ring", "mpi", 0, message_bytes=8), [1.0]),
        (case("ring", "mpi", 0, message_bytes=2000000), [2.0]),
    )
    assert [one.labels for one in figures_of(taken)] == [{"message_bytes": 8}, {"message_bytes": 2000000}]


def test_samples_behind_figures_and_cases_without_samples_are_no_figures() -> None:
    taken = samples((case("time", "mpi", 0, raw=True), [1.0]), (case("triad", "star", 0), []))
    assert list(figures_of(taken)) == []


def test_an_interrupted_repetition_counts_only_where_all_ranks_finished_it() -> None:
    taken = samples((case("triad", "star", 0), [10.0, 20.0]), (case("triad", "star", 1), [30.0]))
    (figure,) = figures_of(taken)
    assert figure.value.value == 20.0


def with_figure(values: list[float]) -> HpccTest:
    taken = samples((case("triad", "mpi", 0), values))
    return HpccTest(name="stream", title="", done=True, figures=list(figures_of(taken)))


def test_a_wide_interval_is_called_unstable() -> None:
    (advice,) = stability_advice(HpccFacts(tests=[with_figure([1.0, 2.0, 3.0, 1.0, 2.0])]))
    assert advice.code == "hpcc.unstable"
    assert "stream mpi triad" in advice.what
    assert "--repeat 20 " in advice.next
    assert stability_advice(HpccFacts(tests=[with_figure([1.0, 1.01, 1.02])])) == []
    assert stability_advice(HpccFacts(tests=[with_figure([1.0])])) == []


def test_who_has_many_samples_is_told_to_take_more_than_those() -> None:
    """`--repeat 20` would change nothing where a test took 100."""
    tests = [with_figure([1.0, 2.0] * 50), with_figure([1.0, 2.0, 3.0, 1.0, 2.0])]
    (advice,) = stability_advice(HpccFacts(tests=tests))
    assert "--repeat 200 " in advice.next


def check(*, passed: bool, value: float | None = 1.0) -> HpccTest:
    return HpccTest(
        name="hpl",
        title="",
        done=True,
        checks=[CheckResult(name="r", value=value, limit=16.0, passed=passed)],
    )


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([check(passed=True)], True),
        ([check(passed=True), check(passed=False)], False),
        ([check(passed=True), HpccTest(name="fft", title="", done=False)], None),
        ([], None),
    ],
)
def test_success_needs_every_check(tests: list[HpccTest], expected: bool | None) -> None:
    assert success_of(tests) is expected


def test_failed_checks_are_put_into_words() -> None:
    assert failed_checks([check(passed=False, value=20.0)]) == ["hpl: r is 20, at most 16 is allowed"]
    assert "not a number" in failed_checks([check(passed=False, value=None)])[0]
    assert failed_checks([check(passed=True)]) == []
