"""A run of the suite as it is read on a terminal, before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groma.errors import GromaError
from groma.facts.hpcc import Grid, HpccFacts, HpccPlan, MatrixPlan, MemoryPlan
from groma.facts.reading import decode_record
from groma.hpcc.infer import facts_of_test, success_of
from groma.hpcc.request import Sizing
from groma.hpcc.setup import Setup
from groma.launch.command import Command, SelectedLauncher
from groma.launch.launchers import launcher_named
from groma.launch.mpi_programs import MpiProgram
from groma.launch.prepare import Step, Timeouts
from groma.launch.shape import Shape
from groma.record import Advice, Build, Record
from groma.record.launch import Choice
from groma.record.redact import redacted
from groma.report.hpcc_plan import headline, setup_document, setup_model
from groma.report.page import render_page
from groma.report.renderers import plain
from groma.report.template import PLACEHOLDER
from groma.report.terminal import document_of, facts_of, section_names
from groma.run.launch_results import EventParser
from suite_records import launch

RECORDED = Path(__file__).parents[4] / "tests" / "data" / "hpcc" / "two-tests.jsonl"


@pytest.fixture
def record() -> Record[HpccFacts]:
    """The record of a recorded run of two tests on two ranks."""
    event_parser = EventParser(plan=HpccPlan)
    for line in RECORDED.read_bytes().splitlines():
        event_parser.take(line)
    known = event_parser.results
    assert known.run is not None
    assert isinstance(known.run.plan, HpccPlan)
    tests = [
        facts_of_test(name, name, [known.samples[name]], known.outcomes[name])
        for name in known.run.plan.tests
    ]
    started = launch(
        2,
        "Open MPI v4.1.4",
        "OpenBLAS 0.3.21",
        launcher="Open MPI 4.1.4 (mpirun)",
        command="mpirun -n 2 groma-hpcc run",
        placement=known.run.placement,
    )
    return Record(
        kind="hpcc",
        created="2026-01-02T03:04:05+00:00",
        command=["groma", "hpcc"],
        build=Build(version="0.1.0"),
        environment={"host": "walnut"},
        parameters={"sizes": "N as given"},
        samples=known.samples,
        facts=HpccFacts(
            tests=tests,
            success=success_of(tests),
            launch=started,
            plan=known.run.plan,
            summary=known.outcomes["dgemm"].summary,
        ),
        warnings=[Advice(code="hpcc.unstable", what="too wide", next="repeat")],
    )


def text(record: Record[HpccFacts], *sections: str) -> str:
    return plain(document_of(record, sections))


def test_a_run_at_a_glance(record: Record[HpccFacts]) -> None:
    shown = text(record)
    assert "2 on 1 machine, bound to cores" in shown
    assert "N as given" in shown
    assert "passed: all 2 checks of 2 tests" in shown
    for line in ("DGEMM", "star", "single", "triad", "Gflop/s", "GB/s", "(rank 0)", "too wide", "repeat"):
        assert line in shown
    assert "mpirun -n 2" not in shown


def test_ranks_that_share_processors_are_not_called_bound(record: Record[HpccFacts]) -> None:
    assert record.facts.launch is not None
    together = [msgspec.structs.replace(one, cpus=[0]) for one in record.facts.launch.placement]
    record.facts.launch = msgspec.structs.replace(record.facts.launch, placement=together)
    shown = text(record)
    assert "bound to cores" not in shown
    assert "2 on 1 machine, some ranks share processors: they are not bound" in shown


@pytest.mark.parametrize(
    "name", ["run", "results", "checks", "placement", "plan", "launch", "samples", "summary"]
)
def test_each_section_says_something(name: str, record: Record[HpccFacts]) -> None:
    assert len(text(record, name).splitlines()) > 1
    assert name in section_names(record)


def test_sections_tell_what_they_are_named_for(record: Record[HpccFacts]) -> None:
    assert "walnut" in text(record, "placement")
    assert "1 machine: no message crosses a network" in text(record, "placement")
    assert "mpirun -n 2 groma-hpcc run" in text(record, "launch")
    assert "StarDGEMM_Gflops" in text(record, "summary")
    assert facts_of(record, ["checks"])["checks"][0]["name"] == "dgemm"


def test_sections_of_a_survey_are_none_of_a_run(record: Record[HpccFacts]) -> None:
    with pytest.raises(GromaError, match="caches"):
        document_of(record, ["caches"])


def test_a_run_that_was_cut_short_says_so(record: Record[HpccFacts]) -> None:
    record.facts.success = None
    record.facts.tests[1].done = False
    shown = text(record)
    assert "not every test was completed" in shown
    assert "STREAM (cut short)" in shown


def test_a_failed_check_is_plain_to_see(record: Record[HpccFacts]) -> None:
    record.facts.tests[0].checks[0].passed = False
    record.facts.tests[0].checks[0].value = None
    record.facts.success = False
    shown = text(record)
    assert "failed: 1 of 2 checks" in shown
    assert "FAILED" in shown
    assert "not a number" in shown


def test_an_empty_run_is_shown_without_fuss(record: Record[HpccFacts]) -> None:
    record.facts = HpccFacts(tests=[])
    record.samples = {}
    assert "not every test" in text(record)
    assert text(record, "placement").strip().endswith("not measured")


@pytest.mark.parametrize("plan", [{}, {"dgemm_n": 512}, {"dgemm_n": 512, "of_a_later_version": [1]}])
def test_a_plan_of_another_version_is_shown(record: Record[HpccFacts], plan: dict[str, Any]) -> None:
    document: dict[str, Any] = msgspec.to_builtins(record)
    document["facts"]["plan"] = plan
    read = decode_record(msgspec.json.encode(document), "older.json")
    assert ("dgemm_n  512" in text(read, "plan")) is bool(plan)
    assert "2 on 1 machine" in text(read)


def test_a_plan_of_a_wrong_type_is_named_with_its_field(record: Record[HpccFacts]) -> None:
    document: dict[str, Any] = msgspec.to_builtins(record)
    document["facts"]["plan"] = {"hpl": [{"n": "large", "nb": 64, "grid": {"rows": 1, "columns": 2}}]}
    with pytest.raises(GromaError, match=r"facts\.plan\.hpl\[0\]\.n"):
        decode_record(msgspec.json.encode(document), "damaged.json")


def test_the_page_takes_the_record(record: Record[HpccFacts]) -> None:
    assert '"title":"DGEMM"' in render_page([("run", record)], template=PLACEHOLDER)


def test_a_redacted_run_names_no_machine(record: Record[HpccFacts]) -> None:
    assert record.facts.launch is not None
    boot_id = record.facts.launch.placement[0].boot_id
    clean = redacted(record)
    document = msgspec.json.encode(clean).decode()
    assert "walnut" not in document
    assert boot_id not in document
    assert [one.boot_id for one in clean.facts.launch.placement] == ["boot-1", "boot-1"]
    assert [one.host for one in clean.facts.launch.placement] == ["host-1", "host-1"]


def a_setup(**shape: int | str) -> Setup:
    launcher = launcher_named("openmpi")
    assert launcher is not None
    grid = Grid(rows=1, columns=2)
    plan = HpccPlan(
        tests=["hpl", "dgemm"],
        hpl=[MatrixPlan(n=1024, nb=64, grid=grid, variant=one) for one in ("WR11C2R4", "WR11C2L2")],
        ptrans=[MatrixPlan(n=512, nb=64, grid=grid)],
        dgemm_n=512,
        stream_elements=2**20,
        memory_per_rank=2**23,
        memory=MemoryPlan(by_test={"hpl": 2**22}),
        choices=[Choice(what="NB", value="64", why="as given")],
        warnings=["the vectors fit into the cache"],
    )
    return Setup(
        selected=SelectedLauncher(
            launcher=launcher, program="/usr/bin/mpirun", version="4.1.4", reason="it is there"
        ),
        program=MpiProgram(
            path="/opt/groma-hpcc", family="openmpi", mpi="Open MPI v4", blas="", build=Build(version="1")
        ),
        shape=Shape(**{"ranks": 2, "nodes": 1, "per_node": 2, **shape}),  # type: ignore[arg-type]
        sizing=Sizing(arguments=(), reason="a quarter of the memory"),
        plan=plan,
        steps=(Step("hpl", "Dense linear system", 20.0), Step("dgemm", "Multiplication", 0.0)),
        command=Command(words=("mpirun", "-n", "2", "groma-hpcc"), variables={"A": "b c"}),
        timeouts=Timeouts(silence=300.0),
    )


def test_a_dry_run_says_how_what_and_how_long() -> None:
    shown = plain(setup_document(a_setup()))
    for words in (
        "Open MPI 4.1.4 (mpirun): it is there",
        "A='b c' mpirun -n 2 groma-hpcc",
        "a quarter of the memory",
        "HPL     1024  64  1 x 2  WR11C2R4",
        "HPL     1024  64  1 x 2  WR11C2L2",
        "8 MiB",
        "4 MiB",
        "NB      64     as given",
        "! the vectors fit into the cache",
        "20 s",
        "not estimated",
        "ended after 5 min",
        "nothing was started",
    ):
        assert words in shown, words


def test_a_dry_run_is_the_same_for_programs() -> None:
    model = setup_model(a_setup())
    assert model["command"] == "A='b c' mpirun -n 2 groma-hpcc"
    assert model["estimated_seconds"] == 20.0
    assert model["timeout_seconds"] == 300.0


def test_shapes_are_put_into_words() -> None:
    assert "2 tests on 2 ranks, about 20 s" in headline(a_setup())
    assert "2 ranks of 8 threads" in headline(a_setup(threads=8))
    assert "about 20 s with a fast network" in headline(a_setup(ranks=8, nodes=4))
    several = plain(setup_document(a_setup(ranks=8, nodes=4)))
    assert "8 ranks of 1 thread, 2 on each of 4 machines" in several
    assert "more threads than cores" in plain(setup_document(a_setup(bind="oversubscribed")))
