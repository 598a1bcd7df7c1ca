import numpy as np
import pytest

from groma.stats.discoveries import adjusted


def test_it_is_the_procedure_of_benjamini_and_hochberg() -> None:
    """Their example of 15 tests rejects four at 5 % (1995, section 4.1)."""
    probabilities = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
    ]
    found = adjusted(probabilities)
    assert sum(one <= 0.05 for one in found) == 4
    assert found[0] == pytest.approx(0.0015)


def test_the_order_of_tests_does_not_matter() -> None:
    probabilities = [0.5, 0.001, 0.04, 0.001]
    assert sorted(adjusted(probabilities)) == adjusted(sorted(probabilities))


def test_a_single_test_stays_as_it_is() -> None:
    assert adjusted([0.03]) == [0.03]
    assert adjusted([]) == []


def test_nothing_is_found_where_nothing_differs() -> None:
    random = np.random.default_rng(1)
    runs = [min(adjusted(random.uniform(size=50).tolist())) <= 0.05 for _ in range(400)]
    assert np.mean(runs) == pytest.approx(0.05, abs=0.03)
