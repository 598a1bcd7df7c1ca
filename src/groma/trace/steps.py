"""Calls, regions and messages of one thread as steps that nest, in order of time. Pure functions."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

CALLS = range(50000001, 50000006)
REGION = 90000000  # of groma: the value holds until the next one, 0 is none
FUNCTION = 60000019  # of a user, by Extrae: 0 ends the innermost, and what is around it goes on
STEPS = (*CALLS, REGION, FUNCTION)
"""Types of the events that begin and end something."""

ENTER, LEAVE, SEND, RECEIVE = range(4)

Key = tuple[int, int]
"""Type and value of the event that begins a call or a region."""


class Keys:
    """Numbers of keys, in the order in which they were met."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}

    def __iter__(self) -> Iterator[Key]:
        return iter(self._numbers)

    def number(self, key: Key) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def numbers(self, types: Integers, values: Integers) -> Integers:
        """Of many keys, of which few differ."""
        pairs = np.column_stack((types, values))
        unique, first, inverse = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        made = np.empty(len(unique), dtype=np.int64)
        for place in np.argsort(first):
            type_, value = unique[place].tolist()
            made[place] = self.number((type_, value))
        return made[inverse.reshape(-1)]

    def are_calls(self) -> NDArray[np.bool_]:
        return np.array([key[0] in CALLS for key in self], dtype=bool)


class Steps(NamedTuple):
    """Columns. `whats` are ENTER to RECEIVE; `numbers` those of keys, and of messages their places among
    those that the thread sends, or receives.
    """

    times: Integers
    whats: Integers
    numbers: Integers


def steps_of(events: Integers, end: int, keys: Keys) -> Steps:
    """Begins and ends of calls and regions, from times, types and values of one thread; all are closed."""
    times = events[:, 0]
    if np.any(times[1:] < times[:-1]):
        events = events[np.argsort(times, kind="stable")]
    if len(events) and events[0, 2] == 0 and (len(events) == 1 or events[0, 0] < events[1, 0]):
        events = events[1:]  # of what began before the trace
    return _steps_of_calls(events, end, keys) if _are_calls_in_turn(events) else _nested(events, end, keys)


def _are_calls_in_turn(events: Integers) -> bool:
    """Whether there are only calls, and each ends before the next begins: most threads do nothing else."""
    types, values = events[:, 1], events[:, 2]
    are_calls = (types >= CALLS.start) & (types < CALLS.stop)
    return bool(are_calls.all() and (values[0::2] != 0).all() and (values[1::2] == 0).all())


def _steps_of_calls(events: Integers, end: int, keys: Keys) -> Steps:
    begins = events[0::2]
    times = np.append(events[:, 0], [end] if len(events) % 2 else []).astype(np.int64)
    whats = np.tile(np.array([ENTER, LEAVE]), len(begins))
    return Steps(times, whats, np.repeat(keys.numbers(begins[:, 1], begins[:, 2]), 2))


def _nested(events: Integers, end: int, keys: Keys) -> Steps:
    made = _Nesting(keys)
    for time, line in groupby(events.tolist(), key=itemgetter(0)):
        made.take([(type_, value) for _, type_, value in line], time)
    made.leave_all(0, end)
    return Steps(*np.array(made.steps, dtype=np.int64).reshape(-1, 3).T)


def with_messages(steps: Steps, are_calls: NDArray[np.bool_], sent: Integers, received: Integers) -> Steps:
    """Each message at its time: a send after the begin of its call, a receive before the end of its call,
    also where times are equal. A message that lies in no call stands between the steps.

    `are_calls` says of each key whether it is a call; messages are their times.
    """
    calls = _Calls(steps, are_calls)
    places = np.concatenate(
        [calls.places(sent, calls.sending(sent)), calls.places(received, calls.receiving(received))]
    )
    times = np.concatenate([sent, received])
    whats = np.repeat([SEND, RECEIVE], [len(sent), len(received)])
    numbers = np.concatenate([np.arange(len(sent)), np.arange(len(received))])
    order = np.lexsort((times, places))
    messages = Steps(times[order], whats[order], numbers[order])
    return Steps(*(np.insert(old, places[order], new) for old, new in zip(steps, messages, strict=True)))


class _Calls:
    """Where the calls of a thread stand among its steps. They follow each other: it is in one at most."""

    def __init__(self, steps: Steps, are_calls: NDArray[np.bool_]) -> None:
        in_calls = are_calls[steps.numbers] if len(are_calls) else np.zeros(0, dtype=bool)
        self._times = steps.times
        self._enters = np.flatnonzero(in_calls & (steps.whats == ENTER))
        self._leaves = np.flatnonzero(in_calls & (steps.whats == LEAVE))
        self._begins, self._ends = steps.times[self._enters], steps.times[self._leaves]

    def sending(self, times: Integers) -> Integers:
        """The first call that begins then, else the last one that began before."""
        first = np.searchsorted(self._begins, times)
        begins_then = np.searchsorted(self._begins, times, side="right") > first
        return np.where(begins_then, first, first - 1)

    def receiving(self, times: Integers) -> Integers:
        """The first call that ends then or later."""
        return np.searchsorted(self._ends, times)

    def places(self, times: Integers, which: Integers) -> Integers:
        """Of messages among the steps: within these calls if they last then."""
        made = np.searchsorted(self._times, times, side="right")
        there = np.flatnonzero((which >= 0) & (which < len(self._begins)))
        there = there[self._begins[which[there]] <= times[there]]
        there = there[times[there] <= self._ends[which[there]]]
        calls = which[there]
        made[there] = np.maximum(self._enters[calls] + 1, np.minimum(made[there], self._leaves[calls]))
        return made


class _Nesting:
    """What was begun and ended, and what is open, the outermost first; one call at most."""

    def __init__(self, keys: Keys) -> None:
        self.steps: list[tuple[int, int, int]] = []  # time, what, number
        self._keys = keys
        self._open: list[Key] = []
        self._call: tuple[Key, int] | None = None  # with the time of its begin

    def take(self, line: list[Key], time: int) -> None:
        """The events of one time. What ends here comes before what begins, whatever their order. Ends of
        calls that are not open belong to calls that begin here as well.
        """
        ends = 0
        for type_, value in line:
            if type_ in CALLS and not value and not self._end_innermost(CALLS, time):
                ends += 1
        for key in line:
            if key[0] == REGION:
                self._take_region(key, time)
            elif key[0] == FUNCTION:
                self._take_function(key, time)
        for key in line:
            if key[0] in CALLS and key[1] and self._call != (key, time):
                self._begin_call(key, time)
                if ends:
                    ends -= 1
                    self._end_innermost(CALLS, time)

    def leave_all(self, place: int, time: int) -> None:
        """From a place on, the innermost first."""
        self.steps.extend((time, LEAVE, self._keys.number(key)) for key in reversed(self._open[place:]))
        del self._open[place:]

    def _begin_call(self, key: Key, time: int) -> None:
        """It ends the one that is open."""
        if self._call is not None:
            self._end_innermost(CALLS, time)
        self._call = (key, time)
        self._enter(key, time)

    def _take_region(self, key: Key, time: int) -> None:
        """A value that is open already ends those within it; any other begins a region."""
        if key[1] and key not in self._open:
            self._enter(key, time)
            return
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] == key:
                return
            if self._open[place][0] == REGION:
                self._leave(place, time)

    def _take_function(self, key: Key, time: int) -> None:
        if key[1]:
            self._enter(key, time)
        else:
            self._end_innermost((FUNCTION,), time)

    def _end_innermost(self, types: Container[int], time: int) -> bool:
        """Whether one of these types is open."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place][0] in types:
                self._leave(place, time)
                return True
        return False

    def _enter(self, key: Key, time: int) -> None:
        self._open.append(key)
        self.steps.append((time, ENTER, self._keys.number(key)))

    def _leave(self, place: int, time: int) -> None:
        """What is within it ends as well, and goes on after it."""
        if self._open[place][0] in CALLS:
            self._call = None
        within = self._open[place + 1 :]
        self.leave_all(place, time)
        for key in within:
            self._enter(key, time)
