import pytest

from groma.stats.student import critical, two_sided


@pytest.mark.parametrize(
    ("degrees", "t"), [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
)
def test_it_has_the_values_of_the_printed_tables(degrees: float, t: float) -> None:
    assert two_sided(t, degrees) == pytest.approx(0.05, abs=6e-5)
    assert critical(0.05, degrees) == pytest.approx(t, abs=1e-3)


def test_without_bound_it_is_normal() -> None:
    assert two_sided(1.959964, float("inf")) == pytest.approx(0.05, abs=1e-6)


def test_zero_is_no_evidence() -> None:
    assert two_sided(0.0, 7) == 1.0


@pytest.mark.parametrize("probability", [0.9, 0.5, 0.05, 1e-3, 1e-8, 1e-12])
@pytest.mark.parametrize("degrees", [1, 1.3, 2, 7, 100, 1e4, 1e6, float("inf")])
def test_the_critical_value_has_its_probability(probability: float, degrees: float) -> None:
    assert two_sided(critical(probability, degrees), degrees) == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize(("degrees", "t"), [(1, 1.0), (2, 0.816496580927726)])
def test_the_quartile_is_that_of_the_closed_form(degrees: float, t: float) -> None:
    assert critical(0.5, degrees) == pytest.approx(t, rel=1e-12)


def test_far_tails_of_the_normal_distribution_keep_their_digits() -> None:
    assert two_sided(8.0, float("inf")) == pytest.approx(1.244192114854357e-15, rel=1e-12)
