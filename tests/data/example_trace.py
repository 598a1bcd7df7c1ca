"""A synthetic trace: ranks in a ring exchange halos; the last of each four has more work.

    python example_trace.py [--ranks 8] [--seed 1] [--bare] > example-trace.json

`--bare` is a trace of another tracer: nothing is known of its cost.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import msgspec
from example_run import BUILD, CREATED, Run, environment

from groma.record import Advice, Record
from groma.trace.infer import trace_facts
from groma.trace.merging import CallTime, HostAlignment, MergeSummary, ThreadTimes
from groma.trace.sums import (
    BandwidthBin,
    CallSum,
    CollectiveSum,
    CommunicatorRanks,
    CounterSum,
    Label,
    PairSum,
    RegionSum,
    SiteSum,
    SizeBin,
    StateSum,
    Thread,
    ThreadCounter,
    TraceSums,
    TypeCount,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.trace import TraceFacts

P2P, COLLECTIVE, OTHER = 50000001, 50000002, 50000003
SEND, RECV, SENDRECV, WAITALL, ALLREDUCE, BARRIER, INIT, FINALIZE = 1, 2, 41, 6, 10, 8, 31, 32
STEPS, HALO = 1000, 65536
LENGTH = 2_000_000_000
INSTRUCTIONS, CYCLES = 42000050, 42000059
CALLER, CALLER_LINE = 70000001, 80000001
SITES = 3  # of each call
CALLS = {
    (P2P, SENDRECV): 0.5,
    (P2P, WAITALL): 0.1,
    (P2P, RECV): 0.08,
    (P2P, SEND): 0.05,
    (COLLECTIVE, ALLREDUCE): 0.2,
    (COLLECTIVE, BARRIER): 0.05,
    (OTHER, INIT): 0.01,
    (OTHER, FINALIZE): 0.01,
}
"""With their shares of the time in MPI."""


def example_trace(ranks: int = 8, seed: int = 1, *, bare: bool = False) -> Record[TraceFacts]:
    run = Run(ranks=ranks, machines=2, seed=seed)
    useful = [_useful(run, rank) for rank in range(ranks)]
    sums = TraceSums(
        created="01/03/2025 at 09:00",
        duration=LENGTH,
        nodes=2,
        threads=[Thread(0, rank, 0, run.machine_of(rank)) for rank in range(ranks)],
        states=[one for rank in range(ranks) for one in _states(rank, useful[rank])],
        calls=[one for rank in range(ranks) for one in _calls(rank, LENGTH - useful[rank])],
        pairs=[
            PairSum(rank, to % ranks, STEPS, STEPS * HALO)
            for rank in range(ranks)
            for to in (rank - 1, rank + 1)
            if to % ranks != rank
        ],
        sizes=[SizeBin(4, 64, 64 * 8), SizeBin(17, 2 * ranks * STEPS, 2 * ranks * STEPS * HALO)],
        bandwidths=[one for rank in range(ranks) for one in _bandwidths(rank, ranks)]
        + [BandwidthBin(P2P, RECV, 1000, 64, 10**4)],
        collectives=[one for row in range(2) for one in _collectives(row, LENGTH * ranks - sum(useful))],
        communicator_ranks=[_ranks(row, range(row, ranks, 2)) for row in range(2) if row < ranks],
        call_sites=_sites(ranks, sum(LENGTH - one for one in useful)),
        regions=[
            RegionSum(rank, 90000000, 1, STEPS, useful[rank] // 2, useful[rank] // 9) for rank in range(ranks)
        ],
        counters=[
            CounterSum(INSTRUCTIONS, 0, 0, 90000000, 1, ranks, 10**10),
            CounterSum(INSTRUCTIONS, P2P, 41, 0, 0, ranks, 10**8),
        ],
        thread_counters=[one for rank in range(ranks) for one in _counters(rank, useful[rank])],
        types=[
            TypeCount(P2P, 2 * ranks * STEPS, "MPI"),
            *(
                TypeCount(type_, ranks, name)
                for type_, name in ((INSTRUCTIONS, "instructions"), (CYCLES, "cycles"))
            ),
        ],
        labels=[Label(90000000, 1, "step of the solver with a name that is quite long"), *_names_of_sites()],
    )
    return Record(
        kind="trace",
        created=CREATED,
        command=["groma", "trace"],
        build=BUILD,
        environment=environment(),
        parameters={},
        samples={},
        facts=trace_facts(sums, "trace.groma", None if bare else _summary(run, sums)),
        warnings=[
            Advice(code="trace.unfinished", what="rank 3 ended in MPI_Recv without MPI_Finalize", next="")
        ],
    )


def _bandwidths(rank: int, ranks: int) -> list[BandwidthBin]:
    """The last four ranks wait for nobody: their calls are fast."""
    first = 20 if rank >= ranks - 4 else 2
    return [BandwidthBin(P2P, SENDRECV, place, 100 * (40 - place), 10**7, rank) for place in range(first, 40)]


def _collectives(row: int, in_mpi: int) -> Iterator[CollectiveSum]:
    """The odd ranks wait three times as long as the even ones."""
    for (kind, value), share in CALLS.items():
        if kind == COLLECTIVE:
            time = round((0.25, 0.75)[row] * share * in_mpi)
            yield CollectiveSum(
                0, 2 + row, kind, value, 4 * STEPS, time, time // STEPS, 64 * STEPS, 64 * STEPS
            )


def _ranks(row: int, ranks: range) -> CommunicatorRanks:
    return CommunicatorRanks(0, 2 + row, len(ranks), 2, ranks[-1], list(ranks[:8]))


def _sites(ranks: int, in_mpi: int) -> list[SiteSum]:
    """Each call from several lines, which halve the time in it."""
    made = []
    for number, ((kind, value), share) in enumerate(CALLS.items()):
        for place in range(SITES):
            time = round(in_mpi * share / 2 ** (place + 1))
            size = ranks * STEPS * HALO if kind == P2P else 0
            line = SITES * number + place + 1
            made.append(
                SiteSum(kind, value, number + 1, line, ranks * STEPS, time, time // STEPS, size, size)
            )
    return made


def _names_of_sites() -> Iterator[Label]:
    for number in range(len(CALLS)):
        yield Label(CALLER, number + 1, f"exchange_{number}")
        for place in range(SITES):
            line = SITES * number + place + 1
            yield Label(CALLER_LINE, line, f"{10 * line} (halo.c, solver)")


def _useful(run: Run, rank: int) -> int:
    return round(run.noisy(0.9 if rank % 4 == 3 else 0.6, 0.02) * LENGTH)


def _states(rank: int, useful: int) -> Iterator[StateSum]:
    yield StateSum(rank, 1, 4 * STEPS, useful)
    yield StateSum(rank, 13, STEPS, (LENGTH - useful) // 4)
    yield StateSum(rank, 16, 3 * STEPS, LENGTH - useful - (LENGTH - useful) // 4)


def _counters(rank: int, useful: int) -> Iterator[ThreadCounter]:
    """A rank that computes runs 2 instructions in a cycle, one that waits half of one."""
    yield ThreadCounter(rank, INSTRUCTIONS, STEPS, 6 * useful + (3 * (LENGTH - useful)) // 2)
    yield ThreadCounter(rank, CYCLES, STEPS, 3 * LENGTH)


def _calls(rank: int, in_mpi: int) -> Iterator[CallSum]:
    for (type_, value), share in CALLS.items():
        time = int(share * in_mpi)
        received = 2 * STEPS * HALO if value == SENDRECV else 64 * 8 if value == RECV else 0
        arrived = STEPS if received else 0
        yield CallSum(
            rank, type_, value, STEPS, time, time // 100, arrived, received, arrived, time // 2, 0, 0
        )


def _summary(run: Run, sums: TraceSums) -> MergeSummary:
    return MergeSummary(
        duration=LENGTH * 1e-9,
        program="/home/someone/solver",
        library="Open MPI v4.1.4",
        logs=run.ranks,
        log_bytes=10 * len(CALLS) * STEPS * run.ranks,
        calls=len(CALLS) * STEPS * run.ranks,
        messages=2 * STEPS * run.ranks,
        unmatched_sends=0,
        unmatched_receives=0,
        ranks=[run.ranks],
        missing=[],
        refused=[],
        hosts=[
            HostAlignment("node00", "reference", 0.0),
            HostAlignment("node01", "messages", 4.2e-6, comparisons=3),
        ],
        threads=[_thread(run, sums, rank) for rank in range(run.ranks)],
        matrix=[],
    )


def _thread(run: Run, sums: TraceSums, rank: int) -> ThreadTimes:
    return ThreadTimes(
        application=0,
        rank=rank,
        thread=0,
        host=f"node{run.machine_of(rank):02d}",
        finished=rank != 3,
        in_call="",
        lost_records=0,
        overwritten_chunks=0,
        damaged_chunks=0,
        begin=0.0,
        end=LENGTH * 1e-9,
        call_cost=60e-9,
        call_cost_inside=20e-9,
        calls=[
            CallTime("MPI_Sendrecv", "point-to-point", one.count, one.time * 1e-9)
            for one in sums.calls
            if one.thread == rank
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints a synthetic record of a trace.")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bare", action="store_true")
    sys.stdout.buffer.write(msgspec.json.encode(example_trace(**vars(parser.parse_args()))) + b"\n")


if __name__ == "__main__":
    main()
