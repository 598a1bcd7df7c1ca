"""Studies with the simulator itself, at sizes that take a second."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from groma.machine.files import find_machine
from groma.report.words.torus import value_rows
from groma.sim.torus.replayed import REPLAY
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of
from groma.sim.torus.workloads import RANDOMACCESS, WORKLOADS, Workload

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build/default/native"

pytestmark = pytest.mark.skipif(not (BUILT / "groma-torus").is_file(), reason="groma-torus is not built")

VERB = [sys.executable, "-m", "groma", "sim", "torus"]
AROUND = {name: value for name, value in os.environ.items() if not name.startswith("GROMA_")}
HERE = AROUND | {"GROMA_NATIVE_PATH": str(BUILT)}


def answer(*words: str) -> Any:
    done = subprocess.run(
        [*VERB, *words, "-q", "--json"], env=HERE, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_a_packet_alone_takes_what_the_formula_says() -> None:
    (table,) = answer("study", "latency", "--threads", "1")["tables"]
    assert [row["difference"] for row in table["rows"]] == [0.0] * 8


def test_small_tori_reach_the_rates_of_table_4() -> None:
    tables = answer("study", "table-4", "--quick", "--only", "64", "--only", "128")["tables"]
    rows = [row for table in tables for row in table["rows"]]
    assert len(rows) == 5
    assert [row["agrees"] for row in rows] == [True] * 5


def test_owners_by_division_are_predicted_from_one_row() -> None:
    tables = answer("study", "table-3", "--quick", "--only", "192")["tables"]
    assert [row["agrees"] for table in tables for row in table["rows"]] == [True, True]


def test_the_number_of_threads_changes_nothing() -> None:
    runs = [
        answer("run", "--shape", "4x4x2", "--updates", "300", "--threads", threads) for threads in ("1", "2")
    ]
    for one in runs:
        del one["simulator"]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("study", ["asymmetric", "latency", "saturation", "table-3", "table-4"])
def test_small_sizes_of_a_study_agree_as_its_large_ones_do(study: str) -> None:
    rows = [row for table in answer("study", study, "--quick")["tables"] for row in table["rows"]]
    assert [row["case"] for row in rows if row["agrees"] is False] == []


def test_a_fan_in_stalls_at_the_fourth_sender() -> None:
    (table,) = answer("study", "receiver", "--quick", "--only", "3 in, 0 out", "--only", "4 in, 0 out")[
        "tables"
    ]
    assert [row["agrees"] for row in table["rows"]] == [True, True]


def test_an_interrupted_study_keeps_its_rows(tmp_path: Path) -> None:
    record = tmp_path / "study.json"
    words = ["study", "table-4", "--only", "multi-core", "--only", "64", "--only", "32768", "-o", str(record)]
    child = subprocess.Popen(
        [*VERB, *words], env=HERE, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stderr is not None
    assert child.stderr.readline().startswith("1 of 2: multi-core, 64")
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    shown, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "interrupted" in said
    assert "unfinished: 1 of 2 runs done" in shown
    facts = json.loads(record.read_text())["facts"]
    assert [row["case"] for row in facts["tables"][0]["rows"]] == ["64"]
    assert facts["missing"] == ["multi-core 32768"]


def test_a_program_of_another_version_is_refused(tmp_path: Path) -> None:
    shutil.copy(BUILT / "groma-torus", tmp_path / "real")
    (tmp_path / "groma-torus").write_text('#!/bin/sh\necho \'{"version": "0.0.1"}\'\n')
    (tmp_path / "groma-torus").chmod(0o755)
    done = subprocess.run(
        [*VERB, "run"],
        env=AROUND | {"GROMA_NATIVE_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4


def test_the_page_of_tables_holds_what_is_simulated_now() -> None:
    """Renew it with python -m groma.report.torus_tables where the simulator has changed."""
    page = (ROOT / "docs/sim/torus-tables.md").read_text()
    for table in answer("study", "table-4", "--only", "64")["tables"]:
        block = page.split(f"<!-- {table['name']} -->")[1].split("<!-- end -->")[0]
        line = next(line for line in block.splitlines() if line.startswith("| 64 |"))
        shown = float(line.split("|")[5].split("[")[0])
        assert shown == pytest.approx(table["rows"][0]["simulated"]["value"], rel=0.01)


# ---- the list of workloads in Python, and the readers of the program ---------------------------------------

LISTED = [one for one in WORKLOADS.values() if one.name != RANDOMACCESS]
"""RandomAccess has options of its own."""


def native(workload: dict[str, Any], **tables: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    request = {"shape": [4, 4], "workload": workload, **tables}
    return subprocess.run(
        [BUILT / "groma-torus"], input=json.dumps(request), capture_output=True, text=True, check=False
    )


def known_members(refused: subprocess.CompletedProcess[str]) -> set[str]:
    """Of the table with a misspelt member."""
    what, known = refused.stderr.split("it may have: ")
    assert "has no member misspelt" in what
    return set(known.strip().split(", "))


def needed(workload: Workload) -> dict[str, Any]:
    """What has no default."""
    return {"offsets": [1, 1]} if workload.name == "shift" else {}


@pytest.mark.parametrize("workload", LISTED, ids=lambda one: one.name)
def test_each_parameter_of_a_workload_is_listed(workload: Workload) -> None:
    known = known_members(native({"name": workload.name, "misspelt": 1} | needed(workload)))
    assert known - {"name", "trace"} == {one.name for one in workload.parameters}


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=lambda one: one.name)
def test_each_number_of_the_machine_is_listed(workload: Workload) -> None:
    plan = plan_of(SimulationOptions(machine=find_machine("bluegene-p"), workload=workload.name, shape="4x4"))
    listed = {tuple(one.name.split(".")[:2]) for one in plan.parameters}
    for table in ("network", "processor"):
        refused = native({"name": workload.name} | needed(workload), **{table: {"misspelt": 1}})
        assert {(table, name) for name in known_members(refused)} <= listed


RECORDED = ROOT / "tests/data/traces/smpi/ring.txt"


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=lambda one: one.name)
def test_each_number_of_a_workload_is_described(workload: Workload) -> None:
    trace = ["--trace", str(RECORDED)] if workload.name == REPLAY else []
    values = answer("run", "--workload", workload.name, "--shape", "4x4", *trace)["values"]
    assert values
    assert [row[0] for row in value_rows(values) if not row[3]] == []


def test_messages_cost_what_is_set() -> None:
    free, costly = (
        answer("run", "--workload", "distance", "--shape", "4", *settings)["time"]["value"]
        for settings in ((), ("--set", "processor.call=1e6"))
    )
    assert costly > free + 4 * 1e6 / 850e6  # of each message, at the clock of Blue Gene/P


@pytest.mark.parametrize("workload", [one for one in LISTED if one.name != REPLAY], ids=lambda one: one.name)
def test_the_listed_defaults_are_those_of_the_program(workload: Workload) -> None:
    defaults = {one.name: one.default for one in workload.parameters if one.default is not None}
    listed, of_program = (
        json.loads(native({"name": workload.name} | given | needed(workload)).stdout.splitlines()[-1])
        for given in (defaults, {})
    )
    for result in (listed, of_program):
        del result["wall"]
    assert listed == of_program
