"""What a launch under a mapping showed: where every rank ran, and what the mapping gained."""

from __future__ import annotations

import re

import msgspec

from groma.record import Quantity


class PlacedRank(msgspec.Struct, frozen=True, kw_only=True):
    """One rank as planned and as found. `cpus` are numbers of the kernel; none planned: any of the host."""

    rank: int
    host: str
    cpus: list[int]
    planned_host: str
    planned_cpus: list[int]

    @property
    def is_as_planned(self) -> bool:
        """Whether it runs where the mapping says. Host names are compared without their domain."""
        same_host = _without_domain(self.host) == _without_domain(self.planned_host)
        return same_host and (not self.planned_cpus or self.cpus == self.planned_cpus)


def _without_domain(host: str) -> str:
    """Addresses have none."""
    return host if re.fullmatch(r"[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*", host) else host.partition(".")[0]


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """Where a launch with the file put every rank. `command` is that of the launch."""

    command: str
    ranks: list[PlacedRank]

    @property
    def misplaced(self) -> list[PlacedRank]:
        return [one for one in self.ranks if not one.is_as_planned]


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """Time of one iteration of `kernel` under the launcher's default and under the mapping, and its ratio.

    A sample is the median of one launch; launches of both kinds took turns. `gain` above 1: the mapping is
    faster. `default_hosts` is the host of each rank as the launcher placed it by itself.
    """

    kernel: str
    launches: int
    default: Quantity
    mapped: Quantity
    gain: Quantity
    default_command: str
    mapped_command: str
    default_hosts: list[str]
