"""Where ranks are is judged by kernels and masks, not by names."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groma.errors import GromaError
from groma.launch.shape import Shape
from groma.record.launch import RankPlace
from groma.run.placement import is_inter_node, machines, placement_advice, refuse_misplaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def place(rank: int, host: str = "n1", boot: str = "b1", cpus: tuple[int, ...] = ()) -> RankPlace:
    return RankPlace(rank=rank, host=host, boot_id=boot, cpus=list(cpus) or [rank])


def shape(nodes: int = 1, per_node: int = 2, **others: Any) -> Shape:
    return Shape(ranks=nodes * per_node, nodes=nodes, per_node=per_node, **others)


def codes(placement: list[RankPlace], wanted: Shape) -> list[str]:
    return [one.code for one in placement_advice(placement, wanted)]


def test_a_placement_as_asked_for_needs_no_word() -> None:
    assert codes([place(0), place(1)], shape()) == []
    two = [place(0), place(1), place(2, "n2", "b2", (0,)), place(3, "n2", "b2", (1,))]
    assert codes(two, shape(nodes=2)) == []
    assert is_inter_node(two)


def test_hosts_of_one_kernel_are_one_machine() -> None:
    containers = [place(0, "n1", "b1"), place(1, "n2", "b1")]
    assert not is_inter_node(containers)
    assert len(machines(containers)) == 1
    assert codes(containers, shape(nodes=2, per_node=1)) == ["launch.same_kernel"]


def test_hosts_without_a_boot_id_are_distinguished_by_name() -> None:
    assert is_inter_node([place(0, "n1", ""), place(1, "n2", "")])


def test_fewer_machines_than_asked_for_are_reported() -> None:
    assert "launch.nodes" in codes([place(0), place(1)], shape(nodes=2, per_node=1))


def test_one_node_is_not_two_in_the_refusal_either() -> None:
    with pytest.raises(GromaError, match=r"^the ranks run on 1 node, not 2 as requested"):
        refuse_misplaced([place(0)], shape(nodes=2, per_node=1))


def test_an_uneven_placement_is_reported() -> None:
    uneven = [place(0), place(1), place(2), place(3, "n2", "b2")]
    assert codes(uneven, shape(nodes=2, per_node=2)) == ["launch.per_node"]


def test_bound_ranks_with_common_processors_are_reported() -> None:
    both = [place(0, cpus=(0, 1)), place(1, cpus=(0, 1))]
    (advice,) = placement_advice(both, shape())
    assert advice.code == "launch.overlapping_cpus"
    assert "0-1" in advice.what
    assert codes(both, shape(bind="none")) == []
    other_machine = [place(0, cpus=(0,)), place(1, "n2", "b2", (0,))]
    assert codes(other_machine, shape(nodes=2, per_node=1)) == []


def test_too_many_ranks_are_reported() -> None:
    (advice,) = placement_advice([place(0), place(1)], shape(bind="oversubscribed"))
    assert advice.code == "launch.oversubscribed"
    assert advice.what.startswith("2 threads share fewer cores")


def test_hosts_of_a_test_bed_that_share_too_few_cores_are_reported() -> None:
    hosts = [place(0), place(1, "n2", "b2"), place(2, "n3", "b3")]
    bed = shape(nodes=3, per_node=1, bind="oversubscribed", sharing=3)
    (advice,) = placement_advice(hosts, bed)
    assert advice.what.startswith("3 threads of 3 hosts of a test bed share fewer cores")


def test_nothing_is_said_of_a_placement_that_is_not_known() -> None:
    assert placement_advice([], shape()) == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.frozensets(st.integers(0, 5))), max_size=9))
def test_all_pairs_with_common_processors_are_counted_and_the_first_is_named(
    ranks: list[tuple[str, frozenset[int]]],
) -> None:
    placement = [
        RankPlace(rank=rank, host=host, boot_id=host, cpus=sorted(cpus))
        for rank, (host, cpus) in enumerate(ranks)
    ]
    pairs = [
        (a.rank, b.rank)
        for here in machines(placement).values()
        for a, b in combinations(here, 2)
        if set(a.cpus) & set(b.cpus)
    ]
    advice = placement_advice(placement, shape(nodes=2, per_node=9))
    said = [one.what for one in advice if one.code == "launch.overlapping_cpus"]
    if pairs:
        a, b = pairs[0]
        assert said[0].startswith(f"ranks {a} and {b} may run on the same processors")
        assert f"as may {len(pairs)} pairs in all" in said[0]
    else:
        assert said == []


def test_ranks_with_equal_processors_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rank of a large node that is not bound may run on all processors."""
    compared: list[int] = []

    def counting(items: Iterable[Any], length: int) -> Iterator[Any]:
        for one in combinations(items, length):
            compared.append(1)
            yield one

    monkeypatch.setattr("groma.run.placement.combinations", counting)
    ranks = [place(rank, cpus=(0, 1, 2)) for rank in range(200)] + [place(200, cpus=(2, 3))]
    (advice,) = placement_advice(ranks, shape(per_node=201))
    assert f"as may {201 * 100} pairs in all" in advice.what
    assert len(compared) == 1
