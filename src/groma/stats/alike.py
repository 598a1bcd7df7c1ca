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
        members: dict[int, list[int]] = {}
        for index, label in enumerate(self.label.tolist()):
            members.setdefault(label, []).append(index)
        return [group for group in members.values() if len(group) > 1]

    @property
    def divides(self) -> bool:
        """Whether there are several groups, and one of several things."""
        return self.coverage > 0.0 and len(np.unique(self.label)) > 1


def grouped(partners: Booleans, known: Booleans) -> Grouping:
    """Things are in one group if well over half of their partners are common, themselves counted.

    `partners` and `known` (which pairs were looked at) are symmetric; the diagonal does not matter. A few
    wrong or missing pairs neither join groups nor part them.
    """
    label = _components(_alike(partners, known))
    same = label[:, None] == label[None, :]
    both = np.triu(known, 1)
    either = int((both & (same | partners)).sum())
    agreed = int((both & same & partners).sum())
    sizes = np.bincount(label, minlength=len(label))[label]
    return Grouping(label, agreed / either if either else 0.0, float((sizes > 1).mean()))


def _alike(partners: Booleans, known: Booleans) -> Booleans:
    """By Jaccard's index over the columns that both rows know."""
    seen = known | np.eye(len(known), dtype=bool)
    one = (partners & seen | np.eye(len(known), dtype=bool)).astype(np.float32)
    of_both = seen.astype(np.float32)
    common = one @ one.T
    either = one @ of_both.T
    union = either + either.T - common
    return np.asarray(common > _ALIKE * union)


def _components(linked: Booleans) -> Labels:
    """The smallest index of each connected component, by spreading labels."""
    label = np.arange(len(linked))
    while True:
        spread = np.where(linked, label[None, :], len(label)).min(axis=1)
        spread = np.minimum(spread, label)
        spread = spread[spread]
        if (spread == label).all():
            return label
        label = spread
