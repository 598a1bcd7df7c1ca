"""Places for ranks as a mapping sees them: how far they are apart, which links their messages cross.

Places are numbered from 0. Those of a lattice follow the first coordinate, those of a tree its leaves.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from groma.errors import GromaError

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_OF_MATRIX = 8192
"""Places whose distances are a matrix."""


class Machine(ABC):
    """What every kind of machine answers. Arrays of places are broadcast against each other."""

    title: str
    places: int
    has_links: ClassVar[bool] = True

    @abstractmethod
    def words(self) -> list[str]:
        """Its lines in a problem of groma-map."""

    @abstractmethod
    def distances(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        """Between places, element by element."""

    @abstractmethod
    def layers(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        """Names of layers, nearest first, and the layer of each pair."""

    @abstractmethod
    def link_loads(
        self, source: NDArray[np.int64], target: NDArray[np.int64], amount: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Bytes over the capacity of every link; None where no links are known."""

    def groups(self) -> NDArray[np.int64] | None:
        """The group of each place: a switch, a part of a node, a host; None where there are none."""
        return None


@dataclass(frozen=True)
class LatticeMachine(Machine):
    """A torus or mesh of equal links. Packets take one dimension after the other (interconnect.lattice)."""

    shape: tuple[int, ...]
    closed: bool

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{'torus' if self.closed else 'mesh'} {'x'.join(map(str, self.shape))}"

    @property
    def places(self) -> int:  # type: ignore[override]
        return math.prod(self.shape)

    def words(self) -> list[str]:
        return [f"places {'torus' if self.closed else 'mesh'} {' '.join(map(str, self.shape))}"]

    def _where(self, places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        found = []
        for extent in self.shape:
            found.append(places % extent)
            places = places // extent
        return found

    def _steps(self, extent: int, here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.int64]:
        """Signed hops along one dimension; where both ways are as long, in the positive direction."""
        if not self.closed:
            return there - here
        forward = (there - here) % extent
        return np.where(2 * forward <= extent, forward, forward - extent)

    def distances(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        ends = zip(self.shape, self._where(one), self._where(other), strict=True)
        hops = np.zeros(np.broadcast_shapes(one.shape, other.shape))
        for each in ends:
            hops += np.abs(self._steps(*each))
        return hops

    def layers(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        hops = self.distances(one, other).astype(np.int64)
        most = int(hops.max(initial=0))
        names = ["same place", "1 hop", *(f"{count} hops" for count in range(2, most + 1))]
        return names[: most + 1], hops

    def link_loads(
        self, source: NDArray[np.int64], target: NDArray[np.int64], amount: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        loads = np.zeros((len(self.shape), 2, self.places))
        at, stride = source.copy(), 1
        ends = zip(self.shape, self._where(source), self._where(target), strict=True)
        for axis, (extent, here, there) in enumerate(ends):
            steps = self._steps(extent, here, there)
            backward = (steps < 0).astype(np.int64)
            base, now = at - here * stride, here.copy()
            for hop in range(int(np.abs(steps).max(initial=0))):
                moving = np.abs(steps) > hop
                np.add.at(loads[axis], (backward[moving], (base + now * stride)[moving]), amount[moving])
                now = np.where(moving, (now + 1 - 2 * backward) % extent, now)
            at = base + there * stride
            stride *= extent
        return loads.ravel()


@dataclass(frozen=True)
class TreeMachine(Machine):
    """Levels of switches, top first: two places are as far apart as their lowest common ancestor costs.

    The link of a switch to the one above is as fast as that of a place.
    """

    arities: tuple[int, ...]
    costs: tuple[float, ...]

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"tree {'x'.join(map(str, self.arities))}"

    @property
    def places(self) -> int:  # type: ignore[override]
        return math.prod(self.arities)

    def words(self) -> list[str]:
        arities, costs = (" ".join(map(repr, each)) for each in (self.arities, self.costs))
        return [f"places tree {arities} costs {costs}"]

    def _below(self, level: int) -> int:
        """Places below a switch of that level."""
        return math.prod(self.arities[level:])

    def _common(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        """The level of the lowest common ancestor; as many as there are levels for the same place."""
        level = np.zeros(np.broadcast_shapes(one.shape, other.shape), dtype=np.int64)
        for below in map(self._below, range(1, len(self.arities) + 1)):
            level += one // below == other // below
        return level

    def distances(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([*self.costs, 0.0])[self._common(one, other)]

    def layers(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        deepest = len(self.arities)
        names = [f"switch of {self._below(level)} places" for level in reversed(range(deepest))]
        return ["same place", *names], deepest - self._common(one, other)

    def link_loads(
        self, source: NDArray[np.int64], target: NDArray[np.int64], amount: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        loads = []
        for level in range(1, len(self.arities) + 1):
            below = self._below(level)
            up, down = source // below, target // below
            crossing = up != down
            switches = self.places // below
            loads += [np.bincount(ends[crossing], amount[crossing], switches) for ends in (up, down)]
        return np.concatenate(loads)

    def groups(self) -> NDArray[np.int64]:
        """The places of a lowest switch."""
        return np.arange(self.places) // self.arities[-1]


@dataclass(frozen=True, eq=False)
class MatrixMachine(Machine):
    """Places with any distances, as cores with measured latencies.

    `names[layer[p, q]]` says what p and q share; `of_group[p]` numbers the group of p.
    """

    has_links: ClassVar[bool] = False
    name: str
    distance: NDArray[np.float64]
    names: tuple[str, ...]
    layer: NDArray[np.int64]
    of_group: NDArray[np.int64] | None = None

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.name

    @property
    def places(self) -> int:  # type: ignore[override]
        return len(self.distance)

    def words(self) -> list[str]:
        rows = (" ".join(f"{value:.9g}" for value in row) for row in self.distance.tolist())
        return [f"places matrix {self.places}", *rows]

    def distances(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.distance[one, other]

    def layers(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        return list(self.names), self.layer[one, other]

    def link_loads(
        self, source: NDArray[np.int64], target: NDArray[np.int64], amount: NDArray[np.float64]
    ) -> None:
        del source, target, amount

    def groups(self) -> NDArray[np.int64] | None:
        return self.of_group


def copies_of(machine: Machine, times: int) -> MatrixMachine:
    """Every place `times` times, the copies beside each other and at no distance. They are a group.

    Raises GromaError (exit code 2) where their distances do not fit a matrix.
    """
    if machine.places * times > MOST_OF_MATRIX:
        raise GromaError(
            f"{times} ranks on each of {machine.places} places are more than {MOST_OF_MATRIX}",
            "add a level of cores: --topology tree:NODESxCORES",
        )
    node = np.arange(machine.places * times) // times
    one, other = node[:, None], node[None, :]
    names, layer = machine.layers(*np.broadcast_arrays(one, other))
    return MatrixMachine(
        f"{machine.title}, {times} places each", machine.distances(one, other), tuple(names), layer, node
    )
