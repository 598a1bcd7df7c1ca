"""Collectives are summed by communicator, and a communicator is named by its ranks."""

from __future__ import annotations

import msgspec
import pytest

from groma.trace.communicators import collectives
from groma.trace.infer import trace_facts
from groma.trace.sums import CollectiveSum, CommunicatorRanks, Label, Thread, TraceSums
from groma.trace.tables import table_csv

COLLECTIVE, BCAST, BARRIER = 50000002, 7, 8


def ranks_of(
    number: int, size: int, stride: int, last: int, *first: int, application: int = 0
) -> CommunicatorRanks:
    return CommunicatorRanks(application, number, size, stride, last, list(first))


def sums_with(*communicators: CommunicatorRanks, ranks: int = 16, applications: int = 1) -> TraceSums:
    """A broadcast of 10 ns in each."""
    return TraceSums(
        created="",
        duration=1000,
        threads=[Thread(i, rank, 0, 0) for i in range(applications) for rank in range(ranks)],
        states=[],
        calls=[],
        collectives=[
            CollectiveSum(one.application, one.communicator, COLLECTIVE, BCAST, 1, 10, 10, 0, 0)
            for one in communicators
        ],
        communicator_ranks=list(communicators),
    )


@pytest.mark.parametrize(
    ("ranks", "name"),
    [
        (ranks_of(1, 16, 1, 15, *range(8)), "all 16 ranks"),
        (ranks_of(2, 16, 0, 0, *range(15, 7, -1)), "all 16 ranks"),
        (ranks_of(3, 1, 0, 5, 5), "rank 5"),
        (ranks_of(4, 4, 1, 7, 4, 5, 6, 7), "ranks 4 to 7"),
        (ranks_of(5, 4, 4, 13, 1, 5, 9, 13), "ranks 1, 5, 9, 13"),
        (ranks_of(6, 3, 0, 2, 9, 4, 2), "ranks 9, 4, 2"),
        (ranks_of(7, 10, 1, 11, *range(2, 10)), "ranks 2 to 11"),
        (ranks_of(8, 9, 0, 15, 0, 1, 2, 3, 5, 6, 7, 8), "ranks 0, 1, 2, …, 15 (9)"),
    ],
)
def test_a_communicator_is_named_by_its_ranks(ranks: CommunicatorRanks, name: str) -> None:
    (one,) = collectives(sums_with(ranks))
    assert (one.communicator, one.ranks) == (name, ranks.size)


def test_communicators_of_the_same_ranks_have_their_numbers() -> None:
    world, copy, row = ranks_of(1, 2, 1, 1, 0, 1), ranks_of(9, 2, 1, 1, 0, 1), ranks_of(3, 1, 0, 1, 1)
    names = {one.communicator for one in collectives(sums_with(world, copy, row, ranks=2))}
    assert names == {"all 2 ranks (communicator 1)", "all 2 ranks (communicator 9)", "rank 1"}


def test_communicators_of_several_applications_are_told_apart() -> None:
    some = [ranks_of(1, 4, 1, 3, 0, 1, 2, 3, application=one) for one in (0, 1)]
    names = {one.communicator for one in collectives(sums_with(*some, ranks=4, applications=2))}
    assert names == {"application 0, all 4 ranks", "application 1, all 4 ranks"}


def test_a_communicator_whose_ranks_the_trace_does_not_say_has_its_number() -> None:
    """As those between two groups of ranks."""
    sums = msgspec.structs.replace(sums_with(ranks_of(7, 2, 1, 1, 0, 1)), communicator_ranks=[])
    (one,) = collectives(sums)
    assert (one.communicator, one.ranks) == ("communicator 7", None)


def test_a_communicator_without_ranks_has_its_application() -> None:
    some = [ranks_of(9, 4, 1, 3, 0, 1, 2, 3, application=one) for one in (0, 1)]
    sums = msgspec.structs.replace(sums_with(*some, ranks=4, applications=2), communicator_ranks=[])
    names = {one.communicator for one in collectives(sums)}
    assert names == {"application 0, communicator 9", "application 1, communicator 9"}


def test_times_are_those_of_all_ranks_the_longest_first() -> None:
    sums = msgspec.structs.replace(
        sums_with(ranks_of(1, 2, 1, 1, 0, 1), ranks_of(2, 1, 0, 1, 1), ranks=2),
        spans=[1000, 1000],
        labels=[Label(COLLECTIVE, BARRIER, "MPI_Barrier")],
        collectives=[
            CollectiveSum(0, 1, COLLECTIVE, BCAST, 4, 100, 60, 32, 16),
            CollectiveSum(0, 1, COLLECTIVE, BARRIER, 2, 500, 300, 0, 0),
            CollectiveSum(0, 2, COLLECTIVE, BCAST, 1, 50, 50, 8, 0),
        ],
    )
    barrier, bcast, own = collectives(sums)
    assert (barrier.call, barrier.communicator) == ("MPI_Barrier", "all 2 ranks")
    assert (bcast.call, bcast.sent, bcast.received) == ("MPI_Bcast", 32, 16)
    assert (bcast.seconds, bcast.mean, bcast.longest) == pytest.approx((100e-9, 25e-9, 60e-9))
    assert (own.communicator, own.count) == ("rank 1", 1)
    table = table_csv(trace_facts(sums), "collectives").splitlines()
    assert table[0] == "communicator,ranks,call,count,seconds,share,mean,longest,sent,received"
    assert table[1].startswith("all 2 ranks,2,MPI_Barrier,2,5e-07,")
