"""Nodes in another order take the routes of their sites."""

import numpy as np

from groma.interconnect.lattice import torus
from groma.survey.infer.network.reordered import reordered


def test_routes_and_hops_are_those_of_the_sites() -> None:
    ring, sites = torus(6), (3, 0, 5, 1, 4, 2)
    found = reordered(ring, sites)
    assert (found.kind, found.shape, found.nodes) == ("ring", (6,), 6)
    assert found.path(0, 1) == ring.path(3, 0)
    assert found.route(0, 1) == [("out", 0), *ring.path(3, 0), ("in", 1)]
    assert (found.hops() == ring.hops()[np.ix_(sites, sites)]).all()
    assert found.capacity(found.path(0, 1)[0]) == 1.0
