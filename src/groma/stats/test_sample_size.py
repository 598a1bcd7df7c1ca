import msgspec
import numpy as np
import pytest

from groma.record import Quantity
from groma.stats.change import change_of_samples
from groma.stats.sample_size import samples_needed
from groma.stats.test_change import quantity


@pytest.mark.parametrize("count", [4, 10, 20])
def test_so_many_samples_are_enough(count: int) -> None:
    """A few leave a wide interval of such noise; the stated number leaves one about as wide as asked."""
    random = np.random.default_rng(3)
    widths = []
    for _ in range(60):
        few = change_of_samples(*random.lognormal(0.0, 0.5, (2, count)))
        number = samples_needed(few.ratio, (count, count), 0.25)
        assert number is not None
        ratio = change_of_samples(*random.lognormal(0.0, 0.5, (2, number))).ratio
        widths.append((ratio.high - ratio.low) / (2 * ratio.value))
    assert 0.18 < np.median(widths) < 0.32


@pytest.mark.parametrize(("low", "high"), [(0.90, 1.50), (0.50, 1.05)])
def test_the_farther_side_says_how_many_are_needed(low: float, high: float) -> None:
    narrow = Quantity(value=1.0, unit="ratio", low=0.9, high=1.05, confidence=0.95, method="m")
    wide = msgspec.structs.replace(narrow, low=low, high=high)
    assert (samples_needed(narrow, (10, 10), 0.25) or 0) <= 10
    assert (samples_needed(wide, (10, 10), 0.25) or 0) > 20


def test_an_interval_that_is_narrow_enough_needs_no_more() -> None:
    assert samples_needed(quantity(1.0, 0.1, "ratio"), (20, 20), 0.25) <= 20  # type: ignore[operator]


def test_a_target_out_of_reach_has_no_number() -> None:
    assert samples_needed(quantity(1.0, 0.9999999, "ratio"), (2, 2), 1e-9) is None
