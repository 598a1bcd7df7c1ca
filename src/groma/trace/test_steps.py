"""Messages stand among the steps of a thread in the calls that they belong to, and none is lost."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.trace import steps as module
from groma.trace.steps import Key, Keys

if TYPE_CHECKING:
    from collections.abc import Sequence

SEND, RECV = (50000001, 1), (50000001, 2)
REGION = (90000000, 7)
WHATS = ("enter", "leave", "send", "receive")


class Step(NamedTuple):
    """`key` is that of a begin or an end, `message` the place of a message among those of its side."""

    time: int
    what: str
    key: Key | None = None
    message: int | None = None


def slices(*times: tuple[int, int, Key]) -> list[tuple[int, ...]]:
    """Rows of slices that follow each other: begin, end, key."""
    return [(0, time, end, *key) for begins, ends, key in times for time, end in ((begins, 0), (ends, 1))]


def with_messages(
    rows: Sequence[tuple[int, ...]], sent: Sequence[int], received: Sequence[int]
) -> list[Step]:
    """Messages by their times."""
    keys = Keys()
    made = module.steps_in(np.array(rows, dtype=np.int64).reshape(-1, 5), keys)
    sides = (np.array(times, dtype=np.int64) for times in (sent, received))
    columns = (column.tolist() for column in module.with_messages(made, keys.are_calls(), *sides))
    return [
        Step(time, WHATS[what], message=number)
        if what in {module.SEND, module.RECEIVE}
        else Step(time, WHATS[what], list(keys)[number])
        for time, what, number in zip(*columns, strict=True)
    ]


def test_steps_have_the_keys_of_their_rows() -> None:
    assert with_messages(slices((1, 3, SEND), (5, 8, REGION)), [], []) == [
        Step(1, "enter", SEND),
        Step(3, "leave", SEND),
        Step(5, "enter", REGION),
        Step(8, "leave", REGION),
    ]


def test_messages_outside_of_calls_stand_at_their_time() -> None:
    made = with_messages(slices((10, 20, SEND)), [5, 25], [7, 30])
    assert [(one.time, one.what) for one in made] == [
        (5, "send"),
        (7, "receive"),
        (10, "enter"),
        (20, "leave"),
        (25, "send"),
        (30, "receive"),
    ]
    assert with_messages([], [5, 25], []) == [Step(5, "send", message=0), Step(25, "send", message=1)]


def test_a_message_between_two_calls_is_received_by_the_first_and_sent_by_the_second() -> None:
    made = with_messages(slices((10, 20, RECV), (20, 30, SEND)), [20], [20])
    assert [one.what for one in made] == ["enter", "receive", "leave", "enter", "send", "leave"]


def test_calls_without_time_keep_their_messages_within() -> None:
    made = with_messages(slices((5, 5, SEND), (5, 5, RECV)), [5], [5])
    whats = [one.what for one in made]
    assert whats.index("enter") < whats.index("send")
    assert whats.index("receive") < len(whats) - 1
    assert whats.count("enter") == whats.count("leave") == 2


def test_any_messages_stand_in_order_of_time() -> None:
    chosen = random.Random(4)  # noqa: S311
    for _ in range(300):
        times = sorted(chosen.randrange(20) for _ in range(2 * chosen.randrange(12)))
        pairs = zip(times[0::2], times[1::2], strict=True)
        rows = slices(*((begin, end, chosen.choice((SEND, RECV, REGION))) for begin, end in pairs))
        sent, received = ([chosen.randrange(25) for _ in range(chosen.randrange(8))] for _ in range(2))
        made = with_messages(rows, sent, received)
        found_times = [one.time for one in made]
        assert found_times == sorted(found_times)
        assert [one.what for one in made if one.key] == ["enter", "leave"] * (len(rows) // 2)
        for what, messages in (("send", sent), ("receive", received)):
            found = {one.message: one.time for one in made if one.what == what}
            assert found == dict(enumerate(messages))
