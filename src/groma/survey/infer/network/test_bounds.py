"""What links allow is told from how fairly messages share them."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.base import Interconnect
from groma.interconnect.lattice import torus
from groma.interconnect.switched import crossbar, in_blocks, tree
from groma.survey.infer.network.bounds import Speeds, bounds_of, shortfall, speeds_of_ranks, unfairness
from groma.survey.infer.network.shares import WAITS, share_at
from groma.survey.infer.network.sweeps import Pattern

Values = NDArray[np.float64]
DISTANCES = [1, 2, 3]


def fair(structure: Interconnect, waits: str = "receive") -> Speeds:
    """Of distances 1 to 3 under max-min fair shares, without noise."""
    shares = [share_at(structure, d).of_ranks(waits) for d in DISTANCES]
    return Speeds(DISTANCES, np.log(1e7 * np.array(shares)), np.zeros((3, structure.nodes)))


def unfair(speeds: Speeds, rank: int, other: int) -> Speeds:
    """With half of what `rank` receives at distance 3 given to `other`."""
    typical = np.exp(speeds.typical)
    typical[2, other] += typical[2, rank] / 2.0
    typical[2, rank] /= 2.0
    return speeds._replace(typical=np.log(typical))


@pytest.mark.parametrize("waits", WAITS)
@pytest.mark.parametrize(
    "structure", [torus(9), torus(4, 4), crossbar(8), tree(in_blocks(16, 4), 2.0)], ids=lambda one: one.title
)
def test_fair_shares_violate_nothing(structure: Interconnect, waits: str) -> None:
    speeds = fair(structure, waits)
    bounds = bounds_of(structure, speeds)
    assert bounds.overload == pytest.approx(0.0, abs=1e-9)
    assert shortfall(bounds, speeds, waits) == pytest.approx(0.0, abs=1e-9)
    assert unfairness(structure, speeds, waits) == pytest.approx(0.0, abs=1e-9)


def test_messages_that_share_a_link_may_share_it_unfairly() -> None:
    """At distance 3 of this tree nodes 1 to 3 of each group send up one uplink."""
    structure = tree(in_blocks(8, 4), 1.0)
    speeds = unfair(fair(structure), 4, 5)
    bounds = bounds_of(structure, speeds)
    assert bounds.overload == pytest.approx(0.0, abs=1e-9)
    assert shortfall(bounds, speeds, "receive") == pytest.approx(0.0, abs=1e-9)
    assert unfairness(structure, speeds, "receive")[2] > 0.05


def test_a_message_alone_on_its_links_has_to_be_as_fast_as_its_nodes() -> None:
    speeds = unfair(fair(crossbar(8)), 4, 4)
    found = shortfall(bounds_of(crossbar(8), speeds), speeds, "receive")
    assert found[:2] == pytest.approx(0.0, abs=1e-9)
    assert found[2] > 0.01


def test_a_slow_node_is_slow_with_all_others() -> None:
    speeds = fair(crossbar(8))
    for row, distance in enumerate(DISTANCES):
        speeds.typical[row, [3, (3 + distance) % 8]] -= np.log(2.0)
    assert shortfall(bounds_of(crossbar(8), speeds), speeds, "receive") == pytest.approx(0.0, abs=1e-9)


def test_no_link_carries_more_than_it_can() -> None:
    found = bounds_of(torus(9), fair(crossbar(9))).overload
    assert found == pytest.approx([0.0, np.log(2.0) ** 2, np.log(3.0) ** 2])


def test_what_repetitions_scatter_by_is_no_violation() -> None:
    random = np.random.default_rng(1)
    patterns = {d: _pattern(1e7 * random.lognormal(0.0, 0.3, (9, 8))) for d in DISTANCES}
    speeds = speeds_of_ranks(patterns, 8, frozenset(DISTANCES))
    assert speeds is not None
    assert speeds.distances == DISTANCES
    assert shortfall(bounds_of(crossbar(8), speeds), speeds, "receive").max() < 0.02


def test_ranks_that_are_not_all_known_tell_nothing() -> None:
    seven = _pattern(np.full((9, 7), 1e7))
    assert speeds_of_ranks({1: seven, 2: seven}, 8, frozenset([2])) is None
    assert speeds_of_ranks({2: _pattern(np.full((9, 8), 1e7))}, 8, frozenset([2])) is None


def _pattern(speeds: Values) -> Pattern:
    return Pattern(list(range(speeds.shape[1])), speeds, {})
