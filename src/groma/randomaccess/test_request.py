"""What is asked reaches the program as it was typed."""

from __future__ import annotations

import pytest

from groma.randomaccess.request import RandomAccessRequest, arguments_of, grid_ranks


def test_what_was_not_said_is_left_to_the_program() -> None:
    assert arguments_of(RandomAccessRequest()) == []


def test_every_wish_becomes_an_argument() -> None:
    request = RandomAccessRequest(
        algorithm="route", grid="4x2", mapping_mode=5, table="2^20", updates="1x", look_ahead=512
    )
    assert arguments_of(request) == [
        "--algorithm=route",
        "--grid=4x2",
        "--mapping-mode=5",
        "--table=2^20",
        "--updates=1x",
        "--look-ahead=512",
    ]
    more = RandomAccessRequest(routers=3, generator="lcg", owner="division", repeat=3, budget=90.0)
    assert arguments_of(more) == [
        "--routers=3",
        "--generator=lcg",
        "--owner=division",
        "--repeat=3",
        "--budget=90",
    ]
    assert arguments_of(RandomAccessRequest(experiment="bottleneck", seed=7)) == [
        "--experiment=bottleneck",
        "--seed=7",
    ]


@pytest.mark.parametrize(
    ("grid", "ranks"), [("4x3x2", 24), ("5", 5), (None, None), ("", None), ("4x", None), ("0x3", None)]
)
def test_a_grid_asks_for_its_ranks(grid: str | None, ranks: int | None) -> None:
    assert grid_ranks(RandomAccessRequest(grid=grid)) == ranks


def test_a_grid_of_nodes_asks_for_no_ranks() -> None:
    assert grid_ranks(RandomAccessRequest(algorithm="specialise", grid="4x2")) is None
