"""The binomial model against lines counted set by set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.survey.infer.page_colours import PagedCache, miss_share
from simulated.paged import PagedLevel, PagedMachine

KIB = 1024
SIZES = np.array([64, 128, 256, 384, 512, 768, 1024, 1536, 2048]) * KIB


@pytest.mark.parametrize("strict", [0.0, 1.0])
@pytest.mark.parametrize(("kib", "ways"), [(512, 8), (1024, 16), (256, 2)])
def test_model_is_the_mean_of_counted_misses(kib: int, ways: int, strict: float) -> None:
    machine = PagedMachine([PagedLevel(kib * KIB, ways, 0.0)], 1.0, strict=strict)
    counted = [np.mean(one) for one in machine.samples(SIZES.tolist(), 4096, 60, 0.0, seed=1)]
    model = miss_share(PagedCache(kib * KIB, ways, 4096), SIZES.astype(float), strict)
    assert model == pytest.approx(counted, abs=0.03)


@given(
    kib=st.sampled_from([32, 64, 512, 2048]),
    ways=st.integers(1, 32),
    strict=st.floats(0.0, 1.0),
)
def test_share_lies_between_none_and_all_and_grows_with_the_set(kib: int, ways: int, strict: float) -> None:
    sizes = np.geomspace(4 * KIB, 64 * 1024 * KIB, 60)
    share = miss_share(PagedCache(kib * KIB, ways, 4096), sizes, strict)
    assert np.all((share >= 0.0) & (share <= 1.0))
    assert np.all(np.diff(share) >= -1e-9)


def test_a_way_of_one_page_has_no_colours_to_be_unlucky_with() -> None:
    share = miss_share(PagedCache(32 * KIB, 8, 4096), np.array([16.0, 32.0, 36.0]) * KIB, 1.0)
    assert share.tolist() == [0.0, 0.0, 1.0]
