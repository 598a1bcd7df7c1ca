"""Histograms of the bandwidth of calls."""

from __future__ import annotations

import msgspec
import pytest

from groma.trace.bandwidths import bandwidths, histogram, receiving_calls
from groma.trace.infer import trace_facts
from groma.trace.sums import BandwidthBin, CallSum, Label, Thread, TraceSums

P2P = 50000001
RECV, WAITANY = 2, 59


@pytest.fixture
def sums() -> TraceSums:
    return TraceSums(
        created="",
        duration=1000,
        threads=[Thread(0, 0, 0, 0)],
        states=[],
        calls=[
            CallSum(0, P2P, RECV, 3, 9, 3, 3, 30, 3, 9, 0, 0),
            CallSum(0, P2P, WAITANY, 3, 9, 3, 3, 60, 3, 9, 0, 0),
        ],
        bandwidths=[
            BandwidthBin(P2P, RECV, 0, 1, 5),
            BandwidthBin(P2P, RECV, 4, 2, 7),
            BandwidthBin(P2P, RECV, 7, 1, 3),
            BandwidthBin(P2P, RECV, 1000, 9, 1),
            BandwidthBin(P2P, WAITANY, 1, 1, 1),
        ],
        labels=[Label(P2P, RECV, "MPI_Recv of the trace")],
    )


def test_bins_are_of_10_megabytes_per_second_and_the_last_is_open(sums: TraceSums) -> None:
    found = bandwidths(sums)
    assert [(one.min, one.max) for one in found[1:4]] == [(40e6, 50e6), (70e6, 80e6), (10e9, None)]
    assert found[1].seconds == pytest.approx(7e-9)
    assert [one.label for one in found[3:]] == ["MPI_Recv of the trace", "MPI_Waitany"]


def test_bins_hold_the_calls_of_all_threads(sums: TraceSums) -> None:
    bins = [BandwidthBin(P2P, RECV, place, 1, 4, thread) for thread in (0, 1) for place in (2, 3)]
    found = bandwidths(msgspec.structs.replace(sums, bandwidths=bins))
    assert [(one.min, one.count, one.seconds) for one in found] == [(20e6, 2, 8e-9), (30e6, 2, 8e-9)]


def test_times_of_bins_that_are_put_together_are_sums_of_nanoseconds(sums: TraceSums) -> None:
    bins = [BandwidthBin(P2P, RECV, place, 1, 100_000_000) for place in (4, 5, 6)]
    found = histogram(trace_facts(msgspec.structs.replace(sums, bandwidths=bins)), P2P, RECV)
    assert [one.seconds for one in found] == [0.3]


def test_a_histogram_doubles_its_bins_and_loses_no_call(sums: TraceSums) -> None:
    found = histogram(trace_facts(sums), P2P, RECV)
    assert [(one.min / 1e6, one.count) for one in found[:4]] == [(0, 1), (10, 0), (20, 0), (40, 3)]
    assert [one.max for one in found[-2:]] == [10e9, None]
    assert sum(one.count for one in found) == 13
    assert [one.min for one in found[1:]] == [one.max for one in found[:-1]], "without gaps"


def test_the_call_that_received_most_is_first(sums: TraceSums) -> None:
    assert receiving_calls(trace_facts(sums)) == [(P2P, WAITANY), (P2P, RECV)]


def test_a_broadcast_that_received_most_is_first(sums: TraceSums) -> None:
    broadcast = CallSum(0, 50000002, 7, 3, 9, 3, 0, 0, 0, 0, 0, 90)
    bins = [*sums.bandwidths, BandwidthBin(50000002, 7, 2, 3, 9)]
    facts = trace_facts(msgspec.structs.replace(sums, calls=[*sums.calls, broadcast], bandwidths=bins))
    assert receiving_calls(facts)[0] == (50000002, 7)


def test_a_call_that_received_nothing_has_no_histogram(sums: TraceSums) -> None:
    assert histogram(trace_facts(sums), P2P, 1) == []
