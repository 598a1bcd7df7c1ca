"""Tables of traces whose truth is worked out by hand."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.facts.trace import TraceCounter
from groma.launch.trace_store import TraceWarning
from groma.trace import statistics as of
from groma.trace.infer import trace_facts
from groma.trace.sums import (
    BandwidthBin,
    CallSum,
    CounterSum,
    Label,
    PairSum,
    RegionSum,
    SiteSum,
    StateSum,
    Thread,
    ThreadCounter,
    TraceSums,
    TypeCount,
)
from groma.trace.tables import table_csv

P2P = 50000001
OTHERS, INIT, FINALIZE = 50000003, 31, 32


@pytest.fixture
def sums() -> TraceSums:
    """Two ranks, 1000 ns: rank 0 runs 900 and sends 100, rank 1 runs 500 and receives 500."""
    return TraceSums(
        created="",
        duration=1000,
        threads=[Thread(0, 0, 0, 0), Thread(0, 1, 0, 0)],
        states=[
            StateSum(0, 1, 2, 900),
            StateSum(0, 4, 1, 100),
            StateSum(1, 1, 2, 500),
            StateSum(1, 3, 1, 500),
        ],
        calls=[
            CallSum(0, P2P, 1, 1, 100, 100, 0, 0, 0, 0, 0, 0),
            CallSum(1, P2P, 2, 2, 500, 400, 1, 1000, 1, 400, 0, 0),
        ],
        pairs=[PairSum(0, 1, 1, 1000)],
    )


@pytest.mark.parametrize("time", [3, 9, 300_000_000, 1_100_000_000, 123_456_789_012_345_678])
def test_times_print_as_the_decimals_that_they_are(sums: TraceSums, time: int) -> None:
    calls = [CallSum(0, P2P, 1, 1, time, time, 1, 8, 1, time, 0, 0)]
    sites = [SiteSum(P2P, 1, 1, 1, 1, time, time, 8, 0)]
    regions = [RegionSum(0, 90000000, 1, 1, time, time)]
    states = [StateSum(one, 1, 1, time) for one in (0, 1)]
    traced = msgspec.structs.replace(
        sums, duration=time, states=states, calls=calls, call_sites=sites, regions=regions
    )
    found = trace_facts(traced)
    rank = found.ranks[0]
    times = [found.duration, rank.useful, rank.in_mpi, rank.lifetime, rank.states["1"], rank.mpi[f"{P2P}:1"]]
    for row in (found.calls[0], found.call_sites[0]):
        times += [row.seconds, row.mean, row.longest]
    times += [found.calls[0].receiving, found.regions[0].seconds, found.regions[0].longest_thread]
    times += [found.regions[0].in_mpi]
    assert set(times) == {float(Decimal(time) / 10**9)}
    assert found.states[0].seconds == float(Decimal(2 * time) / 10**9)


def test_threads_that_compute_alike_are_balanced(sums: TraceSums) -> None:
    states = [StateSum(one, 1, 1, 100_000_000) for one in range(3)]
    threads = [Thread(0, one, 0, 0) for one in range(3)]
    alike = msgspec.structs.replace(sums, threads=threads, states=states, calls=[], pairs=[])
    found = trace_facts(msgspec.structs.replace(alike, duration=100_000_000)).efficiencies
    assert found is not None
    assert (found.load_balance, found.communication, found.parallel) == (1.0, 1.0, 1.0)


def test_efficiencies_are_those_of_the_pop_project(sums: TraceSums) -> None:
    found = trace_facts(sums).efficiencies
    assert found is not None
    assert found.load_balance == pytest.approx(700 / 900)
    assert found.communication == pytest.approx(0.9)
    assert found.parallel == pytest.approx(0.7)


def test_shares_of_states_are_of_the_time_that_threads_were_there(sums: TraceSums) -> None:
    sums.states.append(StateSum(1, of.NOT_CREATED, 1, 5000))
    shares = {one.label: one.share for one in of.times_in_states(sums)}
    assert shares["Running"] == pytest.approx(0.7)
    assert shares["Waiting a message"] == pytest.approx(0.25)
    assert shares["Not created"] == 0


def test_bandwidth_is_of_the_calls_that_received(sums: TraceSums) -> None:
    receive, send = of.times_in_calls(sums)
    assert (receive.label, send.label) == ("MPI_Recv", "MPI_Send")
    assert receive.bandwidth == pytest.approx(1000 / 400e-9)
    assert receive.mean == pytest.approx(250e-9)
    assert receive.share == pytest.approx(0.25)
    assert send.bandwidth is None


def test_calls_of_some_threads_can_be_asked_for(sums: TraceSums) -> None:
    (only,) = of.times_in_calls(sums, frozenset({0}))
    assert only.label == "MPI_Send"
    assert only.share == pytest.approx(0.1)


def test_names_of_the_trace_come_before_usual_ones(sums: TraceSums) -> None:
    sums.labels.append(Label(P2P, 2, "receive"))
    sums.state_labels.append((1, "busy"))
    assert of.times_in_calls(sums)[0].label == "receive"
    assert of.times_in_states(sums)[0].label == "busy"


def test_a_trace_without_states_is_useful_outside_of_mpi(sums: TraceSums) -> None:
    sums.states.clear()
    assert of.useful_times(sums) == pytest.approx([900e-9, 500e-9])


def test_a_trace_of_counters_alone_does_not_say_how_efficient_its_program_was(sums: TraceSums) -> None:
    samples = msgspec.structs.replace(sums, states=[], calls=[], types=[TypeCount(42000050, 9, "")])
    assert trace_facts(samples).efficiencies is None


@pytest.mark.parametrize("has_states", [True, False])
def test_a_trace_whose_times_do_not_begin_at_0_has_the_same_tables(
    sums: TraceSums, *, has_states: bool
) -> None:
    """As a cut that keeps its times, or a tracer that writes times since the machine started."""
    if not has_states:
        sums.states.clear()
    later = msgspec.structs.replace(sums, begin=sums.duration * 7, duration=sums.duration * 8)
    assert trace_facts(later) == trace_facts(sums)


def test_a_trace_without_length_has_no_efficiency() -> None:
    empty = TraceSums(created="", duration=0, threads=[Thread(0, 0, 0, 0)], states=[], calls=[])
    assert trace_facts(empty).efficiencies is None


def test_threads_are_named_by_what_differs(sums: TraceSums) -> None:
    assert of.thread_names(sums) == ["0", "1"]
    sums.threads.append(Thread(1, 0, 2, 0))
    assert of.thread_names(sums) == ["0.0.0", "0.1.0", "1.0.2"]


def test_counters_are_reported_for_all_and_for_each_region(sums: TraceSums) -> None:
    sums.types.append(TypeCount(42000050, 3, "instructions"))
    sums.labels.append(Label(90000000, 1, "loop"))
    sums.counters.extend(
        [
            CounterSum(42000050, 0, 0, 90000000, 1, 1, 100),
            CounterSum(42000050, P2P, 1, 90000000, 1, 1, 10),
            CounterSum(42000050, 0, 0, 0, 0, 1, 5),
        ]
    )
    assert of.counter_totals(sums) == [
        TraceCounter(counter="instructions", place="", total=115, outside_mpi=105),
        TraceCounter(counter="instructions", place="loop", total=110, outside_mpi=100),
    ]


def test_regions_are_balanced_over_all_threads(sums: TraceSums) -> None:
    sums.regions.extend([RegionSum(0, 90000000, 1, 2, 600), RegionSum(1, 90000000, 1, 1, 200, 150, 2, 3000)])
    (one,) = of.times_in_regions(sums)
    assert one.count == 3
    assert (one.messages, one.received) == (2, 3000)
    assert one.bandwidth == pytest.approx(3000 / 600e-9)
    assert one.in_mpi == pytest.approx(150e-9)
    assert [one.seconds, one.longest_thread, one.mean_thread] == pytest.approx([800e-9, 600e-9, 400e-9])


def test_warnings_say_how_often_and_where(sums: TraceSums) -> None:
    sums.warnings.append(TraceWarning("unsorted", "lines out of order", 4, 1200))
    (one,) = of.warnings(sums)
    assert (one.code, one.what) == ("trace.unsorted", "lines out of order (4, first in line 1,200)")


def test_a_table_as_csv_has_a_row_for_each_of_its_items(sums: TraceSums) -> None:
    rows = list(csv.DictReader(io.StringIO(table_csv(trace_facts(sums), "calls"))))
    assert [one["label"] for one in rows] == ["MPI_Recv", "MPI_Send"]
    assert float(rows[0]["seconds"]) == pytest.approx(500e-9)
    ranks = list(csv.DictReader(io.StringIO(table_csv(trace_facts(sums), "ranks"))))
    assert [one["sent"] for one in ranks] == ["1000", "0"]
    assert table_csv(trace_facts(sums), "regions").startswith("type,label,count,seconds,")
    assert table_csv(trace_facts(sums), "regions").count("\n") == 1


@given(st.integers(min_value=0, max_value=2**63))
def test_each_size_lies_in_its_bin(size: int) -> None:
    least, most = of.bounds_of_bin(size.bit_length())
    assert least <= size <= most


def test_a_thread_that_was_not_traced_does_not_count_as_idle(sums: TraceSums) -> None:
    before = trace_facts(sums).efficiencies
    sums.threads.append(Thread(0, 9, 0, 0))
    sums.states.append(StateSum(len(sums.threads) - 1, of.NOT_CREATED, 1, sums.duration))
    found = trace_facts(sums)
    assert found.efficiencies == before
    assert [one.present for one in found.ranks] == [True, True, False]


def test_every_thread_counts_and_what_the_tracer_took_of_it_does_not(sums: TraceSums) -> None:
    sums.threads.append(Thread(0, 1, 1, 0))
    sums.states.append(StateSum(2, 1, 1, 100))
    costs = {(0, 0, 0): of.TracerCost(inside=10e-9, outside=100e-9), (0, 1, 0): of.TracerCost(5e-9, 20e-9)}
    ranks = of.times_of_ranks(sums, costs)
    assert [one.tracer_in_useful for one in ranks] == [100e-9, 20e-9, None]
    found = of.efficiencies(ranks, of.seconds(sums.duration))
    assert found is not None
    assert found.parallel == pytest.approx((800 + 480 + 100) / 3 / 1000)
    assert found.load_balance == pytest.approx((800 + 480 + 100) / 3 / 800)


def test_shares_are_of_the_time_that_threads_were_there(sums: TraceSums) -> None:
    sums.threads.append(Thread(0, 1, 1, 0))
    sums.states.extend([StateSum(2, of.NOT_CREATED, 1, 500), StateSum(2, 1, 1, 500)])
    shares = {one.label: one.share for one in of.times_in_calls(sums)}
    assert shares["MPI_Recv"] == pytest.approx(500 / 2500)
    assert [one.lifetime for one in of.times_of_ranks(sums)] == pytest.approx([1e-6, 1e-6, 0.5e-6])


def test_shares_of_a_trace_without_some_states_are_of_the_time_from_the_first_record_to_the_last(
    sums: TraceSums,
) -> None:
    """As filters leave it: rank 0 was there for 1000 ns, rank 1 for 800."""
    sums.threads.append(Thread(0, 2, 0, 0))
    sums.states[:] = [StateSum(0, 1, 2, 90), StateSum(1, of.NOT_CREATED, 1, 200)]
    some = msgspec.structs.replace(sums, spans=[1000, 1000, 900])
    shares = {one.label: one.share for one in of.times_in_calls(some)}
    assert shares == pytest.approx({"MPI_Send": 100 / 1800, "MPI_Recv": 500 / 1800})
    assert {one.label: one.share for one in of.times_in_states(some)}["Running"] == pytest.approx(90 / 1800)
    ranks = of.times_of_ranks(some)
    assert [one.lifetime for one in ranks] == pytest.approx([1e-6, 0.8e-6, 0.0])
    assert [one.present for one in ranks] == [True, True, False], "who calls MPI is there"


def test_states_that_overlap_do_not_lengthen_the_life_of_a_thread(sums: TraceSums) -> None:
    sums.states[:] = [
        StateSum(0, 1, 1, 900),
        StateSum(0, 7, 1, 900),
        StateSum(0, of.NOT_CREATED, 1, 100),
        StateSum(1, 1, 1, 1000),
    ]
    some = msgspec.structs.replace(sums, spans=[1000, 1000])
    assert [one.lifetime for one in of.times_of_ranks(some)] == pytest.approx([0.9e-6, 1e-6])
    shares = {one.label: one.share for one in of.times_in_calls(some)}
    assert shares["MPI_Recv"] == pytest.approx(500 / 1900)


def test_calls_in_which_empty_messages_arrived_have_a_bandwidth(sums: TraceSums) -> None:
    sums.calls[:] = [CallSum(1, P2P, 2, 2, 500, 400, 1, 0, 1, 400, 0, 0)]
    sums.regions.append(RegionSum(1, 90000000, 1, 1, 800, 500))
    facts = trace_facts(sums)
    assert facts.calls[0].bandwidth == 0.0
    assert facts.regions[0].bandwidth is None, "no message arrived there"


@pytest.mark.parametrize(("first", "last", "said"), [(300, 110, "20.5\xa0%"), (300, 90, ""), (0, 0, "")])
def test_a_run_that_is_much_start_and_end_says_so(sums: TraceSums, first: int, last: int, said: str) -> None:
    """Of two threads that were there for 1000 ns each."""
    calls = [
        CallSum(0, OTHERS, INIT, 1, first, first, 0, 0, 0, 0, 0, 0),
        CallSum(1, OTHERS, FINALIZE, 1, last, last, 0, 0, 0, 0, 0, 0),
    ]
    found = [one.what for one in of.warnings(msgspec.structs.replace(sums, calls=calls))]
    assert [one.partition(" took ")[2].partition(" of ")[0] for one in found] == ([said] if said else [])


def test_warnings_count_in_words(sums: TraceSums) -> None:
    some = msgspec.structs.replace(sums, outside_calls=(1, 1), clipped_counts=1)
    outside, clipped = (one.what for one in of.warnings(some))
    assert outside.startswith("1 message of 1 byte arrived")
    assert clipped == "1 value of counters beyond 2^63 in sum: their sums stay at that limit"


def test_values_with_the_same_names_are_one_call_site(sums: TraceSums) -> None:
    """Extrae 5.1.2 gives each process its own number for a line."""
    sums.call_sites.extend(
        [
            SiteSum(P2P, 1, 7, 3, 2, 60, 40, 100, 0),
            SiteSum(P2P, 1, 7, 4, 3, 90, 80, 300, 5),
            SiteSum(P2P, 1, 7, 5, 1, 10, 10, 0, 0),
        ]
    )
    lines = [
        Label(80000001, value, text) for value, text in ((3, "12 (a.c)"), (4, "12 (a.c)"), (5, "13 (a.c)"))
    ]
    sums.labels.extend([Label(70000001, 7, "main"), *lines])
    first, second = of.call_sites(sums)
    assert (first.function, first.line, second.line) == ("main", "12 (a.c)", "13 (a.c)")
    assert (first.count, first.sent, first.received, second.count) == (5, 400, 5, 1)
    assert (first.seconds, first.mean, first.longest) == pytest.approx((150e-9, 30e-9, 80e-9))


def test_a_call_that_extrae_calls_null_has_its_usual_name(sums: TraceSums) -> None:
    sums.labels.append(Label(P2P, 2, "(null)"))
    assert {one.label for one in of.times_in_calls(sums)} == {"MPI_Send", "MPI_Recv"}


def test_each_rank_has_its_counters_and_its_bandwidths(sums: TraceSums) -> None:
    facts = trace_facts(
        msgspec.structs.replace(
            sums,
            types=[TypeCount(42000050, 2, "Instructions")],
            thread_counters=[ThreadCounter(0, 42000050, 2, 70), ThreadCounter(1, 42000050, 2, 30)],
            bandwidths=[BandwidthBin(P2P, 2, 4, 3, 9, 0), BandwidthBin(P2P, 2, 1000, 1, 5, 1)],
        )
    )
    assert [one.counters for one in facts.ranks] == [{"Instructions": 70}, {"Instructions": 30}]
    assert facts.ranks[0].bandwidths == {"50000001:2": {40_000_000: 3}}
    assert table_csv(facts, "rank_counters") == "rank,counter,total\n0,Instructions,70\n1,Instructions,30\n"
    assert table_csv(facts, "rank_bandwidths") == (
        "rank,call,min,max,count\n0,MPI_Recv,40000000.0,50000000.0,3\n1,MPI_Recv,10000000000.0,,1\n"
    )
