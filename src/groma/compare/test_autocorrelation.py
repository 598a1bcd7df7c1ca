from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.compare.autocorrelation import common_coefficient
from groma.compare.compare import compare
from groma.facts.comparison import Thresholds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.compare.conftest import Make

QUANTITIES = 50
PAIRS = 16


def sampled(random: np.random.Generator, coefficient: float, count: int) -> NDArray[np.float64]:
    """Rates with noise of 2 %, a row for each quantity; each sample depends on the one before."""
    rows = [random.normal(0.0, 1.0, QUANTITIES)]
    for _ in range(count - 1):
        fresh = np.sqrt(1.0 - coefficient**2) * random.normal(0.0, 1.0, QUANTITIES)
        rows.append(coefficient * rows[-1] + fresh)
    rates: NDArray[np.float64] = 1e10 * np.exp(0.02 * np.array(rows).T)
    return rates


def verdicts(made: Make, old: NDArray[np.float64], new: NDArray[np.float64]) -> list[str]:
    records = [
        made({f"k{number:02}": row.tolist() for number, row in enumerate(rows)}) for rows in (old, new)
    ]
    facts = compare([(f"r{at}", f"r{at}.json", one) for at, one in enumerate(records)], Thresholds())
    return [one.others[0].verdict for one in facts.quantities]


@pytest.mark.parametrize("count", [5, 9, 10, 20])
@pytest.mark.parametrize("coefficient", [0.3, 0.5])
def test_samples_that_drift_make_no_change(made: Make, coefficient: float, count: int) -> None:
    random = np.random.default_rng(5)
    changed = 0
    for _ in range(PAIRS):
        found = verdicts(made, sampled(random, coefficient, count), sampled(random, coefficient, count))
        changed += any(one in {"better", "worse"} for one in found)
    assert changed <= 0.2 * PAIRS


def test_a_change_of_samples_that_drift_is_found(made: Make) -> None:
    random = np.random.default_rng(6)
    found = 0
    for _ in range(PAIRS):
        old, new = sampled(random, 0.5, 10), sampled(random, 0.5, 10)
        new[0] *= 0.85
        found += verdicts(made, old, new)[0] == "worse"
    assert found >= 0.9 * PAIRS


@pytest.mark.parametrize("count", [5, 10, 40])
def test_samples_that_do_not_depend_on_each_other_have_no_coefficient(count: int) -> None:
    random = np.random.default_rng(7)
    found = [common_coefficient(sampled(random, 0.0, count)) for _ in range(50)]
    assert found.count(0.0) >= 49


def test_few_samples_of_many_quantities_show_their_coefficient() -> None:
    random = np.random.default_rng(8)
    assert common_coefficient([*sampled(random, 0.6, 6), *sampled(random, 0.6, 6)]) > 0.3


def test_outliers_hide_no_coefficient() -> None:
    random = np.random.default_rng(9)
    samples = sampled(random, 0.7, 20)
    samples[:, 7] *= 3.0
    assert common_coefficient(samples) > 0.2


def test_a_few_sets_tell_no_more_than_each_by_itself() -> None:
    assert common_coefficient(9 * [np.arange(1.0, 20.0)]) == 0.0
    assert common_coefficient(10 * [np.arange(1.0, 20.0)]) > 0.9
