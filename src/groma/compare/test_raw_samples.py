from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.compare.raw_samples import RawSamples, _is_alike
from groma.facts.named import named_quantities_of
from groma.record import ProbeSamples
from groma.stats.quantities import low_quantile_quantity, median_quantity
from groma.stats.quotient import scaled
from suite_records import stream, suite_record

if TYPE_CHECKING:
    from collections.abc import Sequence

RATES = st.lists(st.floats(min_value=1.0, max_value=1e12), min_size=2, max_size=40)


@given(RATES, RATES)
def test_samples_are_found_by_their_summary(one: list[float], other: list[float]) -> None:
    raw = RawSamples([stream({"a": one, "b": other})])
    found = raw.behind(median_quantity(one, "B/s", "m"))
    assert found is not None
    assert np.allclose(sorted(found), sorted(one), rtol=1e-4)


def test_they_are_in_the_unit_of_the_quantity() -> None:
    rates = [1e9, 3e9, 2e9, 5e9]
    raw = RawSamples([stream({"rate": rates}, unit="update/s")])
    found = raw.behind(scaled(median_quantity(rates, "update/s", "m"), 1e-9, "GUP/s"))
    assert found is not None
    assert found.tolist() == [1.0, 3.0, 2.0, 5.0]


def test_means_over_the_ranks_are_found() -> None:
    cases = [{"unit": "s", "series": "x", "rank": rank} for rank in range(2)]
    raw = RawSamples([ProbeSamples(probe="p", cases=cases, values=[[1.0, 2.0, 4.0], [3.0, 4.0, 9.0, 7.0]])])
    found = raw.behind(median_quantity([2.0, 3.0, 6.5], "s", "m"))
    assert found is not None
    assert found.tolist() == [2.0, 3.0, 6.5]


def test_another_statistic_or_other_samples_have_none() -> None:
    times: Sequence[float] = [1.0, 2.0, 3.0, 4.0, 9.0]
    raw = RawSamples([stream({"t": times}, unit="s")])
    assert raw.behind(low_quantile_quantity(times, "s", "m")) is None
    assert raw.behind(median_quantity([*times, 10.0], "s", "m")) is None
    assert raw.behind(scaled(median_quantity(times, "s", "m"), 2.0, "s")) is None


def test_every_figure_of_a_suite_has_its_samples() -> None:
    """Medians over ranks, and those of the slowest and the fastest rank."""
    random = np.random.default_rng(1)
    cases = [{"unit": "B/s", "series": "triad", "mode": "star", "rank": rank} for rank in range(4)]
    values = [(1e10 * random.normal(1.0, 0.1, 12)).tolist() for _ in cases]
    record = suite_record(ProbeSamples(probe="stream", cases=cases, values=values))
    raw = RawSamples.of_record(record)
    found = [raw.behind(one.quantity) for one in named_quantities_of(record)]
    assert len(found) == 3
    assert all(one is not None for one in found)


COARSE = [10.0] * 6
"""A timer that mostly reads its least step: the minimum is the median."""


@pytest.mark.parametrize("tail", [[11.0, 12.0, 13.0, 14.0], [50.0, 60.0, 90.0, 120.0]])
@pytest.mark.parametrize(("unit", "other"), [("ns", "B/s"), ("s", "GUP/s"), ("s", "Hz"), ("s", "ratio")])
def test_samples_of_another_quantity_are_never_taken(tail: list[float], unit: str, other: str) -> None:
    """Also not those of which the summary has the same shape by chance, as all constant samples have."""
    sampled = [*COARSE, 50.0, 60.0, 90.0, 120.0]
    raw = RawSamples([stream({"t": sampled, "constant": 10 * [10.0]}, unit=unit)])
    assert raw.behind(median_quantity([10 * one for one in [*COARSE, *tail]], other, "m")) is None
    assert raw.behind(median_quantity(10 * [7.0], other, "m")) is None


def test_samples_with_other_tails_are_never_taken() -> None:
    raw = RawSamples([stream({"t": [*COARSE, 10.1, 10.2, 10.3, 10.4]}, unit="s")])
    assert raw.behind(median_quantity([*COARSE, 50.0, 60.0, 90.0, 120.0], "s", "m")) is None
    assert raw.behind(median_quantity([9.0, *COARSE, 10.2, 10.3, 10.4], "s", "m")) is None


@given(st.lists(st.integers(1, 10**7), min_size=2, max_size=30), st.sampled_from([1e-9, 1e-6, 1e9]))
def test_a_factor_between_units_hides_no_samples(steps: list[int], factor: float) -> None:
    """Also where a number of a summary has its last digit between two others."""
    unit = {1e-9: "ns", 1e-6: "us", 1e9: "Gs"}[factor]
    raw = RawSamples([stream({"t": [float(one) for one in steps]}, unit=unit)])
    found = raw.behind(scaled(median_quantity([float(one) for one in steps], unit, "m"), factor, "s"))
    assert found is not None
    assert np.allclose(found, [one * factor for one in steps])


def test_samples_without_a_unit_are_known_by_the_shape_of_their_summary() -> None:
    raw = RawSamples([stream({"t": [3.0, 1.0, 2.0, 9.0]}, unit="")])
    found = raw.behind(median_quantity([30.0, 10.0, 20.0, 90.0], "s", "m"))
    assert found is not None
    assert found.tolist() == [30.0, 10.0, 20.0, 90.0]
    assert raw.behind(median_quantity([30.0, 10.0, 20.0, 95.0], "s", "m")) is None


def test_of_many_samples_off_a_coarse_timer_few_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    sets = {f"{number}": [*COARSE, *(10 + random.random(4)).tolist()] for number in range(2000)}
    raw = RawSamples([stream(sets, unit="s")])
    looked_at: list[tuple[float, ...]] = []

    def is_alike(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        looked_at.append(one)
        return _is_alike(one, other)

    monkeypatch.setattr("groma.compare.raw_samples._is_alike", is_alike)
    for values in sets.values():
        found = raw.behind(median_quantity(values, "s", "m"))
        assert found is not None
        assert found.tolist() == values
    assert len(looked_at) < 3 * len(sets)


def test_more_cases_than_samples_are_no_failure() -> None:
    damaged = stream({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})
    damaged.values.pop()
    assert RawSamples([damaged]).behind(median_quantity([1.0, 2.0, 3.0], "B/s", "m")) is not None
