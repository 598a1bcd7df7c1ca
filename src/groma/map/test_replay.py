"""What is replayed is the given traffic, scaled down as a whole."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.map.replay import (
    BUSIEST,
    MOST_MESSAGES,
    Replay,
    halo,
    halo_replay,
    replay_of,
    triad_replay,
)
from groma.map.traffic import Traffic


def rows_of(replay: Replay) -> list[list[int]]:
    return [[int(word) for word in line.split()] for line in replay.pattern.splitlines()]


def test_little_traffic_is_replayed_as_it_is() -> None:
    replay = replay_of([Traffic(0, 1, 3000, 3), Traffic(1, 0, 10)])
    assert rows_of(replay) == [[0, 1, 1000, 3], [1, 0, 10, 1]]
    assert replay.title == "the given matrix"


def test_much_traffic_is_scaled_by_its_number_of_messages() -> None:
    replay = replay_of([Traffic(0, 1, 1000 * BUSIEST, 1e6), Traffic(1, 2, 10 * BUSIEST, 1e4)], "it")
    (first, second) = rows_of(replay)
    assert first[2] == pytest.approx(1000 * BUSIEST / 1e6, rel=0.01)
    assert first[3] == pytest.approx(100 * second[3], rel=0.05)
    assert replay.title.startswith("it, 0.099 % of its bytes")


@given(
    st.lists(
        st.builds(
            Traffic,
            st.integers(0, 7),
            st.integers(0, 7),
            st.floats(0, 1e15),
            st.none() | st.floats(0, 1e9),
        ),
        max_size=40,
    )
)
def test_no_rank_gets_much_more_than_the_bound(traffic: list[Traffic]) -> None:
    moved: Counter[int] = Counter()
    entries: Counter[int] = Counter()
    for source, target, size, count in rows_of(replay_of(traffic)):
        assert source != target
        assert 1 <= count <= MOST_MESSAGES
        for rank in (source, target):
            moved[rank] += size * count
            entries[rank] += count
    assert all(moved[rank] <= BUSIEST + 2 * entries[rank] for rank in moved)


@pytest.mark.parametrize(("ranks", "neighbours"), [(2, 1), (4, 2), (8, 3), (9, 4), (16, 4), (7, 2)])
def test_a_halo_reaches_every_neighbour_once(ranks: int, neighbours: int) -> None:
    pairs = [(one.source, one.target) for one in halo(ranks, 8)]
    assert len(set(pairs)) == len(pairs)
    assert set(Counter(source for source, _ in pairs).values()) == {neighbours}
    assert {(b, a) for a, b in pairs} == set(pairs)


def test_kernels_say_what_they_do() -> None:
    assert halo_replay(8, 20000).title == "halo exchange of 4x2 ranks, 19.5 KiB"
    assert triad_replay(1 << 20).title == "triad on 1 MiB of each rank"
