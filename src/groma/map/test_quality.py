"""What a mapping costs is counted on the routes of its messages."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.interconnect.lattice import mesh, torus
from groma.map.machine import LatticeMachine, Machine, TreeMachine, copies_of
from groma.map.matrix import Matrix
from groma.map.quality import block, cyclic, drawn, quality_of
from groma.map.traffic import Traffic

LATTICES = [
    ((4, 4), True),
    ((5,), True),
    ((3, 4, 2), True),
    ((2, 6), False),
    ((7,), False),
    ((4, 3, 3), False),
]


@given(st.sampled_from(LATTICES), st.data())
def test_lattices_count_hops_and_loads_as_the_interconnect_routes_them(
    lattice: tuple[tuple[int, ...], bool], data: st.DataObject
) -> None:
    shape, closed = lattice
    machine = LatticeMachine(shape, closed)
    network = torus(*shape) if closed else mesh(*shape)
    rank = st.integers(0, machine.places - 1)
    traffic = data.draw(st.lists(st.builds(Traffic, rank, rank, st.integers(1, 9).map(float)), max_size=12))
    traffic = [one for one in traffic if one.source != one.target]
    mapping = data.draw(st.permutations(range(machine.places)))
    loads: Counter[object] = Counter()
    hop_bytes = 0.0
    for one in traffic:
        path = network.path(mapping[one.source], mapping[one.target])
        hop_bytes += one.bytes * len(path)
        loads.update(dict.fromkeys(path, 0))
        for link in path:
            loads[link] += int(one.bytes)
    found = quality_of(machine, Matrix(machine.places, tuple(traffic)), mapping)
    assert found.hop_bytes == pytest.approx(hop_bytes)
    assert found.max_congestion == max(loads.values(), default=0)
    assert sum(found.bytes_by_layer.values()) == pytest.approx(sum(one.bytes for one in traffic))


def test_trees_count_the_links_of_every_switch() -> None:
    machine = TreeMachine((2, 2, 2), (9.0, 4.0, 1.0))
    matrix = Matrix(8, (Traffic(0, 1, 10.0), Traffic(0, 2, 20.0), Traffic(1, 7, 5.0), Traffic(6, 7, 1.0)))
    found = quality_of(machine, matrix, range(8))
    assert found.hop_bytes == 10 * 1 + 20 * 4 + 5 * 9 + 1
    assert found.max_congestion == 30.0, "rank 0 sends that much"
    assert found.bytes_by_layer == {
        "switch of 2 places": 11.0,
        "switch of 4 places": 20.0,
        "switch of 8 places": 5.0,
    }


def test_modularity_is_that_of_newman() -> None:
    machine = TreeMachine((2, 2), (4.0, 2.0))
    inside = Matrix(4, (Traffic(0, 1, 10.0), Traffic(2, 3, 10.0)))
    assert quality_of(machine, inside, [0, 1, 2, 3]).modularity == pytest.approx(0.5)
    assert quality_of(machine, inside, [0, 2, 1, 3]).modularity == pytest.approx(-0.5)


@pytest.mark.parametrize("machine", [LatticeMachine((4, 4), closed=True), TreeMachine((4, 4), (4.0, 2.0))])
def test_baselines_give_every_rank_a_place_of_its_own(machine: Machine) -> None:
    allowed = [0, 2, 3, 5, 8, 9, 10, 15]
    for mapping in (block(allowed, 6), cyclic(machine, allowed, 6), drawn(allowed, 6, 3)):
        assert len(set(mapping)) == 6
        assert set(mapping) <= set(allowed)


def test_cyclic_takes_one_place_of_each_group_in_turn() -> None:
    assert cyclic(TreeMachine((2, 4), (4.0, 2.0)), range(8), 8) == [0, 4, 1, 5, 2, 6, 3, 7]


def test_copies_of_a_place_are_beside_each_other() -> None:
    machine = copies_of(LatticeMachine((4,), closed=True), 2)
    every = np.arange(8)
    assert machine.distances(np.zeros(8, dtype=np.int64), every).tolist() == [0, 0, 1, 1, 2, 2, 1, 1]


def test_without_traffic_there_is_no_dilation() -> None:
    found = quality_of(LatticeMachine((4,), closed=True), Matrix(2, ()), [0, 1])
    assert (found.hop_bytes, found.dilation, found.max_congestion) == (0.0, None, 0.0)


def test_a_tree_reaches_the_mapper_without_loss() -> None:
    machine = TreeMachine((1_000_000, 2), (1.0 / 3.0, 1e-9))
    assert machine.words() == ["places tree 1000000 2 costs 0.3333333333333333 1e-09"]
