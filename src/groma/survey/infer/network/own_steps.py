"""Groups of one level of which each adds its own step: leaf switches of two kinds, racks with long cables.

What the way out of a group adds is in the effects of its nodes. A message within the group has these effects
and not the way: it is nearer by the step of the group. Steps of single groups show where at least three
groups have pairs; of two, the effects of nodes explain the difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.survey.infer.network.likelihoods import LEAST_SCATTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.network.likelihoods import Latencies

    Matrix = NDArray[np.float64]
    Values = NDArray[np.float64]

FEWEST_GROUPS = 3
FAINT = 0.25
"""Of the mean step of a level."""
CLEAR = 3.0
"""Standard errors."""
SINGULAR = 1e-9
"""Relative: smaller eigenvalues are 0, as where the effects of nodes explain what a step does."""


class OwnSteps(NamedTuple):
    """The step of each group of each level, in medians of latency, with its standard error; the sum of
    squares that they leave, and how many of them can be told apart.
    """

    of_levels: tuple[Values, ...]
    errors: tuple[Values, ...]
    left: float
    free: int

    @property
    def part_all(self) -> bool:
        """Whether each group is one: a much smaller step than the mean says that it is none."""
        return all(float((steps - _faint(steps)).min(initial=np.inf)) > 0 for steps in self.of_levels)

    @property
    def may_part_all(self) -> bool:
        """Whether no group clearly has so small a step."""
        return all(
            float((steps + CLEAR * error - _faint(steps)).min(initial=np.inf)) > 0
            for steps, error in zip(self.of_levels, self.errors, strict=True)
        )


def _faint(steps: Values) -> float:
    return FAINT * abs(float(steps.mean()))


class _Columns(NamedTuple):
    """The column of each pair that is within a group of this level, else -1; a column has one step.

    `of_groups` is the column of each group, -1 for one without pairs.
    """

    of_pairs: NDArray[np.intp]
    of_groups: NDArray[np.intp]
    width: int


def may_have_own_steps(latencies: Latencies, group_of: Sequence[int]) -> bool:
    """Whether enough of these groups have pairs."""
    return _columns(latencies, group_of, has_own=True).width >= FEWEST_GROUPS


def own_steps(latencies: Latencies, levels: Sequence[tuple[Sequence[int], bool]]) -> OwnSteps:
    """The fit of the steps of levels: the group of each node, and whether each group has its own step.

    A group without pairs has the mean step of its level.
    """
    if not levels:
        return OwnSteps((), (), float(latencies.rest @ latencies.rest), 0)
    columns = [_columns(latencies, group_of, has_own) for group_of, has_own in levels]
    counts = [one.width for one in columns]
    ends = np.cumsum(counts)
    numbered = [
        np.where(one.of_pairs < 0, -1, one.of_pairs + end - one.width)
        for one, end in zip(columns, ends, strict=True)
    ]
    products, explains = _normal_equations(latencies, numbered, int(ends[-1]))
    powers, directions = np.linalg.eigh(products)
    known = powers > SINGULAR * float(powers.max(initial=0.0))
    inverse = (directions[:, known] / powers[known]) @ directions[:, known].T
    is_unknown = (directions[:, ~known] ** 2).sum(axis=1) > SINGULAR
    steps, free = inverse @ explains, int(known.sum())
    left = max(0.0, float(latencies.rest @ latencies.rest) - float(steps @ explains))
    errors = np.sqrt(_variance_of(latencies, left, free) * np.maximum(np.diag(inverse), 0.0))
    of_columns = (steps, np.where(is_unknown, np.inf, errors))
    of_levels, their_errors = (
        tuple(map(_of_groups, columns, np.split(values, ends[:-1]))) for values in of_columns
    )
    return OwnSteps(of_levels, their_errors, left, free)


def _variance_of(latencies: Latencies, left: float, free: int) -> float:
    """Of a pair, when a fit of so many steps leaves this sum of squares."""
    freedom = max(1, latencies.pairs - len(latencies.between) - free)
    return left / freedom + LEAST_SCATTER**2


def _columns(latencies: Latencies, group_of: Sequence[int], has_own: bool) -> _Columns:
    groups = np.asarray(group_of, dtype=np.intp)
    rows, columns = groups[latencies.effects.rows], groups[latencies.effects.columns]
    together = rows == columns
    number = np.full(int(groups.max()) + 1, -1, dtype=np.intp)
    with_pairs = np.unique(rows[together])
    number[with_pairs] = np.arange(len(with_pairs)) if has_own else 0
    return _Columns(np.where(together, number[rows], -1), number, int(number.max()) + 1)


def _of_groups(columns: _Columns, steps: Values) -> Values:
    if not len(steps):
        return np.zeros(len(columns.of_groups))
    return np.where(columns.of_groups < 0, steps.mean(), steps[columns.of_groups])


def _normal_equations(
    latencies: Latencies, columns: Sequence[NDArray[np.intp]], count: int
) -> tuple[Matrix, Values]:
    """Products of all columns with each other and with the rests, after the effects of nodes. The value of a
    pair is -1 where it is within the group.
    """
    effects, nodes = latencies.effects, len(latencies.between)
    products, sums = np.zeros((count, count)), np.zeros((nodes, count))
    explains = np.zeros(count)
    for one in columns:
        within = one >= 0
        explains -= np.bincount(one[within], latencies.rest[within], count)
        for ends in (effects.rows, effects.columns):
            sums += np.bincount(ends[within] * count + one[within], minlength=nodes * count).reshape(
                nodes, count
            )
        for other in columns:
            both = within & (other >= 0)
            products += np.bincount(one[both] * count + other[both], minlength=count**2).reshape(count, count)
    return products - effects.explained(sums), explains
