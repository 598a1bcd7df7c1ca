"""The lowest of many weights of which one changes at a time, without a look at all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SAME_WEIGHT = 1e-9
"""Sums of the same weights in another order differ by less."""

_NONE_THERE = float("inf")


def lowest(weights: Sequence[float], start: int = 0) -> int:
    """Each weight in turn takes the place of the one at `start` if it is lower by more than rounding."""
    best = start
    for index, weight in enumerate(weights):
        if weight < weights[best] - SAME_WEIGHT:
            best = index
    return best


class LowestWeight:
    """What `lowest` finds of weights that are all 0 at first, as the found one changes.

    A change leaves what `lowest` finds before the changed weight as it was. So the search goes on from there.
    A tree of the least weights of ranges finds the next lower one.
    """

    def __init__(self, count: int) -> None:
        self._size = 1 << (count - 1).bit_length()
        leaves = [0.0] * count + [_NONE_THERE] * (self._size - count)
        self._least = [0.0] * self._size + leaves
        for node in range(self._size - 1, 0, -1):
            self._take_least(node)
        self._found = [0]

    @property
    def index(self) -> int:
        return self._found[-1]

    def change(self, weight: float) -> None:
        """The lowest one weighs so much now."""
        changed = self.index
        self._set(changed, weight)
        if len(self._found) > 1 and weight >= self._bound(self._found[-2]):
            self._found.pop()
        lower = self._first_lower(changed, self._bound(self.index))
        while lower is not None:
            self._found.append(lower)
            lower = self._first_lower(lower, self._bound(lower))

    def _bound(self, index: int) -> float:
        return self._least[self._size + index] - SAME_WEIGHT

    def _set(self, index: int, weight: float) -> None:
        node = self._size + index
        self._least[node] = weight
        while node > 1:
            node //= 2
            self._take_least(node)

    def _take_least(self, node: int) -> None:
        self._least[node] = min(self._least[2 * node : 2 * node + 2])

    def _first_lower(self, after: int, bound: float) -> int | None:
        """The first one behind `after` that weighs less than `bound`."""
        node = self._size + after
        while node > 1:
            if node % 2 == 0 and self._least[node + 1] < bound:
                return self._first_within(node + 1, bound)
            node //= 2
        return None

    def _first_within(self, node: int, bound: float) -> int:
        while node < self._size:
            node = 2 * node if self._least[2 * node] < bound else 2 * node + 1
        return node - self._size
