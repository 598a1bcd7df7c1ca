"""Steps of a thread nest, are in order, and none is lost."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.trace import steps as module
from groma.trace.steps import FUNCTION, REGION, Key, Keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

SEND, RECV = (50000001, 1), (50000001, 2)
WHATS = ("enter", "leave", "send", "receive")


class Step(NamedTuple):
    """`key` is that of a begin or an end, `message` the place of a message among those of its side."""

    time: int
    what: str
    key: Key | None = None
    message: int | None = None


def with_messages(
    events: Sequence[tuple[int, int, int]], end: int, sent: Sequence[int], received: Sequence[int]
) -> list[Step]:
    """Messages by their times."""
    keys = Keys()
    made = module.steps_of(np.array(events, dtype=np.int64).reshape(-1, 3), end, keys)
    sides = (np.array(times, dtype=np.int64) for times in (sent, received))
    columns = (column.tolist() for column in module.with_messages(made, keys.are_calls(), *sides))
    return [
        Step(time, WHATS[what], message=number)
        if what in {module.SEND, module.RECEIVE}
        else Step(time, WHATS[what], list(keys)[number])
        for time, what, number in zip(*columns, strict=True)
    ]


def steps_of(events: Sequence[tuple[int, int, int]], end: int) -> list[Step]:
    return with_messages(events, end, [], [])


def shown(steps: list[Step]) -> list[tuple[int, str, int]]:
    return [(one.time, one.what, one.key[1] if one.key else 0) for one in steps]


def is_nested(steps: list[Step]) -> bool:
    open_: list[Key | None] = []
    for one in steps:
        if one.what == "enter":
            open_.append(one.key)
        elif one.what == "leave" and (not open_ or open_.pop() != one.key):
            return False
    return not open_


def test_a_function_goes_on_after_the_one_that_it_called() -> None:
    events = [(0, FUNCTION, 1), (10, FUNCTION, 1), (20, FUNCTION, 2), (30, FUNCTION, 0), (40, FUNCTION, 0)]
    assert shown(list(steps_of(events, 50))) == [
        (0, "enter", 1),
        (10, "enter", 1),
        (20, "enter", 2),
        (30, "leave", 2),
        (40, "leave", 1),
        (50, "leave", 1),
    ]


def test_a_region_that_begins_in_a_call_and_ends_after_it_is_two() -> None:
    events = [(1, *RECV), (2, REGION, 7), (3, RECV[0], 0), (4, REGION, 0)]
    assert shown(list(steps_of(events, 9))) == [
        (1, "enter", 2),
        (2, "enter", 7),
        (3, "leave", 7),
        (3, "leave", 2),
        (3, "enter", 7),
        (4, "leave", 7),
    ]


def test_what_ends_comes_before_what_begins_at_one_time() -> None:
    events = [(1, *SEND), (5, *RECV), (5, SEND[0], 0), (8, RECV[0], 0)]
    assert shown(list(steps_of(events, 9))) == [
        (1, "enter", 1),
        (5, "leave", 1),
        (5, "enter", 2),
        (8, "leave", 2),
    ]


def test_a_call_whose_end_stands_before_its_begin_on_one_line_has_no_time() -> None:
    events = [(5, SEND[0], 0), (5, *SEND), (9, *RECV)]
    assert shown(list(steps_of(events, 9)))[:2] == [(5, "enter", 1), (5, "leave", 1)]


def test_a_begin_that_is_said_twice_begins_once() -> None:
    events = [(5, *SEND), (5, *SEND), (9, SEND[0], 0)]
    assert shown(list(steps_of(events, 9))) == [(5, "enter", 1), (9, "leave", 1)]


def test_events_out_of_order_become_steps_in_order() -> None:
    events = [(7, *RECV), (8, RECV[0], 0), (1, *SEND), (2, SEND[0], 0)]
    assert [one.time for one in steps_of(events, 9)] == [1, 2, 7, 8]


def test_messages_outside_of_calls_stand_at_their_time() -> None:
    made = with_messages([(10, *SEND), (20, SEND[0], 0)], 99, [5, 25], [7, 30])
    assert [(one.time, one.what) for one in made] == [
        (5, "send"),
        (7, "receive"),
        (10, "enter"),
        (20, "leave"),
        (25, "send"),
        (30, "receive"),
    ]
    assert with_messages([], 99, [5, 25], []) == [Step(5, "send", message=0), Step(25, "send", message=1)]


def test_a_message_between_two_calls_is_received_by_the_first_and_sent_by_the_second() -> None:
    made = with_messages([(10, *RECV), (20, RECV[0], 0), (20, *SEND), (30, SEND[0], 0)], 99, [20], [20])
    assert [one.what for one in made] == ["enter", "receive", "leave", "enter", "send", "leave"]


def test_calls_without_time_keep_their_messages_within() -> None:
    made = with_messages([(5, *SEND), (5, SEND[0], 0), (5, *RECV), (5, RECV[0], 0)], 9, [5], [5])
    whats = [one.what for one in made]
    assert whats.index("enter") < whats.index("send")
    assert whats.index("receive") < len(whats) - 1
    assert whats.count("enter") == whats.count("leave") == 2


def test_regions_nest_and_what_is_open_ends_with_the_trace() -> None:
    region = 90000000
    events = [(1, region, 1), (2, region, 2), (3, *SEND), (4, SEND[0], 0), (5, region, 1), (6, *RECV)]
    assert [(one.time, one.what) for one in steps_of(events, 9)] == [
        (1, "enter"),
        (2, "enter"),
        (3, "enter"),
        (4, "leave"),
        (5, "leave"),
        (6, "enter"),
        (9, "leave"),
        (9, "leave"),
    ]


def test_any_events_and_messages_nest_in_order_of_time() -> None:
    chosen = random.Random(4)  # noqa: S311
    for _ in range(300):
        kinds = [(type_, value) for type_ in (50000001, 50000002, REGION, FUNCTION) for value in (0, 1, 2)]
        events = [(chosen.randrange(20), *chosen.choice(kinds)) for _ in range(chosen.randrange(25))]
        sent, received = ([chosen.randrange(25) for _ in range(chosen.randrange(8))] for _ in range(2))
        made = with_messages(events, 20, sent, received)
        assert is_nested(made)
        times = [one.time for one in made]
        assert times == sorted(times)
        for what, messages in (("send", sent), ("receive", received)):
            found = {one.message: one.time for one in made if one.what == what}
            assert found == dict(enumerate(messages))


def test_calls_in_turn_have_the_same_steps_by_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most threads only call. Those with regions take the long way."""
    chosen = random.Random(5)  # noqa: S311
    threads = []
    for _ in range(300):
        times = sorted(chosen.randrange(20) for _ in range(chosen.randrange(30)))
        first = chosen.randrange(2)  # 1: an end whose begin is not in the trace
        values = [0 if (at + first) % 2 else chosen.randrange(1, 4) for at in range(len(times))]
        types = (50000001, 50000002)
        threads.append(
            [(time, chosen.choice(types), value) for time, value in zip(times, values, strict=True)]
        )
    short = [steps_of(events, 20) for events in threads]
    assert any(module._are_calls_in_turn(np.array(events[1:]).reshape(-1, 3)) for events in threads)
    monkeypatch.setattr(module, "_are_calls_in_turn", lambda _: False)
    assert short == [steps_of(events, 20) for events in threads]
