"""What a system does of each test over what it does of HPL."""

from __future__ import annotations

import pytest

from groma.balance.ratios import balance_of, reciprocal
from groma.balance.soundness import usable_figures
from groma.facts.hpcc import Figure, HpccFacts
from suite_records import HPL, PTRANS, a_test, check, launch, measured


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
    facts = HpccFacts(tests=[a_test("effective_bandwidth", ring)])
    latency = usable_figures(facts).quantities["random_ring_latency"]
    found = reciprocal(latency)
    assert found is not None
    assert round(found.value) == 500_000
    assert found.low < found.value < found.high < 560_000


RING = Figure(series="random_ring_bandwidth", mode="mpi", value=measured(1e9, "B/s"))
CHECKED = [
    ("ptrans", PTRANS.figures[0], "PTRANS wrong elements"),
    ("dgemm", Figure(series="dgemm", mode="star", value=measured(1e10, "flop/s")), "DGEMM residual"),
    ("stream", Figure(series="triad", mode="star", value=measured(1e10, "B/s")), "STREAM deviation"),
    ("fft", Figure(series="fft", mode="mpi", value=measured(1e9, "flop/s")), "MPI FFT spectrum"),
    ("effective_bandwidth", RING, "effective bandwidth wrong messages"),
]


@pytest.mark.parametrize(("test", "figure", "said"), CHECKED)
def test_a_figure_whose_check_failed_does_not_count(test: str, figure: Figure, said: str) -> None:
    failed = usable_figures(HpccFacts(tests=[a_test(test, figure, checks=[check(said, passed=False)])]))
    passed = usable_figures(HpccFacts(tests=[a_test(test, figure, checks=[check(said)])]))
    assert not failed.quantities
    assert failed.failed == list(passed.quantities)
    assert len(passed.quantities) == 1
