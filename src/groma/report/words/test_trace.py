"""What is said of clocks is what is known of them."""

from __future__ import annotations

from groma.report.words.trace import clocks_of_hosts
from groma.trace.merging import HostAlignment

REFERENCE = HostAlignment("a", "reference", 0.0)


def test_the_worst_host_bounds_the_error_of_clocks() -> None:
    hosts = [REFERENCE, HostAlignment("b", "messages", 2e-7), HostAlignment("c", "messages", 3e-6)]
    assert clocks_of_hosts(hosts) == [("clocks of hosts", "aligned to 3 µs")]


def test_nothing_is_said_of_one_clock() -> None:
    assert clocks_of_hosts([REFERENCE]) == []


def test_the_time_of_day_has_no_known_error() -> None:
    ((_, said),) = clocks_of_hosts([REFERENCE, HostAlignment("b", "time of day", 0.0)])
    assert "error is not known" in said
