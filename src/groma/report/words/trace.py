"""What is said of a trace, in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNKNOWN = "time of day"


class HostClock(Protocol):
    @property
    def aligned_by(self) -> str: ...
    @property
    def error(self) -> float:
        """A bound, in s."""


def clocks_of_hosts(hosts: Sequence[HostClock]) -> list[tuple[str, str]]:
    """A line about how well the clocks of several hosts agree. The time of day has no known error."""
    if len(hosts) < 2:
        return []
    if any(one.aligned_by == _UNKNOWN for one in hosts):
        return [("clocks of hosts", "aligned by their time of day: the error is not known")]
    return [("clocks of hosts", f"aligned to {format_value(max(one.error for one in hosts), 's')}")]
