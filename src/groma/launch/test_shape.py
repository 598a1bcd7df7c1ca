"""Ranks lie as they were asked to, and fill the cores where nothing was said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.launch.shape import RequestedShape, Room, Shape, shape_of


def test_more_ranks_than_the_programs_plan_for_are_refused() -> None:
    """Also those of a grid such as 4097x4097, which nobody gave as a number of ranks."""
    assert shape_of(RequestedShape(ranks=2**24), Room()).ranks == 2**24
    with pytest.raises(GromaError, match="16,785,409 ranks are too many") as refusal:
        shape_of(RequestedShape(ranks=4097 * 4097), Room())
    assert refusal.value.exit_code == ExitCode.USAGE


def shape(ranks: int, nodes: int, per_node: int, **others: Any) -> Shape:
    return Shape(ranks=ranks, nodes=nodes, per_node=per_node, **others)


@pytest.mark.parametrize(
    ("requested", "room", "expected"),
    [
        (RequestedShape(), Room(cores=2), shape(2, 1, 2)),
        (RequestedShape(), Room(cores=8, nodes=4), shape(32, 4, 8)),
        (RequestedShape(threads=4), Room(cores=8, nodes=2), shape(4, 2, 2, threads=4)),
        (RequestedShape(threads=3), Room(cores=8), shape(2, 1, 2, threads=3)),
        (RequestedShape(ranks=1), Room(cores=8, nodes=4), shape(1, 1, 1)),
        (RequestedShape(ranks=6), Room(cores=8, nodes=4), shape(6, 3, 2)),
        (RequestedShape(ranks=5, per_node=2), Room(cores=8, nodes=4), shape(5, 3, 2)),
        (RequestedShape(nodes=2, per_node=3), Room(cores=8, nodes=4), shape(6, 2, 3)),
        (RequestedShape(nodes=2), Room(cores=8, nodes=4), shape(16, 2, 8)),
        (RequestedShape(ranks=4), Room(cores=2), shape(4, 1, 4, bind="oversubscribed")),
        (RequestedShape(ranks=2, threads=2), Room(cores=2), shape(2, 1, 2, threads=2, bind="oversubscribed")),
        (RequestedShape(ranks=2, bind="none"), Room(cores=2), shape(2, 1, 2, bind="none")),
        (RequestedShape(ranks=3, bind="core"), Room(cores=2), shape(3, 1, 3, bind="oversubscribed")),
        (RequestedShape(threads=16), Room(cores=8), shape(1, 1, 1, threads=16, bind="oversubscribed")),
        (RequestedShape(ranks=2, threads=0), Room(cores=8), shape(2, 1, 2, threads=4)),
        (RequestedShape(ranks=3, threads=0), Room(cores=8), shape(3, 1, 3, threads=2)),
        (RequestedShape(nodes=4, per_node=2, threads=0), Room(cores=8, nodes=4), shape(8, 4, 2, threads=4)),
        (RequestedShape(threads=0), Room(cores=8, nodes=2), shape(16, 2, 8, threads=1)),
        (RequestedShape(ranks=6, threads=0), Room(cores=2), shape(6, 1, 6, threads=1, bind="oversubscribed")),
        (RequestedShape(), Room(cores=2, bindable=16), shape(2, 1, 2)),
        (RequestedShape(threads=0), Room(cores=2, bindable=16), shape(2, 1, 2, threads=8)),
        (RequestedShape(threads=8), Room(cores=4, bindable=16), shape(2, 1, 2, threads=8)),
        (RequestedShape(threads=2), Room(cores=4, bindable=16), shape(4, 1, 4, threads=2)),
        (
            RequestedShape(per_node=4, threads=0),
            Room(cores=16, bindable=2),
            shape(4, 1, 4, threads=4, bind="oversubscribed"),
        ),
        (
            RequestedShape(ranks=2),
            Room(cores=2, nodes=2, one_machine=True),
            shape(2, 2, 1, bind="none", sharing=2),
        ),
        (
            RequestedShape(ranks=4),
            Room(cores=2, nodes=4, one_machine=True),
            shape(4, 4, 1, bind="oversubscribed", sharing=4),
        ),
    ],
)
def test_shape_follows_what_was_asked(requested: RequestedShape, room: Room, expected: Shape) -> None:
    assert shape_of(requested, room) == expected


@pytest.mark.parametrize(
    "requested",
    [
        RequestedShape(ranks=5, nodes=2, per_node=2),
        RequestedShape(ranks=2, nodes=4, per_node=2),
        RequestedShape(ranks=2, nodes=3),
        RequestedShape(ranks=6, nodes=4),
    ],
)
def test_counts_that_contradict_each_other_are_refused(requested: RequestedShape) -> None:
    with pytest.raises(GromaError) as refusal:
        shape_of(requested, Room(cores=8, nodes=8))
    assert refusal.value.exit_code == ExitCode.USAGE


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.integers(1, 300), st.integers(1, 40), st.integers(1, 64), st.integers(1, 8))
def test_any_number_of_ranks_finds_its_place(ranks: int, nodes: int, cores: int, threads: int) -> None:
    found = shape_of(RequestedShape(ranks=ranks, threads=threads), Room(nodes=nodes, cores=cores))
    assert found.ranks == ranks
    assert found.nodes <= min(nodes, ranks)
    assert (found.nodes - 1) * found.per_node < ranks <= found.nodes * found.per_node
    assert found.oversubscribed == (found.per_node * threads > cores)
