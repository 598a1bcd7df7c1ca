"""What groma says of a run beside its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.record import trace_folder
from groma.trace import job
from groma.trace.merging import CallTime, HostAlignment, MergeSummary, RankOf, ThreadTimes
from groma.trace.summary import warnings
from groma.trace.sums import CallSum, Records, Thread, TraceSums

if TYPE_CHECKING:
    from pathlib import Path

THREAD = ThreadTimes(
    application=0, rank=1, thread=0, host="a", finished=True, in_call="",
    lost_records=0, overwritten_chunks=0, damaged_chunks=0, begin=0, end=1, call_cost=0, call_cost_inside=0,
    calls=[],
)  # fmt: skip
SUMMARY = MergeSummary(
    duration=1, program="app", library="an MPI", logs=1, log_bytes=1, calls=0, messages=0, unmatched_sends=0,
    unmatched_receives=0, ranks=[2], missing=[], refused=[], hosts=[HostAlignment("a", "reference", 0)],
    threads=[THREAD], matrix=[],
)  # fmt: skip


def sums_of_calls(count: int) -> TraceSums:
    """Of a trace of one second."""
    call = CallSum(0, 50000001, 2, count, 9, 9, 0, 0, 0, 0, 0, 0)
    return TraceSums(created="", duration=10**9, threads=[Thread(1, 1, 1, 1)], states=[], calls=[call])


def said(summary: MergeSummary) -> list[str]:
    return [one.code for one in warnings(summary)]


def test_a_run_without_fault_has_no_warning() -> None:
    assert said(SUMMARY) == []


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"unrecorded_threads": 3}, "trace.threads"),
        ({"unnamed_records": 2}, "trace.names"),
        ({"unknown_communicators": 1}, "trace.communicators"),
    ],
)
def test_what_a_thread_could_not_record_is_said(fields: dict[str, Any], code: str) -> None:
    thread = msgspec.structs.replace(THREAD, **fields)
    assert said(msgspec.structs.replace(SUMMARY, threads=[thread])) == [code]


NAMELESS = "begins and ends of regions, or values, were not recorded: a thread has at most 256 names"
LACKS: dict[str, tuple[dict[str, Any], str, str]] = {
    "lost": (
        {"lost_records": 3},
        "rank 0: without its last 3 calls, for its log was full, or the disk was",
        "ranks 0-3: without their last 12 calls, for their logs were full, or the disk was",
    ),
    "no-counters": (
        {"no_counters": "no PMU"},
        "rank 0 counted nothing: no PMU",
        "ranks 0-3 counted nothing: no PMU",
    ),
    "overwritten": (
        {"overwritten_chunks": 2},
        "rank 0: the oldest calls were replaced by newer ones, as asked",
        "ranks 0-3: the oldest calls were replaced by newer ones, as asked",
    ),
    "threads": (
        {"unrecorded_threads": 1},
        "rank 0: 1 further thread of this process called MPI without a log",
        "ranks 0-3: 4 further threads of these processes called MPI without a log",
    ),
    "names": (
        {"unnamed_records": 2},
        f"rank 0: 2 {NAMELESS}",
        f"ranks 0-3: 8 {NAMELESS}",
    ),
    "communicators": (
        {"unknown_communicators": 1},
        "rank 0: 1 communicator at one time too many to be told apart",
        "ranks 0-3: 4 communicators at one time too many to be told apart",
    ),
    "damaged": (
        {"damaged_chunks": 1},
        "rank 0: a part of its log could not be read",
        "ranks 0-3: 4 parts of their logs could not be read",
    ),
}


def lacking(fields: dict[str, Any], *ranks: int, **others: Any) -> list[ThreadTimes]:
    return [msgspec.structs.replace(THREAD, rank=rank, **others, **fields) for rank in ranks]


def said_of(threads: list[ThreadTimes]) -> list[str]:
    return [one.what for one in warnings(msgspec.structs.replace(SUMMARY, threads=threads))]


@pytest.mark.parametrize("code", LACKS)
def test_ranks_that_lack_the_same_are_named_in_one_line(code: str) -> None:
    fields, of_one, of_all = LACKS[code]
    assert said_of([*lacking(fields, 0), *lacking({}, 1, 2)]) == [of_one]
    assert said_of(lacking(fields, *range(4))) == [of_all]


def test_the_lines_of_a_run_do_not_grow_with_its_ranks() -> None:
    fields = {name: value for one, *_ in LACKS.values() for name, value in one.items()}
    assert len(said_of(lacking(fields, *range(4096)))) == len(LACKS)


def test_threads_that_lack_the_same_are_counted() -> None:
    fields = LACKS["overwritten"][0]
    (one,) = said_of(lacking(fields, 1, thread=2))
    (all_,) = said_of([*lacking(fields, 0, 1), *lacking(fields, 0, 1, thread=1)])
    assert one.startswith("rank 1, thread 2: the oldest calls")
    assert all_.startswith("4 threads of ranks 0, 1: the oldest calls")


def test_what_ranks_of_two_programs_lack_is_not_mixed_up() -> None:
    fields = LACKS["damaged"][0]
    assert said_of([*lacking(fields, 0, 1), *lacking(fields, 1, application=1)]) == [
        "ranks 0, 1: 2 parts of their logs could not be read",
        "rank 1: a part of its log could not be read",
    ]


def test_what_holds_for_the_run_stands_before_what_its_logs_lack() -> None:
    fields = {name: value for one, *_ in LACKS.values() for name, value in one.items()}
    hosts = [*SUMMARY.hosts, HostAlignment("b", "time of day", 0)]
    run = {"unmatched_sends": 1, "early_messages": 1, "hosts": hosts, "refused": ["x.log is not a log"]}
    found = said(msgspec.structs.replace(SUMMARY, threads=lacking(fields, 0, 1), **run))
    of_logs = [f"trace.{code}" for code in LACKS]
    assert found == ["trace.unmatched", "trace.early", "trace.clock", *of_logs, "trace.refused"]


def test_hosts_whose_clocks_were_not_compared_are_named_in_one_line() -> None:
    hosts = [HostAlignment(f"n{number}", "time of day", 0) for number in range(9)]

    def said_of_first(count: int) -> str:
        return next(warnings(msgspec.structs.replace(SUMMARY, hosts=hosts[:count]))).what

    alone, many = "aligned by its time of day only", "aligned by their times of day only"
    assert said_of_first(1) == f"the clock of n0 is {alone}: its messages may seem early"
    assert said_of_first(3) == f"the clocks of n0, n1, n2 are {many}: their messages may seem early"
    assert said_of_first(9).startswith(f"the clocks of n0, n1, n2, n3 and 5 more are {many}")


def test_a_rank_without_a_log_is_said_to_have_had_no_tracer_only_where_the_others_found_that() -> None:
    missing = msgspec.structs.replace(SUMMARY, missing=[RankOf(0, 0), RankOf(0, 3)])
    (lost,) = warnings(missing)
    (untraced,) = warnings(msgspec.structs.replace(missing, untraced_ranks=2))
    assert lost.what == "no log of ranks 0, 3: not traced, or its log is elsewhere"
    assert untraced.what == "ranks 0, 3 had no tracer: messages with them are not in the trace"


def test_ranks_without_the_tracer_are_the_reason_why_clocks_were_not_compared() -> None:
    hosts = [HostAlignment("a", "reference", 0), HostAlignment("b", "time of day", 0)]
    missing = [RankOf(0, 0)]
    found = warnings(msgspec.structs.replace(SUMMARY, missing=missing, untraced_ranks=1, hosts=hosts))
    assert "clocks of hosts were not compared" in next(found).what


def ended(rank: int, call: str, *, thread: int = 0) -> ThreadTimes:
    return msgspec.structs.replace(THREAD, rank=rank, thread=thread, in_call=call, finished=False)


def what_ended(*threads: ThreadTimes) -> list[str]:
    found = list(warnings(msgspec.structs.replace(SUMMARY, threads=list(threads))))
    assert {one.code for one in found} <= {"trace.unfinished"}
    return [one.what for one in found]


def test_the_rank_that_ended_elsewhere_stands_before_all_that_waited_for_it() -> None:
    waiting = [ended(rank, "MPI_Barrier") for rank in range(1024) if rank != 7]
    assert what_ended(*waiting, ended(7, "MPI_Abort")) == [
        "rank 7 ended in MPI_Abort without MPI_Finalize",
        "ranks 0-6, 8-1023 ended in MPI_Barrier without MPI_Finalize",
    ]


@pytest.mark.parametrize("call", ["", "MPI_Abort"])
def test_of_two_ranks_the_one_that_waited_for_the_other_stands_last(call: str) -> None:
    within = f" in {call}" if call else ""
    assert what_ended(ended(0, "MPI_Recv"), ended(1, call)) == [
        f"rank 1 ended{within} without MPI_Finalize",
        "rank 0 ended in MPI_Recv without MPI_Finalize",
    ]


def test_who_aborts_stands_first_also_among_few_that_were_in_other_calls() -> None:
    threads = [ended(0, "MPI_Recv"), *(ended(rank, "MPI_Abort") for rank in (1, 2))]
    assert what_ended(*threads)[0] == "ranks 1, 2 ended in MPI_Abort without MPI_Finalize"


def test_a_rank_that_mpi_abort_returned_to_is_named_though_it_ended_elsewhere() -> None:
    went_on = msgspec.structs.replace(ended(1, "MPI_Finalize"), calls=[CallTime("MPI_Abort", "other", 1, 1)])
    found = warnings(msgspec.structs.replace(SUMMARY, threads=[ended(0, "MPI_Finalize"), went_on]))
    assert [one.what for one in found] == [
        "ranks 0, 1 ended in MPI_Finalize",
        "rank 1 called MPI_Abort, which ended the run",
    ]


def polled(tests: int, sends: int) -> MergeSummary:
    calls = [
        CallTime("MPI_Testany", "other", tests // 2, 1),
        CallTime("MPI_Iprobe", "point-to-point", tests - tests // 2, 1),
        CallTime("MPI_Send", "point-to-point", sends, 1),
    ]
    thread = msgspec.structs.replace(THREAD, calls=calls)
    return msgspec.structs.replace(SUMMARY, threads=[thread], calls=tests + sends)


def test_a_trace_of_little_but_polling_comes_with_the_option_that_leaves_it_out() -> None:
    (found,) = warnings(polled(9_000_000, 900_000))
    assert found.code == "trace.polling"
    assert found.what == (
        "9,000,000 of 9,900,000 calls are tests and probes: --count-misses records only those that get "
        "something"
    )


@pytest.mark.parametrize(("tests", "sends"), [(900_000, 0), (2_000_000, 1_000_000)])
def test_some_polling_is_not_worth_a_word(tests: int, sends: int) -> None:
    assert said(polled(tests, sends)) == []


def test_a_thread_is_named_only_where_it_ended_in_a_call() -> None:
    threads = [ended(0, "MPI_Recv", thread=2), *(ended(0, "", thread=number) for number in (0, 1, 3))]
    assert what_ended(*threads) == [
        "rank 0 ended without MPI_Finalize",
        "rank 0, thread 2 ended in MPI_Recv",
    ]


def test_further_threads_that_ended_in_the_same_call_are_counted() -> None:
    threads = [ended(rank, "MPI_Recv", thread=number) for rank in (0, 1) for number in (0, 1, 2)]
    assert what_ended(*threads) == [
        "ranks 0, 1 ended in MPI_Recv without MPI_Finalize",
        "4 threads of ranks 0, 1 ended in MPI_Recv",
    ]


def test_a_rank_that_did_not_come_back_from_its_last_call_is_said_to_be_in_it() -> None:
    assert what_ended(ended(0, "MPI_Finalize")) == ["rank 0 ended in MPI_Finalize"]


def test_ranks_of_two_programs_are_not_taken_for_one_another() -> None:
    other = msgspec.structs.replace(ended(0, ""), application=1)
    assert what_ended(ended(0, ""), ended(1, ""), other) == [
        "rank 0 ended without MPI_Finalize",
        "ranks 0, 1 ended without MPI_Finalize",
    ]


def test_many_ranks_are_counted_after_the_first_groups_of_them() -> None:
    (found,) = what_ended(*(ended(rank, "") for rank in range(0, 40, 2)))
    assert found == "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 12 more ended without MPI_Finalize"


def test_messages_that_have_lost_their_partners_are_said() -> None:
    assert said(msgspec.structs.replace(SUMMARY, left_out_messages=4)) == ["trace.left-out"]


def test_messages_that_arrive_before_they_are_sent_are_said() -> None:
    (one,) = warnings(msgspec.structs.replace(SUMMARY, early_messages=2))
    assert (one.code, one.what[:40]) == ("trace.early", "2 messages arrived before the send, by m")


def test_receives_of_which_nothing_tells_what_they_got_are_counted() -> None:
    (one,) = warnings(msgspec.structs.replace(SUMMARY, undetermined_receives=2))
    assert (one.code, one.what[:19]) == ("trace.undetermined", "2 receives left out")


@pytest.mark.parametrize(("in_call", "calls"), [("", 5), ("MPI_Recv", 6)])
def test_a_trace_has_the_call_in_which_a_thread_ended_beside_those_of_its_summary(
    tmp_path: Path, in_call: str, calls: int
) -> None:
    thread = msgspec.structs.replace(THREAD, finished=not in_call, in_call=in_call)
    summary = msgspec.structs.replace(SUMMARY, calls=5, threads=[thread])
    (tmp_path / trace_folder.SUMMARY).write_bytes(msgspec.json.encode(summary))
    for count in (4, 5, 6, 7):
        known = job.summary_beside(tmp_path / "trace.groma", sums_of_calls(count))
        assert (known == summary) == (count == calls)


def test_a_part_of_a_trace_without_its_messages_has_not_its_summary(tmp_path: Path) -> None:
    summary = msgspec.structs.replace(SUMMARY, calls=5, messages=3)
    (tmp_path / trace_folder.SUMMARY).write_bytes(msgspec.json.encode(summary))
    for messages in (0, 3):
        sums = msgspec.structs.replace(sums_of_calls(5), records=Records(communications=messages))
        assert (job.summary_beside(tmp_path / "trace.prv", sums) is not None) == (messages == 3)


def test_a_program_of_another_mpi_beside_the_traced_one_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / trace_folder.LOGS
    logs.mkdir()
    (logs / "other-mpi").touch()
    monkeypatch.setattr(job, "merge", lambda *_: SUMMARY)
    assert said(job.merged_summary(logs, tmp_path / "trace", None)) == ["trace.other-mpi"]


def test_a_folder_that_was_removed_during_the_run_is_said(tmp_path: Path) -> None:
    error = job.why_nothing(["true"], tmp_path / "gone")
    assert "removed during the run" in error.what
    assert error.exit_code == ExitCode.NOTHING_RAN


def test_a_command_that_failed_is_said_and_not_suspected_of_having_no_mpi(tmp_path: Path) -> None:
    error = job.why_nothing(["true"], tmp_path, 213)
    assert error.what == "nothing was traced: the command ended with exit code 213 before MPI_Init"
    assert error.next_step == "see its messages above"
    assert "check that the command runs an MPI program" in job.why_nothing(["true"], tmp_path).next_step


def test_a_folder_without_logs_is_answered_with_the_command_that_fills_it(tmp_path: Path) -> None:
    folder = tmp_path / "my runs"
    (folder / trace_folder.LOGS).mkdir(parents=True)
    with pytest.raises(GromaError, match="has no logs of groma's tracer") as refused:
        job.merge_run(folder, "trace", None, None)
    assert f"groma trace -o '{folder}' -- mpirun" in refused.value.next_step


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/x", "summary"])
def test_a_name_that_writes_outside_of_the_folder_or_over_the_summary_is_refused(
    tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with pytest.raises(GromaError) as refused:
        job.merge_run(folder, name, None, None)
    assert refused.value.what == f"{name!r} is not the name of a trace"
    assert refused.value.exit_code == ExitCode.USAGE
    assert [*tmp_path.rglob("*")] == [folder]
