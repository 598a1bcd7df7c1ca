"""Traces of a replay: recorded ones are turned into text, texts are taken as they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.replay_losses import Losses
from groma.machine.files import find_machine
from groma.sim.torus.parameters import GIVEN
from groma.sim.torus.protocol import Result, event_of
from groma.sim.torus.replayed import UNSIZED, advice_of, advice_of_result, readable_again, replayable
from groma.sim.torus.simulation_plan import SimulationOptions, SimulationPlan, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = b'0 init\n0 finalize\n# {"other_calls":2,"left_out":0}\n'
RECORDED = Path(__file__).parents[4] / "tests/data/traces/clean.prv"


def plan(trace: Path, *settings: str) -> SimulationPlan:
    machine = find_machine("bluegene-p")
    return plan_of(
        SimulationOptions(machine=machine, workload="replay", shape="2", trace=trace, settings=settings)
    )


def test_what_a_recorded_trace_computes_takes_as_long_as_it_took() -> None:
    assert plan(RECORDED).request.workload["cycles_per_unit"] == pytest.approx(0.85)
    found = plan(RECORDED, "workload.cycles_per_unit=0.5")
    assert found.request.workload["cycles_per_unit"] == 0.5
    assert found.request.workload["file"] == str(RECORDED)
    assert {one.source for one in found.parameters if one.name == "workload.file"} == {GIVEN}


def test_logs_that_were_not_merged_are_answered_with_the_merge(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="holds no trace"):
        plan(tmp_path)
    (tmp_path / "0.log").write_bytes(b"gromalog".ljust(64, b"\0"))
    with pytest.raises(GromaError, match="were not merged") as refused:
        plan(tmp_path)
    assert refused.value.next_step.endswith(f"groma merge {tmp_path}")


def test_the_simulator_gets_a_recorded_trace_as_text() -> None:
    with replayable(plan(RECORDED).request, None) as (request, advice):
        text = Path(request.workload["file"])
        assert text.read_text().splitlines()[:3] == ["0 init", "0 compute 600", "0 send 1 0 1000"]
    assert not text.exists()
    assert advice == []


def test_what_is_wrong_with_a_recorded_trace_is_reported(tmp_path: Path) -> None:
    trace = tmp_path / "later.prv"
    trace.write_text(RECORDED.read_text().replace(":1000_ns:", ":900_ns:"))  # it ends before its records
    with replayable(plan(trace).request, None) as (_, advice):
        pass
    assert [one.code for one in advice] == ["trace.wrong_duration"]


def test_a_text_is_taken_as_it_is(tmp_path: Path) -> None:
    text = tmp_path / "trace.txt"
    text.write_text("0 init\n")
    asked = plan(text).request
    assert asked.workload["cycles_per_unit"] == 1
    with replayable(asked, None) as (request, advice):
        assert request == asked
        assert advice == []


@pytest.fixture
def text_in_a_pipe() -> Iterator[Path]:
    """Somebody has written a time-independent trace into it. It can be read once."""
    descriptor, writer = os.pipe()
    os.write(writer, TEXT)
    os.close(writer)
    yield Path(f"/dev/fd/{descriptor}")
    os.close(descriptor)


@pytest.mark.parametrize("is_setting", [True, False])
def test_a_trace_in_a_pipe_is_read_as_a_whole_under_its_own_name(
    text_in_a_pipe: Path, *, is_setting: bool
) -> None:
    name = str(text_in_a_pipe)
    asked = SimulationOptions(
        machine=find_machine("bluegene-p"),
        workload="replay",
        shape="2",
        trace=None if is_setting else text_in_a_pipe,
        settings=(f"workload.file={name}",) if is_setting else (),
    )
    with readable_again(asked) as options:
        found = plan_of(options)
        assert found.request.workload["file"] == name
        assert name in {one.value for one in found.parameters if one.name == "workload.file"}
        with replayable(found.request, None, found.trace_copy) as (request, advice):
            text = Path(request.workload["file"])
            assert text.read_bytes() == TEXT
        assert [one.code for one in advice] == ["torus.replay"]
    assert not text.exists()


def test_a_recorded_trace_may_be_a_pipe() -> None:
    descriptor, writer = os.pipe()
    os.write(writer, RECORDED.read_bytes())
    os.close(writer)
    asked = SimulationOptions(
        machine=find_machine("bluegene-p"), workload="replay", shape="2", trace=Path(f"/dev/fd/{descriptor}")
    )
    with readable_again(asked) as options:
        found = plan_of(options)
        assert found.request.workload["cycles_per_unit"] == pytest.approx(0.85)
        with replayable(found.request, None, found.trace_copy) as (request, _):
            assert Path(request.workload["file"]).read_text().startswith("0 init\n0 compute 600\n")
    os.close(descriptor)


def test_a_device_that_never_ends_is_no_trace() -> None:
    asked = SimulationOptions(
        machine=find_machine("bluegene-p"), workload="replay", shape="2", trace=Path("/dev/zero")
    )
    with pytest.raises(GromaError, match="/dev/zero is a device") as refused, readable_again(asked):
        pass
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize("name", ["text", "missing"])
def test_a_trace_that_can_be_read_again_is_not_copied(name: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(TEXT)
    asked = SimulationOptions(
        machine=find_machine("bluegene-p"), workload="replay", shape="2", trace=tmp_path / name
    )
    with readable_again(asked) as options:
        assert options == asked


def test_what_a_text_leaves_out_is_reported(tmp_path: Path) -> None:
    text = tmp_path / "trace.txt"
    text.write_text('0 init\n0 finalize\n# {"other_calls":2,"left_out":0}\n')
    with replayable(plan(text).request, None) as (_, advice):
        (one,) = advice
    assert "2 one-sided or I/O calls" in one.what


def test_a_folder_of_texts_is_refused_with_what_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "0.txt").write_text("0 init\n")
    with pytest.raises(GromaError, match=r"holds no trace.*time-independent trace"):
        plan(tmp_path)


def test_a_trace_that_ranks_disagree_about_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "t.prv"
    trace.write_text(
        "#Paraver (01/01/2026 at 00:00):9_ns:1(2):1:2(1:1,1:1),0\n"
        "2:1:1:1:1:1:50000002:8\n2:2:1:2:1:1:50000002:7\n"
    )
    request = plan(trace).request
    with pytest.raises(GromaError, match="ranks disagree") as raised, replayable(request, None):
        pass
    assert raised.value.exit_code == ExitCode.USAGE


def test_losses_are_reported_in_one_warning() -> None:
    assert list(advice_of(Losses())) == []
    (one,) = advice_of(Losses(other_calls=2, cut=1))
    assert "2 one-sided or I/O calls" in one.what
    assert "1 collectives are left out" in one.what


def test_messages_that_nobody_receives_are_counted_in_a_warning() -> None:
    line = (
        b'{"event": "result", "finished": true, "time": 1, "packets": 1, "packet_hops": 1, '
        b'"unreceived": {"messages": 2, "of_collectives": 5, "first": [0, 2, 7]}}'
    )
    result = event_of(line)
    assert isinstance(result, Result)
    assert result.values == {}
    program, collectives = advice_of_result(result)
    assert program.what == "messages that no rank receives: 2, the first from rank 0 to rank 2 with tag 7"
    assert "ranks disagree about a collective" in collectives.what


UNSENT = (
    b'{"event": "result", "finished": true, "time": 1, "packets": 1, "packet_hops": 1, '
    b'"unsent": {"receives": 2, "of_collectives": 1, "ranks": [1, 4], "first": [0, 1, -1], "sendrecvs": %d}}'
)


def test_ranks_that_wait_for_what_nobody_sends_are_named() -> None:
    result = event_of(UNSENT % 0)
    assert isinstance(result, Result)
    assert result.values == {}
    (one,) = advice_of_result(result)
    assert one.code == "torus.unsent"
    assert "no rank sends: 1, 4 (2 receives, 1 of collectives)" in one.what
    assert one.what.endswith("the first is that of rank 1 from rank 0 with any tag")
    assert "MPI_PROC_NULL" not in one.next


def test_a_trace_with_sendrecv_may_lack_those_with_mpi_proc_null() -> None:
    result = event_of(UNSENT % 3)
    assert isinstance(result, Result)
    (one,) = advice_of_result(result)
    assert "MPI_PROC_NULL" in one.next


def test_calls_whose_sizes_are_unknown_are_counted_in_a_warning() -> None:
    result = Result(finished=True, time=1, packets=1, packet_hops=1)
    assert advice_of_result(result) == []
    (one,) = advice_of_result(msgspec.structs.replace(result, values={UNSIZED: [3.0]}))
    assert one.what.startswith("3 calls of the trace")
