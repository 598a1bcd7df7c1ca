"""The main values of a run of the suite, and its balance."""

from __future__ import annotations

import pytest

from groma.facts.hpcc import Figure, HpccFacts, HpccTest
from groma.hpcc.balance import balance_of, reciprocal_latency
from groma.hpcc.headlines import headlines_of, ranks_of
from groma.record import Quantity, SampleSummary
from groma.record.launch import CheckResult, Launch
from groma.record.units import is_one_sample


def measured(value: float, unit: str) -> Quantity:
    low, high = 0.9 * value, 1.1 * value
    samples = SampleSummary(n=5, min=low, p5=low, p50=value, p95=high)
    return Quantity(
        value=value, unit=unit, low=low, high=high, confidence=0.94, method="median", samples=samples
    )


def a_test(name: str, *figures: Figure, checks: list[CheckResult] | None = None) -> HpccTest:
    return HpccTest(name=name, title=name, done=True, figures=list(figures), checks=checks or [])


def check(name: str, *, passed: bool = True) -> CheckResult:
    return CheckResult(name=name, value=0.5, limit=16, passed=passed)


def launch(ranks: int) -> Launch:
    return Launch(
        launcher="",
        command="",
        binding="core",
        mpi="",
        blas="",
        ranks=ranks,
        nodes=1,
        threads=1,
        inter_node=False,
    )


FASTER = Figure(series="WR01", mode="mpi", value=measured(5e10, "flop/s"))
HPL = a_test("hpl", Figure(series="WR00", mode="mpi", value=measured(4e10, "flop/s")), FASTER)
PTRANS = a_test("ptrans", Figure(series="ptrans", mode="mpi", value=measured(2e9, "B/s")))


def test_the_headline_of_hpl_is_the_fastest_case() -> None:
    assert headlines_of(HpccFacts(tests=[HPL]))["hpl mpi"].quantity.value == 5e10


def test_a_case_of_hpl_whose_check_failed_is_no_headline_while_another_passed() -> None:
    checks = [check("HPL residual of WR00"), check("HPL residual of WR01", passed=False)]
    facts = HpccFacts(tests=[a_test("hpl", *HPL.figures, checks=checks)])
    assert headlines_of(facts)["hpl mpi"].quantity.value == 4e10


def test_phases_of_hpl_and_figures_of_other_buffers_are_no_headlines() -> None:
    phases = a_test(
        "hpl", Figure(series="WR00", mode="mpi", value=measured(3, "s"), labels={"phase": "panel"})
    )
    ring = measured(1e-7, "s")
    others = a_test(
        "effective_bandwidth",
        Figure(series="random_ring_latency", mode="mpi", value=ring, labels={"buffers": "rotating"}),
    )
    assert headlines_of(HpccFacts(tests=[phases, others])) == {}


def test_single_star_and_mpi_of_a_test_are_told_apart() -> None:
    modes = ("single", "star", "mpi")
    figures = [
        Figure(series="fft", mode=mode, value=measured(number, "flop/s"))
        for number, mode in enumerate(modes, start=1)
    ]
    found = headlines_of(HpccFacts(tests=[a_test("fft", *figures)])).values()
    assert [(one.definition.full_name, one.quantity.value) for one in found] == [
        ("FFT (mpi)", 3),
        ("FFT (star)", 2),
        ("FFT (single)", 1),
    ]


def test_old_outputs_have_headlines_of_one_sample_in_base_units() -> None:
    summary = {"HPL_Tflops": "0.0425", "MaxPingPongLatency_usec": "1.5", "StarSTREAM_Triad": "-1"}
    found = headlines_of(HpccFacts(tests=[], summary=summary))
    assert {name: one.quantity.value for name, one in found.items()} == {
        "hpl mpi": pytest.approx(4.25e10),
        "ping_pong_latency_max": pytest.approx(1.5e-6),
    }
    assert all(is_one_sample(one.quantity) for one in found.values())


def test_a_summary_without_numbers_has_no_headlines() -> None:
    summary = {"HPL_Tflops": "-nan", "StarDGEMM_Gflops": "", "MPIFFT_Gflops": "inf"}
    assert headlines_of(HpccFacts(tests=[], summary=summary)) == {}


def test_the_number_of_ranks_comes_from_the_launch_else_from_the_summary() -> None:
    assert ranks_of(HpccFacts(tests=[], launch=launch(7))) == 7
    assert ranks_of(HpccFacts(tests=[], summary={"CommWorldProcs": "12"})) == 12
    assert ranks_of(HpccFacts(tests=[])) is None


def test_balance_takes_figures_of_one_rank_times_the_ranks_per_1000_flop_of_hpl() -> None:
    stream = a_test("stream", Figure(series="triad", mode="star", value=measured(1e10, "B/s")))
    ratios = balance_of(HpccFacts(tests=[HPL, stream, PTRANS], launch=launch(2)))
    assert [(one.name, one.quantity.unit) for one in ratios] == [
        ("PTRANS", "B/kflop"),
        ("STREAM triad", "B/kflop"),
    ]
    assert [one.quantity.value for one in ratios] == pytest.approx([40, 400])


def test_the_interval_of_a_balance_holds_every_quotient_of_both_intervals() -> None:
    (ratio,) = balance_of(HpccFacts(tests=[HPL, PTRANS], launch=launch(2)))
    assert ratio.quantity.low == pytest.approx(40 * 0.9 / 1.1)
    assert ratio.quantity.high == pytest.approx(40 * 1.1 / 0.9)


def test_there_is_no_balance_without_hpl_or_without_the_number_of_ranks() -> None:
    assert balance_of(HpccFacts(tests=[PTRANS], launch=launch(2))) == []
    assert balance_of(HpccFacts(tests=[HPL, PTRANS])) == []


def test_the_reciprocal_of_the_ring_latency_is_more_where_latency_is_less() -> None:
    ring = Figure(series="random_ring_latency", mode="mpi", value=measured(2e-6, "s"))
    found = reciprocal_latency(HpccFacts(tests=[a_test("effective_bandwidth", ring)]))
    assert found is not None
    assert round(found.value) == 500_000
    assert found.low < found.value < found.high < 560_000
