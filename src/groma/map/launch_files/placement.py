"""What a launch file says, in words that no launcher owns, and the numbers by which launchers name cores.

Logical and physical numbers are the classic mistake. A `Place` has logical ids of hardware threads. Open MPI
counts logically as well, Hydra and Slurm take the numbers of the kernel.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.record.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.map.place import Place
    from groma.record.topology import Topology


class Placement(NamedTuple):
    """The place of every rank, in the order of ranks. `Place.host` counts `hosts`. `order` has the ranks as a
    file names them: so their processes fill a host where it does not bind them. Empty: ascending.
    """

    hosts: tuple[str, ...]
    places: tuple[Place, ...]
    order: tuple[int, ...] = ()

    def on_hosts(self) -> list[list[int]]:
        """The ranks of each host, ascending: launchers number the ranks of a node in this order."""
        ranks: list[list[int]] = [[] for _ in self.hosts]
        for rank, place in enumerate(self.places):
            ranks[place.host].append(rank)
        return ranks

    @property
    def is_bound(self) -> bool:
        """Whether every rank has cores of its own choice."""
        return all(place.cores for place in self.places)

    def host_of(self, rank: int) -> str:
        return self.hosts[self.places[rank].host]


def placement_of(hosts: Sequence[str], places: Sequence[Place]) -> Placement:
    """Raises GromaError (exit code 2) for hosts that are missing or named twice, or ranks bound in part."""
    twice = [name for name, count in Counter(hosts).items() if count > 1]
    if twice:
        raise GromaError(f"host {twice[0]} is listed twice", "list every host once")
    needed = 1 + max((place.host for place in places), default=-1)
    if needed > len(hosts):
        raise GromaError(
            f"the mapping needs {counted(needed, 'host')}, but {len(hosts)} "
            f"{'is' if len(hosts) == 1 else 'are'} known",
            "name all of them with --hostfile",
        )
    if len({bool(place.cores) for place in places}) > 1:
        raise GromaError("some ranks have cores and others have none", "map all ranks by the same profile")
    return Placement(tuple(hosts), tuple(places))


class Numbering:
    """Numbers of the hardware threads of one node, from and to logical ids.

    Positions count those that are `visible` to a launcher inside a container or a job: by default all that no
    control group forbids. So do hwloc and Open MPI, while the kernel's numbers are always the same.
    """

    def __init__(self, topology: Topology, visible: Iterable[int] | None = None) -> None:
        every = {one.logical for one in topology.cores}
        seen = every.difference(topology.forbidden) if visible is None else set(visible)
        self.threads = [one for one in topology.cores if one.logical in seen]
        self.hides_package = {one.package for one in topology.cores} > set(self.packages())
        self.physical = {one.logical: one.physical for one in topology.cores}
        self.logical = {one.physical: one.logical for one in topology.cores}

    @property
    def has_siblings(self) -> bool:
        """Whether a physical core has several hardware threads."""
        return len({one.core for one in self.threads}) < len(self.threads)

    def kernel_numbers(self, cores: Iterable[int]) -> list[int]:
        """Raises GromaError (exit code 2) for a core that is not there."""
        return sorted(self._found(self.physical, cores))

    def from_kernel(self, numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(self._found(self.logical, numbers)))

    def positions(self, cores: Iterable[int]) -> list[int]:
        """Counted from 0 over the visible hardware threads, in logical order."""
        place = {one.logical: at for at, one in enumerate(self.threads)}
        return sorted(self._found(place, cores))

    def at_positions(self, positions: Iterable[int]) -> tuple[int, ...]:
        return tuple(self._found({at: one.logical for at, one in enumerate(self.threads)}, positions))

    def of_physical_cores(self, cores: Iterable[int], package: int | None = None) -> tuple[int, ...]:
        """All hardware threads of physical cores, counted from 0 over the node or one package."""
        inside = [one for one in self.threads if package is None or one.package == package]
        wanted = set(self._found(dict(enumerate(self.physical_cores(package))), cores))
        return tuple(one.logical for one in inside if one.core in wanted)

    def physical_cores(self, package: int | None = None) -> list[int]:
        """Of the node or one package, in logical order."""
        inside = (one for one in self.threads if package is None or one.package == package)
        return list(dict.fromkeys(one.core for one in inside))

    def packages(self) -> list[int]:
        """Packages in logical order."""
        return list(dict.fromkeys(one.package for one in self.threads))

    def _found(self, numbers: dict[int, int], wanted: Iterable[int]) -> list[int]:
        asked = list(wanted)
        missing = [one for one in asked if one not in numbers]
        if missing:
            raise GromaError(
                f"core {missing[0]} is not one of the {len(numbers)} that can be used",
                "map with a profile of this machine",
            )
        return [numbers[one] for one in asked]
