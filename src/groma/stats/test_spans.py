"""Intervals hold the result for every value of their parts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.record import Quantity
from groma.stats.spans import Span, combination, difference, product, quotient, total

if TYPE_CHECKING:
    from collections.abc import Callable


@st.composite
def quantities(draw: st.DrawFn) -> Quantity:
    low, value, high = sorted(draw(st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3)))
    sure = draw(st.floats(0.5, 1))
    return Quantity(value=value, unit="s", low=low, high=high, confidence=sure, method="drawn")


CASES: dict[str, tuple[Callable[..., Span], Callable[[float, float], float]]] = {
    "product": (product, lambda a, b: a * b),
    "quotient": (quotient, lambda a, b: a / b),
    "total": (total, lambda a, b: a + b),
    "difference": (difference, lambda a, b: a - b),
}


@given(st.sampled_from(sorted(CASES)), quantities(), quantities(), st.data())
def test_the_result_of_any_values_lies_in_the_interval(
    case: str, one: Quantity, other: Quantity, data: st.DataObject
) -> None:
    combine, exact = CASES[case]
    found = combine(one, other)
    a, b = (data.draw(st.floats(part.low, part.high)) for part in (one, other))
    slack = 1e-9 * max(abs(found.low), abs(found.high), 1.0)
    assert found.low - slack <= exact(a, b) <= found.high + slack
    assert found.value == exact(one.value, other.value)
    assert found.confidence == min(one.confidence, other.confidence)


@given(quantities(), st.floats(0.1, 10))
def test_a_plain_number_is_exact(one: Quantity, factor: float) -> None:
    found = product(one, factor)
    assert (found.low, found.high) == (one.low * factor, one.high * factor)
    assert found.confidence == one.confidence


@given(quantities())
def test_a_span_leaves_as_a_quantity_with_unit_and_method(one: Quantity) -> None:
    left = product(one).quantity("s", "drawn")
    assert left == one


def test_deviations_of_independent_parts_add_as_squares_on_each_side() -> None:
    one = Quantity(value=10.0, unit="s", low=7.0, high=14.0, confidence=0.95, method="")
    other = Quantity(value=3.0, unit="s", low=1.5, high=5.0, confidence=0.9, method="")
    found = combination((1.0, one), (-2.0, other))
    assert found == pytest.approx((4.0, 4.0 - math.hypot(3, 4), 4.0 + math.hypot(4, 3), 0.9))


def test_the_interval_of_a_combination_holds_the_truth_as_often_as_its_parts_do() -> None:
    random = np.random.default_rng(1)
    truths = np.array([5.0, 2.0, 2.5])
    held = 0
    for values in truths + random.normal(0.0, [1.0, 0.5, 0.2], (2000, 3)):
        spans = [
            Span(v, v - 1.96 * s, v + 1.96 * s, 0.95) for v, s in zip(values, (1, 0.5, 0.2), strict=True)
        ]
        found = combination(*zip((0.5, -1.0, -1.0), spans, strict=True))
        held += found.low <= float(truths @ [0.5, -1, -1]) <= found.high
    assert held / 2000 == pytest.approx(0.95, abs=0.02)
