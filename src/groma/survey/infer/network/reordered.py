"""An interconnect whose nodes are in another order than its sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.interconnect.base import Interconnect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Link


@dataclass(frozen=True)
class Reordered(Interconnect):
    """Node i is at `sites[i]` of an interconnect in order."""

    ordered: Interconnect
    sites: tuple[int, ...]

    @property
    def kind(self) -> str:
        return self.ordered.kind

    def path(self, source: int, target: int) -> list[Link]:
        return self.ordered.path(self.sites[source], self.sites[target])

    def hops(self) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.ordered.hops()[np.ix_(self.sites, self.sites)]
        return found

    def capacity(self, link: Link) -> float:
        return self.ordered.capacity(link)


def reordered(ordered: Interconnect, sites: Sequence[int]) -> Reordered:
    """The interconnect with node i at `sites[i]`."""
    return Reordered(ordered.nodes, ordered.shape, ordered, tuple(sites))
