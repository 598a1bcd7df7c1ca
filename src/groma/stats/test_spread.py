import pytest

from groma.record import Quantity
from groma.stats.spread import typical, typical_error


def quantity(value: float) -> Quantity:
    return Quantity(value=value, unit="s", low=value - 1, high=value + 1, confidence=0.9, method="own")


def test_a_single_quantity_keeps_its_interval() -> None:
    assert typical([quantity(7.0)], "median") == quantity(7.0)


def test_several_bound_their_median() -> None:
    found = typical([quantity(float(value)) for value in (5, 1, 9, 3, 7, 4)], "median over six")
    assert (found.value, found.low, found.high, found.unit) == (4.5, 1.0, 9.0, "s")
    assert found.method == "median over six"


def test_none_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        typical([], "median")


def test_the_typical_error_is_a_quarter_of_the_usual_relative_interval() -> None:
    assert typical_error([quantity(value) for value in (1.0, 5.0, 100.0)]) == pytest.approx(2 / 5 / 4)
    with pytest.raises(ValueError, match="at least one quantity"):
        typical_error([])
