"""The main values of a run of the suite."""

from __future__ import annotations

import pytest

from groma.facts.hpcc import Figure, HpccFacts
from groma.hpccoutf.headlines import headlines_of, named_headlines, ranks_of, threads_of
from groma.hpccoutf.keys import KEYS
from groma.record.units import is_one_sample
from suite_records import HPL, a_test, check, launch, measured


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


def test_single_star_and_mpi_of_a_test_are_distinguished() -> None:
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


def test_every_rate_and_latency_of_a_summary_has_a_name() -> None:
    measured = [key.name for key in KEYS if key.unit == "us" or key.unit.endswith("/s")]
    named = [*named_headlines(HpccFacts(tests=[], summary=dict.fromkeys(measured, "1")))]
    assert len({words for words, _ in named}) == len(measured) == 31
    assert {quantity.method.partition(" ")[0] for _, quantity in named} == set(measured)


def test_a_summary_without_numbers_has_no_headlines() -> None:
    summary = {"HPL_Tflops": "-nan", "StarDGEMM_Gflops": "", "MPIFFT_Gflops": "inf"}
    summary |= {"NaturallyOrderedRingBandwidth_GBytes": "1_000", "PTRANS_GBs": "\u0663"}
    assert headlines_of(HpccFacts(tests=[], summary=summary)) == {}


def test_a_figure_that_is_infinite_in_base_units_is_no_headline() -> None:
    assert headlines_of(HpccFacts(tests=[], summary={"HPL_Tflops": "1e300"})) == {}


@pytest.mark.parametrize("text", ["9" * 5000, "\u0663", str(2**63), "0", "-1"])
def test_a_count_that_no_program_prints_is_no_number_of_ranks_or_threads(text: str) -> None:
    facts = HpccFacts(tests=[], summary={"CommWorldProcs": text, "STREAM_Threads": text})
    assert (ranks_of(facts), threads_of(facts)) == (None, None)


def test_the_number_of_ranks_comes_from_the_launch_else_from_the_summary() -> None:
    assert ranks_of(HpccFacts(tests=[], launch=launch(7))) == 7
    assert ranks_of(HpccFacts(tests=[], summary={"CommWorldProcs": "12"})) == 12
    assert ranks_of(HpccFacts(tests=[])) is None
