"""A trace of Extrae 5.1.2 in groma's tables: what the same program noted while Extrae traced it.

`tests/data/traces/extrae` is calls.c on two ranks of Open MPI 4.1, with callers of level 1. Its paths and the
name of its host were replaced; of the .pcf the values that occur are left.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from installed import ROOT
from traced import GROMA, noted, start

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "tests/data/traces/extrae"
RANKS = range(2)
RENAMED = {"Init_thread": "Init", "Intercomm_create": "Intercomm_merge", "Imrecv": "Irecv"}
"""Extrae gives these calls the number of another one."""
UNKNOWN = {
    "Accumulate",
    "Cart_coords",
    "Cart_rank",
    "Cart_shift",
    "Comm_compare",
    "Comm_group",
    "Comm_idup",
    "Comm_remote_size",
    "Dims_create",
    "File_iread_at",
    "File_seek",
    "File_sync",
    "Rput",
    "Topo_test",
    "Win_lock_all",
    "Win_sync",
    "Win_unlock_all",
}
"""Calls of the program that Extrae does not record."""
POLLED = {"Improbe", "Iprobe", "Test", "Testall", "Testany", "Testsome"}
"""Of these, Extrae counts those that got nothing."""

Rows = list[dict[str, str]]


@pytest.fixture(scope="module", params=["trace.prv.gz", "imported.groma"])
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of Extrae, and what groma imports of it."""
    source = FOLDER / "trace.prv.gz"
    if request.param == source.name:
        return source
    folder = tmp_path_factory.mktemp("extrae")
    done = start(GROMA, "import", source, "-o", folder / request.param, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / str(request.param)


def table(trace: Path, name: str) -> Rows:
    done = start(GROMA, "stat", trace, "--csv", name, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def name_of(call: str) -> str:
    return f"MPI_{RENAMED.get(call, call)}"


def expected() -> Counter[str]:
    """What Extrae should have recorded of what the program noted."""
    every = [call for rank in RANKS for call in noted(FOLDER, rank)[0]]
    return Counter(name_of(call) for call in every if call not in UNKNOWN | POLLED)


def recorded(rows: Rows, label: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row[label]] += int(row["count"])
    for call in POLLED:
        counts.pop(name_of(call), None)
    return counts


def test_calls_of_extrae_are_those_that_the_program_noted(trace: Path) -> None:
    assert recorded(table(trace, "calls"), "label") == expected()


def test_messages_of_extrae_are_those_that_the_program_sent(trace: Path) -> None:
    messages: Counter[tuple[int, int]] = Counter()
    sizes: Counter[tuple[int, int]] = Counter()
    for rank in RANKS:
        for (target, _, size), count in noted(FOLDER, rank)[1].items():
            messages[rank, target] += count
            sizes[rank, target] += size * count
    rows = {(int(row["sender"]), int(row["receiver"])): row for row in table(trace, "pairs")}
    assert {pair: int(row["count"]) for pair, row in rows.items()} == messages
    assert {pair: int(row["bytes"]) for pair, row in rows.items()} == sizes


def test_callers_of_extrae_are_call_sites(trace: Path) -> None:
    """Extrae writes them for all calls but MPI_Init."""
    rows = table(trace, "call_sites")
    calls = expected()
    del calls["MPI_Init"]
    assert recorded(rows, "call") == calls
    assert len({(row["call"], row["function"], row["line"]) for row in rows}) == len(rows)
    (one,) = [row for row in rows if row["call"] == "MPI_File_open"]
    assert (one["function"], one["count"]) == ("files", "2")
    assert one["line"].startswith("calls.c:318 ")
