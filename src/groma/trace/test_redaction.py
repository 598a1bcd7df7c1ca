"""An exported trace that is redacted names no host, no user and no folder of a user."""

from __future__ import annotations

import gzip
import importlib
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast

import pytest

from groma.record.redact import redacted
from groma.trace.job import record_of
from groma.trace.otf2 import write_otf2
from groma.trace.parquet import write_parquet
from groma.trace.printed import write_printed
from groma.trace.redaction import CleanedEvents, changed_labels, head_without_names
from groma.trace.rows import NamedType, RowsHead

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

TRACE = """#Paraver (x):100_ns:2(1,1):1:2(1:1,1:2)
2:1:1:1:1:10:90000000:1
2:1:1:1:1:20:50000001:1:90000001:5
2:1:1:1:1:30:50000001:0
2:1:1:1:1:40:90000000:0
"""
PCF = """EVENT_TYPE
9 90000000 Region
VALUES
1 read /home/janet/data on n0091

EVENT_TYPE
9 50000001 MPI
VALUES
1 MPI_Send

EVENT_TYPE
9 90000001 load of n0092
"""
ROW = "LEVEL NODE SIZE 2\nn0091.example.org\nn0092.example.org\n"
HEAD = RowsHead(
    created="",
    duration=100,
    nodes=["n0091.example.org", "n0092.example.org"],
    objects=[(0, 0, 0, 0), (0, 1, 0, 1)],
    states=[],
    types=[
        NamedType(90000000, "Region", [(1, "read /home/janet/data on n0091")]),
        NamedType(50000001, "MPI", [(1, "MPI_Send")]),
        NamedType(90000001, "load of n0092", []),
    ],
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "t.prv"
    path.parent.mkdir()
    path.write_text(TRACE)
    path.with_suffix(".pcf").write_text(PCF)
    path.with_suffix(".row").write_text(ROW)
    return path


def test_nodes_are_numbered_and_labels_lose_names() -> None:
    clean = head_without_names(HEAD)
    assert clean.nodes == ["host-1", "host-2"]
    assert clean.types[0].values == [(1, "read /home/user/data on host-1")]
    assert changed_labels(HEAD) == {
        "read /home/janet/data on n0091": "read /home/user/data on host-1",
        "load of n0092": "load of host-2",
    }


def test_events_for_perfetto_change_labels_alone_also_across_chunks() -> None:
    events = [
        {"ph": "B", "name": "name", "args": {"load of n0092": 5, "bytes": 1}},
        {"ph": "B", "name": "load of n0092 7", "cat": "n0092 \u00e9"},
    ]
    text = ",\n".join(json.dumps(one) for one in events).encode()
    out = BytesIO()
    file = CleanedEvents(cast("IO[bytes]", out), {"load of n0092": "load of host-2", "name": "x"})
    for at in range(0, len(text), 7):
        file.write(text[at : at + 7])
    file.finish()
    assert json.loads(b"[" + out.getvalue() + b"]") == [
        {"ph": "B", "name": "name", "args": {"load of host-2": 5, "bytes": 1}},
        {"ph": "B", "name": "load of host-2 7", "cat": "n0092 \u00e9"},
    ]


@pytest.mark.parametrize("redact", [False, True])
def test_a_redacted_trace_for_perfetto_names_nobody(trace: Path, tmp_path: Path, *, redact: bool) -> None:
    target = tmp_path / "t.json.gz"
    write_printed("perfetto", trace, target, None, redact=redact)
    text = gzip.decompress(target.read_bytes()).decode()
    assert ("janet" in text) is not redact
    names = {one.get("name", "") for one in json.loads(text)["traceEvents"]}
    assert any(one.startswith("read /home/user/data") for one in names) is redact


@pytest.mark.parametrize("redact", [False, True])
def test_redacted_tables_of_parquet_name_nobody(trace: Path, tmp_path: Path, *, redact: bool) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    write_parquet(trace, tmp_path / "t", None, redact=redact)
    text = str(parquet.read_table(tmp_path / "t/events.parquet").to_pylist())
    assert ("janet" in text) is not redact


@pytest.mark.parametrize("redact", [False, True])
def test_a_redacted_archive_names_nobody(trace: Path, tmp_path: Path, *, redact: bool) -> None:
    pytest.importorskip("otf2")
    written = write_otf2(trace, tmp_path / "t", None, redact=redact)
    with importlib.import_module("otf2.reader").open(written.archive) as archive:
        text = str([one.name for one in archive.definitions.strings])
    assert ("janet" in text) is not redact


def test_a_redacted_record_of_a_trace_names_none_of_its_nodes(trace: Path) -> None:
    assert "n0091" in str(record_of(trace, None).facts.regions)
    found = record_of(trace, None, redact=True).facts.regions
    assert [one.label for one in found] == ["read /home/user/data on host-1"]


def test_a_record_keeps_the_names_of_its_nodes_so_that_it_can_be_redacted_later(trace: Path) -> None:
    record = record_of(trace, None)
    assert record.facts.hosts == ["n0091.example.org", "n0092.example.org"]
    later = redacted(record).facts
    assert later.hosts == ["host-1", "host-2"]
    assert [one.label for one in later.regions] == ["read /home/user/data on host-1"]


def test_hosts_that_the_merge_named_leave_a_record_as_well(trace: Path) -> None:
    said: dict[str, Any] = {key: [] for key in ("threads", "missing", "refused", "ranks", "matrix")}
    said |= dict.fromkeys(("logs", "log_bytes", "messages", "unmatched_sends", "unmatched_receives"), 0)
    said |= {"duration": 40e-9, "calls": 1, "program": "/home/janet/app", "library": ""}
    said["hosts"] = [{"name": "n0093", "aligned_by": "round trips", "error": 0.0}]
    (trace.parent / "summary.json").write_text(json.dumps(said))
    tracing = record_of(trace, None, redact=True).facts.tracing
    assert tracing is not None
    assert [one.name for one in tracing.hosts] == ["host-3"]
    assert tracing.program == "/home/user/app"
