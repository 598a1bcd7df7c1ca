"""Calls, regions and messages of one thread as steps that nest, in order of time. Pure functions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

CALLS = range(50000001, 50000006)
REGION = 90000000  # of groma: the value holds until the next one, 0 is none
FUNCTION = 60000019  # of a user, by Extrae: 0 ends the innermost, and what is around it goes on
STEPS = (*CALLS, REGION, FUNCTION)
"""Types of the events that begin and end something."""

Key = tuple[int, int]
"""Type and value of the event that begins a call or a region."""


class Message(NamedTuple):
    """One side of a message: the partner's task, tag and bytes.

    Of a message between applications the partner is a number among the tasks of all of them.
    """

    time: int
    partner: int
    tag: int
    size: int
    leaves_application: bool = False


class Step(NamedTuple):
    """`what` is enter, leave, send or receive."""

    time: int
    what: str
    key: Key | None = None
    message: Message | None = None


class _Call(NamedTuple):
    """Times of a call, and where its steps stand."""

    begin: int
    end: int
    enter: int
    leave: int


def steps_of(events: Iterable[tuple[int, int, int]], end: int) -> list[Step]:
    """Begins and ends of calls and regions, from times, types and values of one thread; all are closed."""
    time_of = itemgetter(0)
    made = _Steps()
    for time, line in groupby(sorted(events, key=time_of), key=time_of):
        made.take([(type_, value) for _, type_, value in line], time)
    made.leave_all(0, end)
    return made.steps


def with_messages(steps: list[Step], sent: list[Message], received: list[Message]) -> list[Step]:
    """Each message at its time: a send after the begin of its call, a receive before the end of its call,
    also where times are equal. A message that lies in no call stands between the steps.
    """
    calls = _calls(steps)
    times = [one.time for one in steps]
    begins, ends = [one.begin for one in calls], [one.end for one in calls]
    before: defaultdict[int, list[Step]] = defaultdict(list)
    for what, messages in (("send", sent), ("receive", received)):
        for one in messages:
            which = _sending(begins, one.time) if what == "send" else bisect_left(ends, one.time)
            place = _place(times, calls[which : which + 1], one.time)
            before[place].append(Step(one.time, what, message=one))
    for group in before.values():
        group.sort(key=attrgetter("time"))
    placed = chain.from_iterable((*before.get(at, ()), one) for at, one in enumerate(steps))
    return [*placed, *before.get(len(steps), ())]


class _Steps:
    """What was begun and ended, and what is open, the outermost first; one call at most."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
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
        self.steps.extend(Step(time, "leave", key) for key in reversed(self._open[place:]))
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
        self.steps.append(Step(time, "enter", key))

    def _leave(self, place: int, time: int) -> None:
        """What is within it ends as well, and goes on after it."""
        if self._open[place][0] in CALLS:
            self._call = None
        within = self._open[place + 1 :]
        self.leave_all(place, time)
        for key in within:
            self._enter(key, time)


def _calls(steps: list[Step]) -> list[_Call]:
    """They follow each other: a thread is in one call at most."""
    found, enter = [], 0
    for at, one in enumerate(steps):
        if one.key is None or one.key[0] not in CALLS:
            continue
        if one.what == "enter":
            enter = at
        else:
            found.append(_Call(steps[enter].time, one.time, enter, at))
    return found


def _sending(begins: list[int], time: int) -> int:
    """The first call that begins then, else the last one that began before."""
    first = bisect_left(begins, time)
    return first if begins[first : first + 1] == [time] else max(0, first - 1)


def _place(times: list[int], call: list[_Call], time: int) -> int:
    """Of a message among the steps: within the call if that lasts then."""
    place = bisect_right(times, time)
    for one in call:
        if one.begin <= time <= one.end:
            return max(one.enter + 1, min(place, one.leave))
    return place
