"""Traces in formats of other programs, read back by libraries of their own."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.trace.otf2 import Message, Step, steps_of, with_messages, write_otf2
from groma.trace.parquet import write_parquet

if TYPE_CHECKING:
    from collections.abc import Sequence

TRACE = Path(__file__).parents[3] / "tests/data/traces/clean.prv"
SEND, RECV = (50000001, 1), (50000001, 2)


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


def shown(steps: Sequence[Step]) -> list[tuple[int, str]]:
    return [(one.time, one.what) for one in steps]


def test_calls_without_time_keep_their_messages_within(tmp_path: Path) -> None:
    del tmp_path
    events = [(5, *SEND), (5, SEND[0], 0), (5, *RECV), (5, RECV[0], 0)]
    made = with_messages(list(steps_of(events, 9)), [Message(5, 1, 0, 8)], [Message(5, 1, 0, 8)])
    whats = [one.what for one in made]
    assert whats.index("enter") < whats.index("send")
    assert whats.index("receive") < len(whats) - 1
    assert whats.count("enter") == whats.count("leave") == 2


def test_regions_nest_and_what_is_open_ends_with_the_trace() -> None:
    region = 90000000
    events = [(1, region, 1), (2, region, 2), (3, *SEND), (4, SEND[0], 0), (5, region, 1), (6, *RECV)]
    assert shown(list(steps_of(events, 9))) == [
        (1, "enter"),
        (2, "enter"),
        (3, "enter"),
        (4, "leave"),
        (5, "leave"),
        (6, "enter"),
        (9, "leave"),
        (9, "leave"),
    ]


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
