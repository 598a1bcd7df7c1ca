import pytest

from groma.stats.quantiles import quantile, quantiles, summarize


def test_quantile_interpolates_between_order_statistics() -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0, 5.0], 0.5) == 3.0
    assert quantile([1.0, 2.0], 0.25) == 1.25


def test_quantile_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        quantile([], 0.5)


def test_quantiles_of_groups_are_those_of_each() -> None:
    groups = [[4.0, 1.0, 9.0], [2.0], [7.0, 8.0, 3.0]]
    assert list(quantiles(groups, 0.25)) == [quantile(one, 0.25) for one in groups]
    with pytest.raises(ValueError, match="at least one sample"):
        quantiles([[1.0], []], 0.25)


def test_summary_names_count_and_spread() -> None:
    summary = summarize([5.0, 1.0, 3.0])
    assert (summary.n, summary.min, summary.p50) == (3, 1.0, 3.0)
    assert summary.min <= summary.p5 <= summary.p50 <= summary.p95


def test_summary_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        summarize([])
