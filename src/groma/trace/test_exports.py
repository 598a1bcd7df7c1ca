"""Traces in formats of other programs, read back by libraries of their own."""

from __future__ import annotations

import gc
import gzip
import importlib
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.trace import otf2_events
from groma.trace.otf2 import write_otf2
from groma.trace.parquet import write_parquet
from groma.trace.printed import write_printed

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.launch.trace_store import TraceWarning

TRACE = Path(__file__).parents[3] / "tests/data/traces/clean.prv"


def table(path: Path) -> Any:
    return pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()


def test_tables_of_parquet_have_each_record_with_its_place_and_its_name(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    written = write_parquet(TRACE, tmp_path / "t", None)
    assert list(written.files.values()) == [6, 4, 1]
    states = table(tmp_path / "t/states.parquet")
    assert states[3] == {
        "application": 0,
        "rank": 0,
        "thread": 0,
        "begin": 600,
        "end": 700,
        "state": 4,
        "label": "Blocking Send",
    }
    events = table(tmp_path / "t/events.parquet")
    assert [(one["rank"], one["time"], one["label"]) for one in events[:2]] == [
        (1, 300, "MPI_Recv"),
        (0, 600, "MPI_Send"),
    ]
    (message,) = table(tmp_path / "t/messages.parquet")
    assert (message["sender_rank"], message["receiver_rank"], message["bytes"]) == (0, 1, 1000)


def test_an_archive_of_otf2_has_calls_with_their_messages_within(tmp_path: Path) -> None:
    pytest.importorskip("otf2")
    reader = importlib.import_module("otf2.reader")
    written = write_otf2(TRACE, tmp_path / "t", None)
    found = []
    with reader.open(written.archive) as archive:
        for location, event in archive.events:
            what = type(event).__name__
            name = event.region.name if what in {"Enter", "Leave"} else event.msg_length
            found.append((location.group.name, event.time, what, name))
    assert found == [
        ("MPI Rank 1", 300, "Enter", "MPI_Recv"),
        ("MPI Rank 0", 600, "Enter", "MPI_Send"),
        ("MPI Rank 0", 600, "MpiSend", 1000),
        ("MPI Rank 0", 700, "Leave", "MPI_Send"),
        ("MPI Rank 1", 800, "MpiRecv", 1000),
        ("MPI Rank 1", 800, "Leave", "MPI_Recv"),
    ]
    with pytest.raises(GromaError, match="holds an archive already"):
        write_otf2(TRACE, tmp_path / "t", None)


def archived(text: str, folder: Path, row: str = "") -> list[tuple[str, int, str, Any]]:
    """Rank, time, kind and content of each event of an archive made of a .prv."""
    pytest.importorskip("otf2")
    trace = folder / "t.prv"
    trace.write_text(text)
    trace.with_suffix(".row").write_text(row)
    written = write_otf2(trace, folder / "archive", None)
    found = []
    with importlib.import_module("otf2.reader").open(written.archive) as archive:
        for location, event in archive.events:
            what = type(event).__name__
            if what in {"MpiSend", "MpiRecv"}:
                partner = event.receiver if what == "MpiSend" else event.sender
                other = event.communicator.location(partner)
                content = (other.group.name, event.msg_length)
            else:
                content = event.region.name
            found.append((location.group.name, event.time, what, content))
    assert len(found) == written.events
    return found


def test_times_of_an_archive_are_exact_also_where_they_are_dates(tmp_path: Path) -> None:
    begin = 1_700_000_000_000_000_003
    text = (
        f"#Paraver (01/01/2026 at 10:00):{begin + 90}_ns:1(1):1:1(1:1)\n"
        f"2:1:1:1:1:{begin}:50000001:1\n2:1:1:1:1:{begin + 10}:50000001:0\n"
    )
    found = archived(text, tmp_path)
    assert [(time, what) for _, time, what, _ in found] == [(begin, "Enter"), (begin + 10, "Leave")]


def test_calls_of_an_archive_are_paired_as_tables_pair_them(tmp_path: Path) -> None:
    """An outer call has its end in the line in which the next call begins."""
    head = "#Paraver (01/01/2026 at 10:00):90_ns:1(1):1:1(1:1)\n"
    lines = ["10:50000002:8", "20:50000001:1", "30:50000001:0", "40:50000002:0:50000001:1", "60:50000001:0"]
    found = archived(head + "".join(f"2:1:1:1:1:{line}\n" for line in lines), tmp_path)
    assert [(time, what, name) for _, time, what, name in found] == [
        (10, "Enter", "MPI_Barrier"),
        (20, "Leave", "MPI_Barrier"),
        (20, "Enter", "MPI_Send"),
        (30, "Leave", "MPI_Send"),
        (40, "Enter", "MPI_Send"),
        (60, "Leave", "MPI_Send"),
    ]


def test_each_application_of_an_archive_has_its_own_ranks(tmp_path: Path) -> None:
    made = archived(
        "#Paraver (x):900_ns:1(4):2:2(1:1,1:1):2(1:1,1:1)\n"
        "3:1:1:1:1:10:10:2:1:2:1:20:20:64:5\n"
        "3:3:2:1:1:30:30:4:2:2:1:40:40:32:5\n"
        "3:2:1:2:1:50:50:4:2:2:1:60:60:16:5\n",
        tmp_path,
    )
    assert made == [
        ("MPI Rank 0", 10, "MpiSend", ("MPI Rank 1", 64)),
        ("MPI Rank 1", 20, "MpiRecv", ("MPI Rank 0", 64)),
        ("MPI Rank 1.0", 30, "MpiSend", ("MPI Rank 1.1", 32)),
        ("MPI Rank 1.1", 40, "MpiRecv", ("MPI Rank 1.0", 32)),
        ("MPI Rank 1", 50, "MpiSend", ("MPI Rank 1.1", 16)),
        ("MPI Rank 1.1", 60, "MpiRecv", ("MPI Rank 1", 16)),
    ]


def test_an_archive_has_user_functions_and_messages_outside_of_calls(tmp_path: Path) -> None:
    made = archived(
        "#Paraver (x):900_ns:1(2):1:2(1:1,1:1)\n"
        "2:1:1:1:1:5:60000019:3\n2:1:1:1:1:10:50000001:1\n2:1:1:1:1:20:50000001:0\n"
        "3:1:1:1:1:30:30:2:1:2:1:40:40:64:5\n2:1:1:1:1:50:60000019:0\n",
        tmp_path,
    )
    assert made == [
        ("MPI Rank 0", 5, "Enter", "function 3"),
        ("MPI Rank 0", 10, "Enter", "MPI_Send"),
        ("MPI Rank 0", 20, "Leave", "MPI_Send"),
        ("MPI Rank 0", 30, "MpiSend", ("MPI Rank 1", 64)),
        ("MPI Rank 1", 40, "MpiRecv", ("MPI Rank 0", 64)),
        ("MPI Rank 0", 50, "Leave", "function 3"),
    ]


def test_an_archive_of_a_trace_out_of_order_is_in_order(tmp_path: Path) -> None:
    made = archived(
        "#Paraver (x):9_ns:1(1):1:1(1:1)\n2:1:1:1:1:30:50000001:2\n2:1:1:1:1:40:50000001:0\n"
        "2:1:1:1:1:10:50000001:1\n2:1:1:1:1:20:50000001:0\n2:1:1:1:1:50:50000001:1\n1:1:1:1:1:0:60:1\n",
        tmp_path,
    )
    assert [time for _, time, *_ in made] == [10, 20, 30, 40, 50, 60]


@pytest.mark.parametrize(
    ("created", "nanoseconds"),
    [
        ("03/02/2026 at 10:04", 1_770_113_040 * 10**9),
        ("01/01/1970 at 00:00", 0),
        ("31/02/2026 at 10:04", 2**64 - 1),
        ("01/01/1969 at 00:00", 2**64 - 1),
        ("01/01/9999 at 00:00", 2**64 - 1),
        ("yesterday", 2**64 - 1),
        ("", 2**64 - 1),
    ],
)
def test_the_time_of_an_archive_is_that_of_the_trace_or_undefined(
    created: str, nanoseconds: int, tmp_path: Path
) -> None:
    text = f"#Paraver ({created}):90_ns:1(1):1:1(1:1)\n2:1:1:1:1:5:50000001:1\n2:1:1:1:1:9:50000001:0\n"
    archived(text, tmp_path)
    with importlib.import_module("otf2.reader").open(str(tmp_path / "archive/traces.otf2")) as archive:
        clock = archive.definitions.clock_properties
    assert clock.realtime_timestamp == nanoseconds
    assert (clock.timer_resolution, clock.global_offset) == (10**9, 5)


NOT_UTF8 = os.fsdecode(b"m\xfcll")


def test_tables_go_into_a_folder_of_any_name(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    written = write_parquet(TRACE, tmp_path / NOT_UTF8, None)
    assert list(written.files.values()) == [6, 4, 1]
    with (tmp_path / NOT_UTF8 / "events.parquet").open("rb") as file:
        assert len(importlib.import_module("pyarrow.parquet").read_table(file)) == 4


def test_an_archive_in_a_folder_whose_name_otf2_cannot_take_is_refused_before_anything_is_made(
    tmp_path: Path,
) -> None:
    pytest.importorskip("otf2")
    with pytest.raises(GromaError, match="names in UTF-8 alone") as refused:
        write_otf2(TRACE, tmp_path / NOT_UTF8, None)
    assert refused.value.exit_code == ExitCode.USAGE
    assert list(tmp_path.iterdir()) == []


def test_an_archive_says_what_it_leaves_out(tmp_path: Path) -> None:
    pytest.importorskip("otf2")
    assert write_otf2(TRACE, tmp_path / "t", None).left_out == {"states": 6, "events": 0}


def test_nodes_of_an_archive_stay_apart_also_without_names(tmp_path: Path) -> None:
    text = "#Paraver (x):9_ns:2(1,1):1:2(1:1,1:2)\n1:1:1:1:1:0:9:1\n1:2:1:2:1:0:9:1\n"
    assert archived(text, tmp_path) == []
    with importlib.import_module("otf2.reader").open(str(tmp_path / "archive/traces.otf2")) as archive:
        nodes = [one.group.system_tree_parent.name for one in archive.definitions.locations]
    assert nodes == ["node 1", "node 2"]


def test_an_archive_that_cannot_be_written_leaves_nothing_and_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("otf2")
    cause = importlib.import_module("_otf2.ErrorCodes").ERROR_INVALID.value
    function = otf2_events.function

    def failing(event: str) -> Any:
        return (lambda *_: cause) if event == "MpiRecv" else function(event)

    monkeypatch.setattr(otf2_events, "function", failing)
    with pytest.raises(GromaError, match="cannot be written: INVALID"):
        write_otf2(TRACE, tmp_path / "t", None)
    gc.collect()
    assert list((tmp_path / "t").iterdir()) == []
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("package", "write"), [("pyarrow.parquet", write_parquet), ("otf2", write_otf2)])
def test_without_its_package_an_export_says_how_to_get_it(
    package: str, write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    if package == "otf2":
        for part in ("otf2.writer", "otf2.error"):
            monkeypatch.setitem(sys.modules, part, None)
    with pytest.raises(GromaError, match="not installed") as refused:
        write(TRACE, tmp_path / "t", None)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert "pip install" in refused.value.next_step


@pytest.mark.parametrize("ending", ["prv", "pcf", "row", "groma", "prv.gz"])
def test_what_is_printed_does_not_replace_the_trace_nor_what_belongs_to_it(
    ending: str, tmp_path: Path
) -> None:
    trace = tmp_path / "t.prv"
    trace.write_bytes(TRACE.read_bytes())
    with pytest.raises(GromaError, match="would replace the trace"):
        write_printed("perfetto", tmp_path, tmp_path / f"t.{ending}", None)
    assert [one.name for one in tmp_path.iterdir()] == ["t.prv"]
    assert trace.read_bytes() == TRACE.read_bytes()


def test_two_writers_of_one_file_do_not_mix(tmp_path: Path) -> None:
    alone, file = tmp_path / "alone.json.gz", tmp_path / "t.json.gz"
    write_printed("perfetto", TRACE, alone, None)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: write_printed("perfetto", TRACE, file, None), range(8)))
    assert file.read_bytes() == alone.read_bytes()
    assert set(tmp_path.iterdir()) == {alone, file}


def test_a_pipe_gets_what_is_printed_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "t.json"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_printed("perfetto", TRACE, pipe, None)
        write_printed("perfetto", TRACE, file, None)
        assert os.read(reader, 1 << 16) == file.read_bytes()
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_dash_stands_for_standard_output(tmp_path: Path, capfdbinary: Any) -> None:
    write_printed("perfetto", TRACE, tmp_path / "t.json", None)
    write_printed("perfetto", TRACE, Path("-"), None)
    assert capfdbinary.readouterr().out == (tmp_path / "t.json").read_bytes()


def test_a_link_goes_on_leading_to_what_is_printed(tmp_path: Path) -> None:
    link, file = tmp_path / "link.json", tmp_path / "t.json"
    file.touch()
    link.symlink_to(file)
    write_printed("perfetto", TRACE, link, None)
    assert link.is_symlink()
    assert file.stat().st_size > 0


def test_tables_that_do_not_become_complete_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    write_parquet(TRACE, tmp_path / "t", None)
    before = {one.name: one.read_bytes() for one in (tmp_path / "t").iterdir()}

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet.ParquetWriter, "write_table", fail)
    for folder in ("t", "new"):
        with pytest.raises(GromaError, match="No space left"):
            write_parquet(TRACE, tmp_path / folder, None)
    assert {one.name: one.read_bytes() for one in (tmp_path / "t").iterdir()} == before
    assert list((tmp_path / "new").iterdir()) == []


UNSORTED = """#Paraver (x):100_ns:1(1):1:1(1:1)
2:1:1:1:1:20:50000001:1
2:1:1:1:1:50:50000001:0
2:1:1:1:1:30:50000001:0
2:1:1:1:1:40:50000001:2
"""


@pytest.fixture
def unsorted(tmp_path: Path) -> Path:
    path = tmp_path / "unsorted.prv"
    path.write_text(UNSORTED)
    return path


def test_slices_of_a_trace_out_of_order_are_those_of_the_sorted_one(unsorted: Path, tmp_path: Path) -> None:
    ordered = tmp_path / "ordered.prv"
    head, *lines = UNSORTED.splitlines()
    ordered.write_text("\n".join([head, *sorted(lines)]) + "\n")
    write_printed("perfetto", ordered, tmp_path / "ordered.json", None)
    warnings = write_printed("perfetto", unsorted, tmp_path / "t.json", None)
    assert (tmp_path / "t.json").read_bytes() == (tmp_path / "ordered.json").read_bytes()
    assert "lines out of order: sorted (1, first in line 4)" in map(str, warnings)
    events = json.loads((tmp_path / "t.json").read_bytes())["traceEvents"]
    assert [(one["ph"], one["ts"]) for one in events if "ts" in one] == [
        ("B", 0.02),
        ("E", 0.03),
        ("B", 0.04),
        ("E", 0.05),
    ]


def test_a_replay_of_a_trace_out_of_order_computes_between_calls(unsorted: Path, tmp_path: Path) -> None:
    write_printed("replay", unsorted, tmp_path / "t.txt", None)
    assert "0 compute 10" in (tmp_path / "t.txt").read_text().splitlines()


@pytest.mark.parametrize("name", ["t.txt", "t.txt.gz"])
def test_an_export_for_a_replay_says_which_calls_are_only_time(name: str, tmp_path: Path) -> None:
    trace = tmp_path / "puts.prv"
    trace.write_text(
        "#Paraver (01/01/2026 at 10:00):100_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:100:1\n"
        "2:1:1:1:1:20:50000004:65\n2:1:1:1:1:30:50000004:0\n2:1:1:1:1:40:50000005:149\n2:1:1:1:1:50:50000005:0\n"
    )
    said = [one for one in write_printed("replay", trace, tmp_path / name, None) if one.code != "no_names"]
    assert [(one.code, one.count) for one in said] == [("replay_other_calls", 2)]
    assert str(said[0]) == "one-sided or I/O calls: only the time that they took is exported (2)"


def test_an_export_for_a_replay_that_holds_all_has_no_warning(tmp_path: Path) -> None:
    said = write_printed("replay", TRACE, tmp_path / "t.txt", None)
    assert [one.code for one in said] == ["no_names"]


def test_rows_of_a_table_are_in_the_order_of_times(unsorted: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    write_parquet(unsorted, tmp_path / "t", None)
    assert [one["time"] for one in table(tmp_path / "t/events.parquet")] == [20, 30, 40, 50]


def test_a_pipe_out_of_order_is_read_once_and_it_is_said(unsorted: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        given = pool.submit(pipe.write_bytes, unsorted.read_bytes())
        warnings = write_printed("perfetto", pipe, tmp_path / "t.json", None)
        given.result()
    (said,) = (one.text for one in warnings if one.code == "unsorted")
    assert "may be wrong" in said


@pytest.mark.parametrize("form", ["perfetto", "replay", "parquet", "otf2"])
def test_an_export_of_a_file_that_breaks_off_says_so(form: str, tmp_path: Path) -> None:
    for package in ("pyarrow", "otf2"):
        pytest.importorskip(package)
    head, *lines = TRACE.read_text().splitlines()
    text = "\n".join([head, *lines, *(lines[-1:] * 20_000)])
    cut = tmp_path / "cut.prv.gz"
    cut.write_bytes(gzip.compress(text.encode(), 1)[:-12])
    writers: dict[str, Callable[[], list[TraceWarning]]] = {
        "perfetto": lambda: write_printed("perfetto", cut, tmp_path / "t", None),
        "replay": lambda: write_printed("replay", cut, tmp_path / "t", None),
        "parquet": lambda: write_parquet(cut, tmp_path / "t", None).warnings,
        "otf2": lambda: write_otf2(cut, tmp_path / "t", None).warnings,
    }
    assert "damaged_file" in [one.code for one in writers[form]()]


@pytest.mark.parametrize("write", [write_parquet, write_otf2])
def test_what_is_no_trace_leaves_no_folder(write: Any, tmp_path: Path) -> None:
    for package in ("pyarrow", "otf2"):
        pytest.importorskip(package)
    (tmp_path / "no.prv").write_text("nothing")
    with pytest.raises(GromaError, match="not a Paraver header"):
        write(tmp_path / "no.prv", tmp_path / "made", None)
    assert not (tmp_path / "made").exists()


def test_a_redacted_trace_from_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "t.json"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        given = pool.submit(pipe.write_bytes, TRACE.read_bytes())
        write_printed("perfetto", pipe, file, None, redact=True)
        given.result()
    assert b'"ph":"B"' in file.read_bytes()
