"""Steps of a thread nest, are in order, and none is lost."""

from __future__ import annotations

import random

from groma.trace.steps import FUNCTION, REGION, Message, Step, steps_of, with_messages

SEND, RECV = (50000001, 1), (50000001, 2)


def shown(steps: list[Step]) -> list[tuple[int, str, int]]:
    return [(one.time, one.what, one.key[1] if one.key else 0) for one in steps]


def is_nested(steps: list[Step]) -> bool:
    open_ = []
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
    steps = list(steps_of([(10, *SEND), (20, SEND[0], 0)], 99))
    sent, received = [Message(5, 1, 0, 8), Message(25, 1, 0, 8)], [Message(7, 1, 0, 8), Message(30, 1, 0, 8)]
    assert [(one.time, one.what) for one in with_messages(steps, sent, received)] == [
        (5, "send"),
        (7, "receive"),
        (10, "enter"),
        (20, "leave"),
        (25, "send"),
        (30, "receive"),
    ]
    alone = with_messages([], sent, [])
    assert [one.message for one in alone] == sent


def test_a_message_between_two_calls_is_received_by_the_first_and_sent_by_the_second() -> None:
    steps = list(steps_of([(10, *RECV), (20, RECV[0], 0), (20, *SEND), (30, SEND[0], 0)], 99))
    made = with_messages(steps, [Message(20, 1, 0, 8)], [Message(20, 1, 0, 8)])
    assert [one.what for one in made] == ["enter", "receive", "leave", "enter", "send", "leave"]


def test_any_events_and_messages_nest_in_order_of_time() -> None:
    chosen = random.Random(4)  # noqa: S311
    for _ in range(300):
        kinds = [(type_, value) for type_ in (50000001, 50000002, REGION, FUNCTION) for value in (0, 1, 2)]
        events = [(chosen.randrange(20), *chosen.choice(kinds)) for _ in range(chosen.randrange(25))]
        sent, received = (
            [Message(chosen.randrange(25), 0, 0, number) for number in range(chosen.randrange(8))]
            for _ in range(2)
        )
        made = with_messages(list(steps_of(events, 20)), sent, received)
        assert is_nested(made)
        times = [one.time for one in made]
        assert times == sorted(times)
        assert all(one.message is None or one.message.time == one.time for one in made)
        for what, messages in (("send", sent), ("receive", received)):
            assert sorted(messages) == sorted(one.message for one in made if one.what == what and one.message)
