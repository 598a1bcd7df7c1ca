from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from simulated.nulls import NOISE, NULL_GRIDS, SMOOTH, noise_curve, smooth_curve


@pytest.mark.parametrize("law", NOISE.values(), ids=NOISE)
def test_noise_is_reproducible_positive_latency(law: Callable[..., NDArray[np.float64]]) -> None:
    sizes = NULL_GRIDS["12 powers of two"]()
    one, again = (noise_curve(law, sizes, np.random.default_rng(2), samples=3) for _ in range(2))
    assert one.latency.tolist() == again.latency.tolist()
    assert (one.latency > 0).all()
    assert one.samples is not None


@pytest.mark.parametrize("law", SMOOTH.values(), ids=SMOOTH)
def test_smooth_laws_never_fall(law: Callable[..., NDArray[np.float64]]) -> None:
    curve = smooth_curve(law, NULL_GRIDS["eighths"](), 0.0, np.random.default_rng(2))
    assert (np.diff(curve.latency) >= 0).all()


def test_grids_ascend() -> None:
    assert all((np.diff(grid()) > 0).all() for grid in NULL_GRIDS.values())
