"""Which knees of a curve are caches: the most plausible interpretation of a decomposition.

Each knee either opens a cache level, carries on the rise of the one before it, or is explained away: a TLB
step, a page walk, the list code at a few KiB. All interpretations are weighed by what is known of machines
of the last thirty years: how large a level may be, by how much the next plateau is higher, how far beyond
the first level's latency a third cache or memory lies. Everything is relative to the first plateau, so the
unit and the clock do not matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.knees import Knee

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.survey.infer.knees import Decomposition


@dataclass(frozen=True)
class Level:
    """A cache: `before` is its own latency plateau, `after` that of what lies beyond it.

    `first` marks the innermost level.
    """

    knees: tuple[Knee, ...]
    before: float
    after: float
    first: bool = False

    @property
    def log2_size(self) -> float:
        """Centre of the rise, its knees weighed by height."""
        return _centre(self.knees)

    @property
    def left_at(self) -> float:
        """Centre of the part of the rise that says where the level ends."""
        return _centre(self._own_knees)

    @property
    def behind(self) -> float:
        """Latency of what lies right behind: of all, unless a part of the rise stands well apart."""
        own = self._own_knees
        return self.after if own == self.knees else self.before + sum(knee.rise for knee in own)

    @property
    def _own_knees(self) -> tuple[Knee, ...]:
        """Those before a part of the rise that stands well apart.

        That part may be another cache whose plateau melted away, and says nothing about where this one ends.
        Behind a first level there is always a plateau to be seen.
        """
        for i, (inner, outer) in enumerate(pairwise(self.knees), start=1):
            if not self.first and outer.log2_size - inner.log2_size >= _APART:
                return self.knees[:i]
        return self.knees


@dataclass(frozen=True)
class Step:
    """A rise that is not taken for a cache: where it begins and by which factor the latency grows.

    `before` is the plateau below it, relative to the first level as those of levels are.
    """

    log2_size: float
    ratio: float
    before: float = math.nan

    def as_level(self) -> Level:
        """The level that it would be if it were a cache."""
        after = self.ratio * self.before
        return Level((Knee(self.log2_size, after - self.before),), self.before, after)


@dataclass(frozen=True)
class TlbReach:
    """A reach measured elsewhere, and by how much a miss raises the latency; nobody knows how much if inf."""

    log2_size: float
    cost: float = math.inf

    def explains(self, step: Step) -> bool:
        near = abs(step.log2_size - self.log2_size) <= _REACH_SLACK
        return near and (step.ratio - 1.0) * step.before <= _COST_SLACK * self.cost


@dataclass(frozen=True)
class Interpretation:
    """One interpretation of a curve with its log-probability up to a constant and the fit's relative misfit.

    `independent` says that the loads went to addresses drawn anew each time.
    """

    levels: tuple[Level, ...]
    steps: tuple[Step, ...]
    score: float
    misfit: float
    independent: bool


@dataclass(frozen=True)
class Range:
    """Plausible values: free inside, a Gaussian outside, of width `slack` below and `above` beyond `high`."""

    low: float
    high: float
    slack: float
    above: float = math.nan  # as `slack` unless given

    def score(self, value: float) -> float:
        above = self.slack if math.isnan(self.above) else self.above
        outside = max((self.low - value) / self.slack, 0.0, (value - self.high) / above)
        return -0.5 * outside * outside


@dataclass(frozen=True)
class Expectation:
    """`size` in log2 bytes; `climb` and `next_cache` are natural logarithms of latency ratios.

    `climb` is the plateau after over the plateau before the level, `next_cache` the plateau after it over the
    first level's latency where another cache follows. `rarity` is what claiming the level costs.
    """

    size: Range
    climb: Range
    next_cache: Range
    rarity: float


def _centre(knees: Sequence[Knee]) -> float:
    if len(knees) == 1:
        return knees[0].log2_size
    return sum(knee.log2_size * knee.rise for knee in knees) / sum(knee.rise for knee in knees)


def _ratio(low: float, high: float, slack: float, above: float = math.nan) -> Range:
    return Range(math.log(low), math.log(high), slack, above)


# L1: 8 KiB (Pentium 4) to 192 KiB. L2: 64 KiB to 24 MiB (clusters). L3: 0.5 MiB to 128 MiB, shares in guests.
# A low climb behind L1 resembles a TLB step, a high one nothing else: from small in-order cores, L2 is up to
# 20 times as far as L1.
EXPECTED = (
    Expectation(Range(14.0, 17.0, 0.5), _ratio(2.4, 9.0, 0.12, 0.25), _ratio(2.4, 7.5, 0.2, 0.25), 1.0),
    Expectation(Range(17.5, 23.5, 1.0), _ratio(2.5, 22.0, 0.2), _ratio(9.0, 50.0, 0.2), 1.0),
    Expectation(Range(20.0, 26.6, 0.7), _ratio(2.2, 20.0, 0.15), _ratio(20.0, 80.0, 0.25), 1.5),
    Expectation(Range(25.0, 28.0, 0.5), _ratio(1.8, 3.0, 0.15), _ratio(40.0, 200.0, 0.25), 4.0),
)
WITHOUT_TLB = (
    Expectation(EXPECTED[0].size, _ratio(2.0, 9.0, 0.12, 0.25), _ratio(1.9, 7.5, 0.2, 0.25), 1.0),
    Expectation(EXPECTED[1].size, _ratio(1.6, 22.0, 0.15), _ratio(3.5, 50.0, 0.2), 1.0),
    Expectation(EXPECTED[2].size, _ratio(1.6, 20.0, 0.15), _ratio(10.0, 80.0, 0.25), 1.5),
    Expectation(Range(22.5, 28.0, 0.5), _ratio(1.5, 12.0, 0.15), EXPECTED[3].next_cache, 3.0),
)
"""Where no TLB misses, a low climb is no TLB step, so more kinds of levels can be told: small second levels
right behind the first, and third ones that are followed by a fourth.
"""

MEMORY = _ratio(18.0, 300.0, 0.3)
"""Memory over first level, from prefetch-friendly old machines to fast cores with slow memory."""

_ENDS_IN_A_CACHE = 6.0
"""The most that it costs not to reach memory: no TLB step of a short curve becomes a cache to get there."""

_FEWEST_BEYOND = 2
_ONE_POINT = 12.0
"""What it costs that one point alone lies behind the only level: a disturbance makes such a point."""

TLB_STEP = _ratio(1.0, 1.25, 0.25)
"""A first-level TLB miss adds 4 to 10 cycles to a second level of 10 to 25."""

_NO_TLB_STEP = _ratio(1.0, 1.2, 0.12)
"""Within one level: farther slices, open rows, what other cores take of a shared cache."""

LIST_CODE = _ratio(0.5, 1.3, 0.25)
_LIST_CODE_LOG2 = 13.2
_INSIDE_FIRST = _ratio(0.5, 1.05, 0.1)
_SEPARATION = Range(1.3, 64.0, 0.3)  # octaves between the end of one level's rise and the next
_SECOND_APART = 0.9  # octaves from the first level's rise: every second one holds twice as much, also in sum
_ONE_RISE = Range(0.0, 0.9, 0.4)  # octaves between neighbouring knees of one level
_WIDEST_RISE = 2.0
_APART = 1.0  # octaves between knees that probably belong to two caches
_REACH_SLACK = 0.4  # octaves around a measured reach in which a step is expected
_COST_SLACK = 2.0  # a miss costs more where the entry of the page table is in no near cache either
_NOTHING_FOUND = 20.0


@dataclass(frozen=True)
class Translation:
    """What is known of address translation: `reaches` of first-level TLBs with the pages of the curve, their
    costs in the unit of the decomposition, and the size (log2 bytes) below which no TLB misses.
    """

    reaches: Sequence[TlbReach] = ()
    none_below: float = -math.inf

    def explains(self, step: Step) -> bool:
        return any(reach.explains(step) for reach in self.reaches)

    def excludes(self, log2_size: float) -> bool:
        return log2_size < self.none_below - _REACH_SLACK


def interpretations(decomposition: Decomposition, translation: Translation) -> Iterator[Interpretation]:
    """Every admissible interpretation of the decomposition."""
    plateaus = decomposition.plateaus()
    for roles in _roles(decomposition.knees):
        yield _interpretation(decomposition, plateaus, roles, translation)


_STEP_ROLE, _OPENS, _JOINS = range(3)


def _roles(knees: tuple[Knee, ...]) -> Iterator[tuple[int, ...]]:
    """All assignments of roles with at most four levels, joins only to a level that is still rising."""

    def extend(roles: tuple[int, ...], opened: int, start: float | None) -> Iterator[tuple[int, ...]]:
        if len(roles) == len(knees):
            yield roles
            return
        at = knees[len(roles)].log2_size
        yield from extend((*roles, _STEP_ROLE), opened, None)
        if opened < len(EXPECTED) and not (opened == 1 and at - _end(knees, roles) < _SECOND_APART):
            yield from extend((*roles, _OPENS), opened + 1, at)
        if start is not None and at - start <= _WIDEST_RISE:
            yield from extend((*roles, _JOINS), opened, start)

    yield from extend((), 0, None)


def _end(knees: tuple[Knee, ...], roles: tuple[int, ...]) -> float:
    """Where (log2 bytes) the last knee of a level is."""
    return max(knee.log2_size for knee, role in zip(knees, roles, strict=False) if role != _STEP_ROLE)


def _interpretation(
    decomposition: Decomposition, plateaus: list[float], roles: tuple[int, ...], translation: Translation
) -> Interpretation:
    levels = _levels(decomposition.knees, plateaus, roles)
    steps = tuple(
        Step(knee.log2_size, above / below, below)
        for knee, role, (below, above) in zip(decomposition.knees, roles, pairwise(plateaus), strict=True)
        if role == _STEP_ROLE
    )
    score = (
        _levels_score(levels, plateaus, translation)
        + _steps_score(steps, levels, translation)
        - decomposition.cost
    )
    if len(levels) == 1 and _points_beyond(levels[0], decomposition) < _FEWEST_BEYOND:
        score -= _ONE_POINT
    return Interpretation(levels, steps, score, decomposition.misfit, decomposition.independent)


def _points_beyond(level: Level, decomposition: Decomposition) -> int:
    """Sizes whose latency is nearer to that behind a level than to its own."""
    return int(np.count_nonzero(decomposition.fitted > (level.before + level.after) / 2.0))


def _levels(knees: tuple[Knee, ...], plateaus: list[float], roles: tuple[int, ...]) -> tuple[Level, ...]:
    levels: list[Level] = []
    for i, (knee, role) in enumerate(zip(knees, roles, strict=True)):
        if role == _OPENS:
            levels.append(Level((knee,), plateaus[i], plateaus[i + 1], first=not levels))
        elif role == _JOINS:
            risen = levels.pop()
            levels.append(Level((*risen.knees, knee), risen.before, plateaus[i + 1], first=risen.first))
    return tuple(levels)


def _levels_score(levels: tuple[Level, ...], plateaus: list[float], translation: Translation) -> float:
    if not levels:
        return -_NOTHING_FOUND * min(1.0, math.log(plateaus[-1] / plateaus[0]))
    first = levels[0].before
    score = max(MEMORY.score(math.log(levels[-1].after / first)), -_ENDS_IN_A_CACHE)
    expectations = [
        WITHOUT_TLB[i] if translation.excludes(level.log2_size) else EXPECTED[i]
        for i, level in enumerate(levels)
    ]
    for level, expected in zip(levels, expectations, strict=True):
        score -= expected.rarity
        score += sum(_ONE_RISE.score(b.log2_size - a.log2_size) for a, b in pairwise(level.knees))
        climb = math.log(level.after / level.before)
        if len(levels) == 1 and not _holds_another(level):  # to memory, however far that is
            climb = min(climb, expected.climb.high)
        score += expected.size.score(level.log2_size) + expected.climb.score(climb)
    for (inner, outer), expected in zip(pairwise(levels), expectations, strict=False):
        # A step may lie between the two plateaus; one of them must look like that of a cache.
        plateaus_between = (inner.after, outer.before)
        score += max(expected.next_cache.score(math.log(plateau / first)) for plateau in plateaus_between)
        score += _SEPARATION.score(outer.knees[0].log2_size - inner.knees[-1].log2_size)
    return score


def _holds_another(level: Level) -> bool:
    """Whether a part of the rise of a first level may be the end of a second one."""
    return any(outer.log2_size - inner.log2_size >= _SECOND_APART for inner, outer in pairwise(level.knees))


def _steps_score(steps: tuple[Step, ...], levels: tuple[Level, ...], translation: Translation) -> float:
    return sum(_step_score(step, levels, translation) for step in whole(steps))


def whole(steps: Sequence[Step]) -> Iterator[Step]:
    """A soft rise may be several knees: each by itself is low enough for a TLB, the rise may not be."""
    last: Step | None = None
    end = -math.inf
    for step in steps:
        goes_on = last is not None and math.isclose(step.before, last.before * last.ratio, rel_tol=1e-9)
        if last is not None and goes_on and step.log2_size - end <= _ONE_RISE.high:
            last = replace(last, ratio=last.ratio * step.ratio)
        else:
            if last is not None:
                yield last
            last = step
        end = step.log2_size
    if last is not None:
        yield last


def _step_score(step: Step, levels: tuple[Level, ...], translation: Translation) -> float:
    if translation.explains(step):
        return 0.0
    height = math.log(step.ratio)
    if levels and step.log2_size < levels[0].knees[0].log2_size:
        return (LIST_CODE if step.log2_size <= _LIST_CODE_LOG2 else _INSIDE_FIRST).score(height)
    return (_NO_TLB_STEP if translation.excludes(step.log2_size) else TLB_STEP).score(height)
