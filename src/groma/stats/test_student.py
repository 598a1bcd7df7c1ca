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
