"""Groups of things (cores, ranks) that have mostly the same partners."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Booleans = NDArray[np.bool_]
    Labels = NDArray[np.intp]

_ALIKE = 0.55
"""Above a half: of four sockets on a ring two neighbours have half of their partners in common."""

_SPARSE = 0.05
"""Share of known pairs below which counting common partners one by one is faster than a product."""


class Grouping(NamedTuple):
    """`label` is the group of each thing: the index of its first member.

    `agreement` is 1 where pairs are partners exactly where both are in one group, `coverage` the share of
    things that are in a group of several.
    """

    label: Labels
    agreement: float
    coverage: float

    def groups(self) -> list[list[int]]:
        """Groups of two and more, by their first member."""
        return _groups(self.label)

    @property
    def divides(self) -> bool:
        """Whether there are several groups, and one of several things."""
        return self.coverage > 0.0 and len(np.unique(self.label)) > 1


def grouped(partners: Booleans, known: Booleans) -> Grouping:
    """Partners are in one group if well over half of their partners are common, themselves counted.

    `partners` and `known` (which pairs were looked at) are symmetric; the diagonal does not matter. A few
    wrong or missing pairs neither join groups nor part them.
    """
    first, second = _alike(partners, known)
    joined = partners[first, second]
    label = _components(len(known), first[joined], second[joined])
    one, other = np.nonzero(np.triu(known, 1))
    same, fast = label[one] == label[other], partners[one, other]
    either, agreed = int((same | fast).sum()), int((same & fast).sum())
    sizes = np.bincount(label, minlength=len(label))[label]
    return Grouping(label, agreed / either if either else 0.0, float((sizes > 1).mean()))


def with_common_partners(partners: Booleans, known: Booleans) -> list[list[int]]:
    """Groups of two and more things that have mostly the same partners, whether or not each other."""
    label = _components(len(known), *_alike(partners, known))
    return _groups(label)


def _groups(label: Labels) -> list[list[int]]:
    members: dict[int, list[int]] = {}
    for index, one in enumerate(label.tolist()):
        members.setdefault(one, []).append(index)
    return [group for group in members.values() if len(group) > 1]


def _alike(partners: Booleans, known: Booleans) -> tuple[Labels, Labels]:
    """Both ends of the pairs that are alike by Jaccard's index over the columns that both rows know."""
    itself = np.eye(len(known), dtype=bool)
    seen = known | itself
    fast = (partners & seen) | itself
    return _alike_of_few(fast, seen) if seen.mean() < _SPARSE else _alike_of_many(fast, seen)


def _alike_of_many(fast: Booleans, seen: Booleans) -> tuple[Labels, Labels]:
    one, of_both = fast.astype(np.float32), seen.astype(np.float32)
    common = one @ one.T
    either = one @ of_both.T
    first, second = np.nonzero(common > _ALIKE * (either + either.T - common))
    return first, second


def _alike_of_few(fast: Booleans, seen: Booleans) -> tuple[Labels, Labels]:
    """The same by counting: each column adds to the pairs of rows that have it."""
    things = len(seen)
    common, count = np.unique(_pairs_of_rows(fast, fast), return_counts=True)
    having, known = np.unique(_pairs_of_rows(fast, seen), return_counts=True)
    first, second = np.divmod(common, things)
    either = known[np.searchsorted(having, common)]  # what has a column in common knows it
    turned = known[np.searchsorted(having, second * things + first)]
    alike = count > _ALIKE * (either + turned - count)
    return first[alike], second[alike]


def _pairs_of_rows(one: Booleans, other: Booleans) -> Labels:
    """For each column every row of `one` with every row of `other` that has it: row · rows + other row."""
    rows = len(one)
    pairs = [
        np.add.outer(np.flatnonzero(left) * rows, np.flatnonzero(right)).ravel()
        for left, right in zip(one.T, other.T, strict=True)
    ]
    return np.concatenate(pairs)


def _components(things: int, one: Labels, other: Labels) -> Labels:
    """The smallest index of each component that the linked pairs connect, by spreading labels."""
    label = np.arange(things)
    while True:
        spread = label.copy()
        np.minimum.at(spread, one, label[other])
        spread = spread[spread]
        if (spread == label).all():
            return label
        label = spread
