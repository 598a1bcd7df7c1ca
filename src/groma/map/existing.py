"""A launch file that is there already: the placement in it as a mapping onto the places of a machine."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.map.targets import are_places_apart, places_on_host
from groma.record.counting import counted
from groma.record.reading import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from groma.map.launch_files.formats import LaunchFormat
    from groma.map.launch_files.placement import Numbering, Placement
    from groma.map.place import Place
    from groma.map.topologies import FoundMachine

MOST_BYTES = 64 << 20

WRITE = "write it with: groma map --launch-file FILE"


@dataclass(frozen=True)
class ExistingFile:
    """It may be a pipe, which can be read only once."""

    path: Path
    form: LaunchFormat

    def read(self, numbering: Numbering, hosts: Sequence[str] = ()) -> Placement:
        """On `hosts`, where they are known. Raises GromaError (exit code 2) for a file of another form, or
        for other hosts.
        """
        return self.form.read(self._text, str(self.path), numbering, hosts)

    @cached_property
    def _text(self) -> str:
        try:
            return read_bytes(self.path, MOST_BYTES, WRITE).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise GromaError(f"{self.path} is not text", WRITE) from None


class ExistingMapping(NamedTuple):
    """The place of each rank; `remarks` say what the file leaves open."""

    mapping: list[int]
    remarks: list[str]


def mapping_in(file: ExistingFile, placement: Placement, found: FoundMachine) -> ExistingMapping:
    """The places that ranks of `placement` get on `found`, whose hosts are those of the placement.

    Ranks that are not bound to a place fill their host in the order of the file, after those that are.
    Raises GromaError (exit code 2) for ranks on cores that the machine lacks, on a part of a place alone, or
    without a place of their own.
    """
    free = _FreePlaces(str(file.path), found, placement.hosts)
    ranks = range(len(placement.places))
    is_bound = [bool(found.cores and place.cores) for place in placement.places]
    bound = [rank for rank in ranks if is_bound[rank]]
    loose = [rank for rank in placement.order or ranks if not is_bound[rank]]
    taken = {rank: free.take(rank, placement.places[rank]) for rank in (*bound, *loose)}
    return ExistingMapping(
        [taken[rank] for rank in range(len(taken))], [*_remarks(file.path, placement, found)]
    )


def _remarks(path: Path, placement: Placement, found: FoundMachine) -> list[str]:
    if not are_places_apart(found, len(placement.hosts)):
        return []
    if not found.cores:
        alone = hosts_alone(str(path), found, len(placement.hosts))
        return [f"{alone}: its ranks are taken to fill the places of their host in order"]
    loose = sum(not place.cores for place in placement.places)
    if loose:
        are, their = ("it is", "its") if loose == 1 else ("they are", "their")
        ranks = counted(loose, "rank")
        return [f"{path} does not bind {ranks}: {are} taken to fill the cores of {their} host in order"]
    width = len(found.threads_at(0))
    if any(len(place.cores) > width for place in placement.places):
        return [f"{path} gives ranks several cores: they are taken to be on the first free one"]
    return []


def hosts_alone(file: str, found: FoundMachine, hosts: int) -> str:
    """What is missing in a file for ranks that are not bound."""
    return f"{file} names hosts and none of their {places_on_host(found, hosts)} places"


class _FreePlaces:
    """Places that no rank has yet."""

    def __init__(self, path: str, found: FoundMachine, hosts: Sequence[str]) -> None:
        self.path, self.hosts = path, hosts
        self.each = places_on_host(found, len(hosts))
        self.free = set(found.allowed)
        self.in_order = [deque[int]() for _ in hosts]
        for place in found.allowed:
            self.in_order[place // self.each].append(place)
        self.threads = [found.threads_at(inside) for inside in range(len(found.cores))]
        self.with_thread: dict[int, list[int]] = {}
        for inside, threads in enumerate(self.threads):
            for thread in threads:
                self.with_thread.setdefault(thread, []).append(inside)

    def take(self, rank: int, wanted: Place) -> int:
        place = self._at(rank, wanted) if wanted.cores and self.with_thread else self._any(wanted.host)
        if place is None:
            raise GromaError(
                f"{self.path}: rank {rank} has no place of its own on {self.hosts[wanted.host]}",
                "allow several ranks on each place with --per-place",
            )
        self.free.remove(place)
        return place

    def _at(self, rank: int, wanted: Place) -> int | None:
        """The first free place of which it has all hardware threads."""
        missing = [core for core in wanted.cores if core not in self.with_thread]
        if missing:
            raise GromaError(
                f"{self.path}: rank {rank} is on core {missing[0]}, which ranks of this machine may not use",
                "name the machine that the file is for: PROFILE or --topology",
            )
        within = [*self._within(wanted.cores)]
        if not within:
            raise GromaError(
                f"{self.path}: rank {rank} is not bound to all threads of a team of {len(self.threads[0])}",
                "write a file with the same --threads, or check it without --threads",
            )
        places = (wanted.host * self.each + inside for inside in within)
        return next((place for place in places if place in self.free), None)

    def _within(self, cores: Sequence[int]) -> Iterator[int]:
        """Places of a host all of whose hardware threads are among `cores`."""
        bound = set(cores)
        for core in cores:
            yield from (place for place in self.with_thread[core] if bound.issuperset(self.threads[place]))

    def _any(self, host: int) -> int | None:
        queue = self.in_order[host]
        while queue:
            place = queue.popleft()
            if place in self.free:
                return place
        return None
