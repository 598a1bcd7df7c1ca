"""Traces of simulated runs, read by a reader that shares nothing with their writer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import strict_prv

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build/default/native"

pytestmark = pytest.mark.skipif(not (BUILT / "groma-torus").is_file(), reason="groma-torus is not built")

GROMA = [sys.executable, "-m", "groma"]
AROUND = {name: value for name, value in os.environ.items() if not name.startswith("GROMA_")}
HERE = AROUND | {"GROMA_NATIVE_PATH": str(BUILT)}

RUNNING, WAITING, BLOCKED, SENDING, RECEIVING = 1, 3, 9, 10, 11

CROWDED = [
    *("--machine", "bluegene-l", "--shape", "16x2", "--bucket", "2", "--updates", "100"),
    *("--set", "network.bytes_per_cycle=0.06", "--set", "network.injection_packets=1"),
]


def groma(*words: str) -> Any:
    done = subprocess.run(
        [*GROMA, *words, "-q", "--json"], cwd=ROOT, env=HERE, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def simulated(folder: Path, *words: str) -> tuple[Any, strict_prv.Trace]:
    facts = groma("sim", "torus", "run", *words, "--threads", "1", "--paraver", str(folder))
    return facts, strict_prv.read(folder / "trace.prv")


def times(trace: strict_prv.Trace, states: set[int]) -> float:
    return sum(one.end - one.begin for row in trace.rows for one in trace.states[row] if one.state in states)


def test_a_trace_of_random_access_says_what_the_record_says(tmp_path: Path) -> None:
    facts, trace = simulated(tmp_path, *CROWDED)
    assert trace.duration == pytest.approx(facts["time"]["value"] * 1e9, abs=1)
    assert len(trace.rows) == 32
    on_their_way = facts["packets"] - len(trace.messages)
    assert 0 < on_their_way < 32 * 10
    assert {one.size for one in trace.messages} == {32}
    assert facts["values"]["trace.messages"] == [len(trace.messages)]
    worked = times(trace, {RUNNING, SENDING, RECEIVING}) / (32 * trace.duration)
    assert worked == pytest.approx(facts["loads"][0]["busy"], rel=0.01)
    assert times(trace, {BLOCKED}) > 0.1 * 32 * trace.duration
    found = groma("stat", str(tmp_path))["facts"]
    assert found["messages"]["count"] == len(trace.messages)
    assert found["messages"]["bytes"] == 32 * len(trace.messages)
    seconds = {one["state"]: one["seconds"] for one in found["states"]}
    assert {state: times(trace, {state}) / 1e9 for state in seconds} == pytest.approx(seconds)


def test_a_trace_of_messages_has_each_of_them(tmp_path: Path) -> None:
    words = ["--workload", "halo", "--shape", "3x2x2", "--set", "workload.messages=2"]
    facts, trace = simulated(tmp_path, *words, "--set", "workload.compute=7000")
    assert sum(one.size for one in trace.messages) == facts["values"]["message_bytes"][0]
    assert len(trace.messages) == 12 * 6 * 2
    assert times(trace, {RUNNING}) == pytest.approx(12 * 2 * 7000 / facts["frequency"] * 1e9, rel=1e-3)
    assert times(trace, {WAITING}) > 0


def test_a_replayed_trace_becomes_a_trace_again(tmp_path: Path) -> None:
    recorded = ROOT / "tests/data/traces/clean.prv"
    facts, trace = simulated(tmp_path, "--workload", "replay", "--trace", str(recorded), "--shape", "2")
    original = strict_prv.read(recorded)
    assert sorted(one.size for one in trace.messages) == sorted(one.size for one in original.messages)
    assert facts["values"]["message_bytes"] == [sum(one.size for one in original.messages)]


def test_a_trace_of_smpi_has_the_messages_of_its_program(tmp_path: Path) -> None:
    """Of SimGrid 3.32: five types around a ring, two messages from any source, an exchange, a barrier."""
    recorded = ROOT / "tests/data/traces/smpi/ring.txt"
    _, trace = simulated(tmp_path, "--workload", "replay", "--trace", str(recorded), "--shape", "3")
    expected = 3 * [800, 400, 800, 1600, 100, 20] + 2 * [4000]
    assert sorted(one.size for one in trace.messages if one.size) == sorted(expected)


def test_calls_of_smpi_with_types_of_the_program_are_counted(tmp_path: Path) -> None:
    text = tmp_path / "derived.txt"
    text.write_text("0 init\n1 init\n0 send 1 0 10 -1\n1 recv 0 0 10 -1\n0 bcast 5 0 -1\n1 bcast 5 0 -1\n")
    record = tmp_path / "record.json"
    groma(
        "sim", "torus", "run", "--workload", "replay", "--trace", str(text), "--shape", "2", "-o", str(record)
    )
    found = json.loads(record.read_text())
    assert found["facts"]["values"]["unsized"] == [3]
    assert [one["code"] for one in found["warnings"]] == ["torus.sizes"]
