"""A page carries of samples what a reader needs, and no single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import numpy as np

from groma.record import ProbeSamples, Round
from groma.report.page_samples import MAX_CASES, page_samples, summaries_of

if TYPE_CHECKING:
    import pytest


def probe(values: list[list[float]], **changes: Any) -> ProbeSamples:
    cases = [{"unit": "s", "size": number} for number in range(len(values))]
    return ProbeSamples(probe="one", cases=cases, values=values, **changes)


def test_samples_are_summarised_case_by_case() -> None:
    samples = page_samples(probe([[3.0, 1.0, 2.0], []]))
    first, second = samples.summary
    assert first is not None
    assert (first.n, first.min, first.p50) == (3, 1.0, 2.0)
    assert second is None
    assert (samples.case_count, samples.sample_count) == (2, 3)


def test_cases_of_different_size_are_summarised_together() -> None:
    values = [[3.0, 1.0], [], [7.0], [5.0, 9.0], [2.0, 4.0, 6.0]]
    found = summaries_of(values)
    assert [one and (one.n, one.min, one.p50) for one in found] == [
        *((2, 1.0, 2.0), None, (1, 7.0, 7.0)),
        *((2, 5.0, 7.0), (3, 2.0, 4.0)),
    ]


def test_summaries_are_not_rounded_twice_to_what_is_shown() -> None:
    (one,) = summaries_of([[1.234549e-9]])
    assert one is not None
    assert f"{one.p50:.4g}" == f"{1.234549e-9:.4g}"


def test_a_thousand_cases_are_summarised_by_one_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    quantile = Mock(wraps=np.quantile)
    monkeypatch.setattr(np, "quantile", quantile)
    assert len(page_samples(probe([[1.0, 2.0]] * 1000)).summary) == 1000
    assert quantile.call_count == 1


def test_probes_of_many_cases_are_counted_not_listed() -> None:
    samples = page_samples(probe([[1.0]] * (MAX_CASES + 1)))
    assert samples.cases == []
    assert samples.summary == []
    assert samples.case_count == MAX_CASES + 1


def test_disturbance_sums_steal_over_the_rounds() -> None:
    rounds = [Round(elapsed=0.2, fixed_work=2e-5, wall_over_cpu=1.1, steal=0.5)] * 3
    disturbance = page_samples(probe([[1.0]], rounds=rounds)).disturbance
    assert disturbance is not None
    assert disturbance.steal == 1.5
    assert disturbance.wall_over_cpu.p50 == 1.1
