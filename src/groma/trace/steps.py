"""Calls, regions and messages of one thread as steps that nest, in order of time. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

CALLS = range(50000001, 50000006)
FUNCTION = 60000019  # of a user, by Extrae

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


def steps_in(rows: Integers, keys: Keys) -> Steps:
    """Of one thread, from its rows of kind `steps`."""
    _, times, ends, types, values = rows.T
    return Steps(times, np.where(ends == 0, ENTER, LEAVE), keys.numbers(types, values))


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
