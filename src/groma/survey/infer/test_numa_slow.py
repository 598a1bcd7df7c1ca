"""Slow nodes and cores are named, and what is slow for another reason is not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from groma.record import Topology
from groma.survey.infer.test_numa import (
    INTERLAGOS,
    UV,
    Machine,
    declared,
    interlagos,
    several_cores,
    uv,
)


def with_slow(ratio: Callable[[int, int], float], node: int, times: float) -> Callable[[int, int], float]:
    """The memory of `node` is slow, whoever reads it."""
    return lambda owner, reader: ratio(owner, reader) * (times if owner == node else 1.0)


def over_cores(
    topology: Topology, times: Callable[[int, int], float] = lambda _owner, _reader: 1.0, **how: Any
) -> Machine:
    """What cores read that are as far apart as their nodes on UV; a pair takes `times` as long."""
    at = {core.logical: core.numa for core in topology.cores}
    machine = Machine(
        len(at),
        lambda owner, reader: uv(at[owner], at[reader]) * times(owner, reader),
        over="cores",
        home=at.__getitem__,
        **how,
    )
    return machine.read()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rounds", [1, 4, 12])
def test_a_slow_memory_is_named_once_and_disturbs_no_class(seed: int, rounds: int) -> None:
    machine = Machine(24, with_slow(uv, 17, 2.5), seed=seed, rounds=rounds).read().lockstep()
    facts, advice = machine.infer(declared(UV))
    assert [(one.number, one.part, one.places) for one in facts.slow] == [(17, "memory", [17])]
    assert facts.slow[0].ratio.value == pytest.approx(2.5, rel=0.1)
    assert sum("numa.slow_node" in code for code in advice) == 1
    if rounds < 3:  # disturbed reads stand alone then
        return
    assert [one.declared_distance for one in facts.classes] == [[10.0], [50.0], [65.0]]
    assert [len(one.pairs) for one in facts.classes] == [23, 22, 23 * 22 - 22]
    assert list(advice) == ["numa.slow_node"]
    assert "the memory of NUMA node 17 takes 2.5 times as long" in advice["numa.slow_node"].what


def test_slow_cores_and_a_slow_link_are_distinguished() -> None:
    cores = Machine(8, lambda o, r: interlagos(o, r) * (2.0 if r == 3 else 1.0)).read()
    link = Machine(8, lambda o, r: interlagos(o, r) * (2.0 if o != r and 3 in {o, r} else 1.0)).read()
    for machine, part in ((cores, "cores"), (link, "link")):
        facts, advice = machine.infer(declared(INTERLAGOS))
        assert [(one.number, one.part) for one in facts.slow] == [(3, part)]
        assert list(advice) == ["numa.slow_node"]


@pytest.mark.parametrize("seed", range(20))
def test_no_node_of_a_healthy_machine_is_called_slow(seed: int) -> None:
    for machine in (Machine(8, interlagos, seed=seed), Machine(24, uv, seed=seed, rounds=2, noise=0.1)):
        facts, _ = machine.read().infer()
        assert facts.slow == []


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("rounds", [2, 12])
def test_no_core_of_a_healthy_machine_is_called_slow(seed: int, rounds: int) -> None:
    topology = several_cores(4, 4)
    machine = over_cores(topology, rounds=rounds, noise=0.1, seed=seed)
    assert machine.infer(topology)[1] == {}


def test_a_kind_of_core_is_no_slow_one() -> None:
    """Efficient cores, of which each node has as many as of the others."""
    topology = several_cores(2, 8)
    machine = over_cores(topology, lambda _, reader: 1.8 if reader % 2 else 1.0)
    assert "numa.slow_core" not in machine.infer(topology)[1]


def test_a_kind_of_node_is_no_slow_one() -> None:
    """Half of the nodes have another kind of memory."""
    facts, _ = Machine(8, lambda o, r: interlagos(o, r) * (2.0 if o % 2 else 1.0)).read().infer()
    assert facts.slow == []


def test_a_slow_node_is_named_over_cores_too() -> None:
    topology = several_cores(24, 2)
    at = {core.logical: core.numa for core in topology.cores}
    machine = Machine(48, lambda o, r: with_slow(uv, 5, 2.5)(at[o], at[r]), over="cores", rounds=3).read()
    facts, advice = machine.infer(topology)
    assert [(one.number, one.part, one.places) for one in facts.slow] == [(5, "memory", [10, 11])]
    assert list(advice) == ["numa.not_local", "numa.slow_node"]
    assert [one.name for one in facts.classes] == ["local", "remote 1", "remote 2"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rounds", [1, 12])
def test_a_slow_core_of_one_of_several_nodes_is_named_and_blames_no_distance(seed: int, rounds: int) -> None:
    """As of a core that is throttled or that other work shares."""
    topology = several_cores(4, 4)
    machine = over_cores(topology, lambda _, reader: 1.6 if reader == 5 else 1.0, rounds=rounds, seed=seed)
    facts, advice = machine.infer(topology)
    assert list(advice) == ["numa.slow_core"]
    assert "core 5 reads what any core wrote 1.6 times slower than others do" in advice["numa.slow_core"].what
    assert [(one.kind, one.number, one.part, one.places) for one in facts.slow] == [("core", 5, "cores", [5])]
    if rounds > 2:  # disturbed reads stand alone then
        assert [one.declared_distance for one in facts.classes] == [[10.0], [50.0], [65.0]]
        assert not any(5 in pair for one in facts.classes for pair in one.pairs)


@pytest.mark.parametrize("seed", range(5))
def test_of_two_nodes_the_slower_one_is_named_and_no_distance_is_blamed(seed: int) -> None:
    """Every system declares 10 for a node's own memory, however slow it is."""
    machine = Machine(2, lambda o, r: (1.0 if o == r else 1.9) * (1.6 if r else 1.0), seed=seed).read()
    _, advice = machine.infer(declared([[10.0, 40.0], [40.0, 10.0]]))
    assert list(advice) == ["numa.unequal"]
    assert "NUMA node 1 reads its own memory 1.6 times slower" in advice["numa.unequal"].what


@pytest.mark.parametrize("seed", range(10))
def test_distances_that_differ_a_little_are_not_refuted_by_noise(seed: int) -> None:
    """Halves of a socket, whose memories are 6 % apart and declared 10 % apart."""

    def halves(owner: int, reader: int) -> float:
        return 1.0 if owner == reader else 1.06 if owner // 2 == reader // 2 else 1.6

    distances = [[{1.0: 10.0, 1.06: 11.0, 1.6: 20.0}[halves(a, b)] for b in range(4)] for a in range(4)]
    _, advice = Machine(4, halves, noise=0.06, seed=seed).read().infer(declared(distances))
    assert advice == {}


@pytest.mark.parametrize("seed", range(5))
def test_a_slow_node_as_slow_as_a_remote_one_confuses_no_distance(seed: int) -> None:
    machine = Machine(2, lambda o, r: (1.0 if o == r else 1.55) * (1.6 if r else 1.0), seed=seed).read()
    assert list(machine.infer(declared([[10.0, 21.0], [21.0, 10.0]]))[1]) == ["numa.unequal"]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rounds", [3, 12])
def test_a_core_that_other_work_shares_blames_no_distance(seed: int, rounds: int) -> None:
    """It loses the core in a third of the rounds, so its medians are anything between."""
    topology = several_cores(4, 2)
    machine = over_cores(topology, rounds=rounds, seed=seed)
    random = np.random.default_rng([seed, rounds])
    reads = machine.samples["numa_read"]
    for case, values in zip(reads.cases, reads.values, strict=True):
        if case["reader"] == 1:
            values[:] = [value * (1.7 if random.random() < 0.35 else 1.0) for value in values]
    assert "numa.distance_disagrees" not in machine.infer(topology)[1]
