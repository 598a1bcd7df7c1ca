from __future__ import annotations

import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.hpcc import KIND
from groma.facts.identity import run_key
from groma.facts.kinds import kind_of_file
from groma.hpccoutf.imported import imported_records
from groma.hpccoutf.test_runs import GOLDEN, HEADER, SIXTEEN, run_text, summary
from groma.record.record import UNKNOWN_TIME


def test_every_run_of_a_file_becomes_a_record() -> None:
    records = imported_records((run_text(SIXTEEN) + run_text(SIXTEEN | {"Success": "0"})).encode(), "old.txt")
    assert [one.facts.success for one in records] == [True, False]
    assert [one.facts.origin for one in records] == [
        "old.txt, run 1 of 2, written by hpcc 1.5.0",
        "old.txt, run 2 of 2, written by hpcc 1.5.0",
    ]
    assert all(one.kind == "hpcc" and not one.facts.tests and not one.samples for one in records)


def test_a_run_is_the_same_in_a_file_that_grew() -> None:
    later = run_text(SIXTEEN | {"HPL_Tflops": "0.11"})
    (alone,) = imported_records(run_text(SIXTEEN).encode(), "x.txt")
    first, second = imported_records((run_text(SIXTEEN) + later).encode(), "y.txt")
    assert run_key(alone) == run_key(first)
    assert run_key(first) != run_key(second)


def test_the_program_that_wrote_a_file_is_named() -> None:
    (own,) = imported_records(GOLDEN.read_bytes(), "hpccoutf.txt")
    assert own.facts.origin == "hpccoutf.txt, written by groma 0.1.0"
    assert own.build.version == "groma 0.1.0"
    both = imported_records(GOLDEN.read_bytes() + run_text(SIXTEEN).encode(), "both.txt")
    assert [one.build.version for one in both] == ["groma 0.1.0", "hpcc 1.5.0"]
    older = run_text(SIXTEEN).replace("version 1.5.0 October", "version 1.4.1 June")
    assert imported_records(older.encode(), "old.txt")[0].build.version == "hpcc 1.4.1"
    labelled = "".join(f"[1,0]<stdout>:{line}\n" for line in GOLDEN.read_text().splitlines())
    assert imported_records(labelled.encode(), "log")[0].build.version == "groma 0.1.0"


def test_values_are_kept_as_written_and_unset_ones_left_out() -> None:
    (record,) = imported_records(run_text(SIXTEEN).encode(), "old.txt")
    assert record.facts.summary["HPL_Tflops"] == "0.120409"
    assert "MemProc" not in record.facts.summary


def test_what_a_test_that_did_not_run_has_left_is_left_out() -> None:
    skipped = {"StarRandomAccess_LCG_GUPs": "0", "SingleRandomAccess_LCG_GUPs": "0.02"}
    left = run_text(SIXTEEN | skipped | {"RandomAccess_LCG_N": "-1"})
    (record,) = imported_records(left.encode(), "old.txt")
    assert not [key for key in record.facts.summary if "RandomAccess_LCG" in key]


@pytest.mark.parametrize("seconds", ["0", "99999999999", "9" * 20, "9" * 5000])
def test_a_time_that_no_clock_shows_is_no_error(seconds: str) -> None:
    text = run_text(SIXTEEN).replace("1553529900", seconds).replace("1553530370", seconds)
    (record,) = imported_records(text.encode(), "old.txt")
    assert record.created == UNKNOWN_TIME or record.created.endswith("+00:00")


def test_the_time_and_the_machine_are_those_of_the_run() -> None:
    (record,) = imported_records(run_text(SIXTEEN).encode(), "old.txt")
    assert record.created == "2019-03-25T16:05:00+00:00"
    assert record.environment["host"] == "node1"


def test_what_is_not_reported_stays_unknown() -> None:
    (record,) = imported_records(summary(SIXTEEN).encode(), "old.txt")
    assert record.created == UNKNOWN_TIME
    assert "an unknown program" in (record.facts.origin or "")


def test_doubts_come_along_and_a_cut_run_claims_no_success() -> None:
    text = HEADER + "Begin of Summary section.\nSuccess=1\nHPL_Tflops=0.1\n"
    (record,) = imported_records(text.encode(), "old.txt")
    assert record.facts.success is None
    assert "hpccoutf.cut" in [one.code for one in record.warnings]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (GOLDEN.read_bytes(), True),
        (summary(SIXTEEN).encode(), True),
        (b"\xff\xfe" + run_text(SIXTEEN).encode(), True),
        (b'{"schema": "groma.record/1", "what": "HPC Challenge Benchmark"}', False),
        (b"size_bytes,latency_ns\n", False),
        (b"", False),
    ],
)
def test_outputs_are_distinguished_from_records(content: bytes, expected: bool) -> None:
    assert (kind_of_file(content) is KIND) is expected


def test_bytes_that_are_no_text_do_not_matter() -> None:
    assert len(imported_records(b"\xff\n" + run_text(SIXTEEN).encode(), "old.txt")) == 1


@pytest.mark.parametrize(
    "text",
    ["x Begin of Summary section. x", "we ran the HPC Challenge Benchmark", "# Begin of Summary section."],
)
def test_text_that_only_speaks_of_the_suite_is_refused(text: str) -> None:
    assert kind_of_file(text.encode()) is KIND
    with pytest.raises(GromaError, match="contains no run") as caught:
        imported_records(text.encode(), "notes.txt")
    assert caught.value.exit_code == ExitCode.USAGE
