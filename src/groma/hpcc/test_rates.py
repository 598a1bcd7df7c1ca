"""Rates are taken from an earlier run of the same kind only, and from sizes beyond the caches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.facts.hpcc import Figure, HpccFacts, HpccPlan, HpccTest
from groma.hpcc.rates import SOURCES, KnownRates, known_rates, rates_of
from groma.launch.shape import Shape
from groma.record import Build, Quantity, Record
from groma.record.environment import Cpu
from groma.record.io import write_record
from groma.record.launch import CheckResult
from suite_records import launch

SHAPE = Shape(ranks=4, nodes=2, per_node=2)
CPU = Cpu(model="Nine 900", threads=8)

CACHES = 2 * 32 << 20
"""Bytes: each of the two machines has one of 32 MiB."""

GRID = {"rows": 2, "columns": 2}
PLAN: dict[str, Any] = {
    "ranks": 4,
    "hpl": [{"n": 12000, "nb": 192, "grid": GRID}, {"n": 13000, "nb": 192, "grid": GRID}],
    "ptrans": [{"n": 6000, "nb": 192, "grid": GRID}],
    "dgemm_n": 3464,
    "stream_elements": 12_000_000,
    "random_access_words": 1 << 25,
    "mpi_random_access_words": 1 << 27,
    "fft_points": 1 << 23,
    "mpi_fft_points": 1 << 24,
}


def scaled(factor: float) -> dict[str, Any]:
    """The plan of matrices whose order is `factor` of those of PLAN."""
    small: dict[str, Any] = {
        name: int(value * factor**2) for name, value in PLAN.items() if isinstance(value, int)
    }
    matrices = {
        name: [one | {"n": int(one["n"] * factor)} for one in PLAN[name]] for name in ("hpl", "ptrans")
    }
    return small | matrices | {"ranks": 4, "dgemm_n": int(PLAN["dgemm_n"] * factor)}


def figure(series: str, mode: str, value: float) -> Figure:
    quantity = Quantity(value=value, unit="x/s", low=value, high=value, confidence=0.9, method="m")
    return Figure(series=series, mode=mode, value=quantity)


def facts(plan: dict[str, Any] = PLAN) -> HpccFacts:
    return HpccFacts(
        tests=[
            HpccTest(name="dgemm", title="", done=True, figures=[figure("dgemm", "star", 40e9)]),
            HpccTest(
                name="stream",
                title="",
                done=True,
                figures=[figure("copy", "star", 9e9), figure("triad", "star", 8e9)],
            ),
            HpccTest(
                name="hpl",
                title="",
                done=True,
                figures=[figure("hpl a", "mpi", 100e9), figure("hpl b", "mpi", 120e9)],
            ),
            HpccTest(name="fft", title="", done=False, figures=[figure("fft", "star", 1e9)]),
            HpccTest(
                name="random_access",
                title="",
                done=True,
                figures=[
                    figure("random_access_lcg", "mpi", 9e9),
                    figure("random_access", "mpi", 80e6),
                    figure("random_access", "single", 50e6),
                ],
            ),
        ],
        launch=launch(4, launcher="Open MPI", nodes=2, inter_node=True),
        plan=msgspec.convert(plan, HpccPlan),
    )


def record(of: HpccFacts) -> Record[HpccFacts]:
    return Record(
        kind="hpcc",
        created="2026-01-02T03:04:05+00:00",
        command=[],
        build=Build(version="1"),
        environment={
            "cpu": {"model": "Nine 900", "threads": 8},
            "caches": [
                {"level": 1, "kind": "instruction", "size_bytes": 32 << 10, "instances": 8},
                {"level": 3, "kind": "unified", "size_bytes": 32 << 20, "instances": 1},
            ],
        },
        parameters={},
        samples={},
        facts=of,
    )


ALL = {"multiply": 40e9, "bandwidth": 8e9, "solve": 30e9, "shared_updates": 20e6}


def test_each_rank_has_its_share_of_figures_of_all() -> None:
    assert rates_of(facts(), CACHES) == ALL


def test_a_record_of_such_a_run_gives_its_rates_in_the_words_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "hpcc.json"
    write_record(path, record(facts()))
    known = known_rates(path, SHAPE, CPU)
    assert known.origin == "hpcc.json of 2026-01-02"
    assert known.words == ("--rates", "multiply=4e+10,solve=3e+10,bandwidth=8e+09,shared_updates=2e+07")


@pytest.mark.parametrize(
    "shape",
    [
        Shape(ranks=2, nodes=2, per_node=1),
        Shape(ranks=4, nodes=1, per_node=4),
        Shape(ranks=4, nodes=2, per_node=2, threads=2),
        Shape(ranks=4, nodes=2, per_node=2, bind="none"),
    ],
)
def test_another_shape_is_another_run(tmp_path: Path, shape: Shape) -> None:
    path = tmp_path / "hpcc.json"
    write_record(path, record(facts()))
    assert known_rates(path, shape, CPU) == KnownRates()


@pytest.mark.parametrize("cpu", [Cpu(), Cpu(model="Ten 1000", threads=8), Cpu(model="Nine 900", threads=4)])
def test_another_processor_is_another_machine(tmp_path: Path, cpu: Cpu) -> None:
    path = tmp_path / "hpcc.json"
    write_record(path, record(facts()))
    assert known_rates(path, SHAPE, cpu) == KnownRates()


@pytest.mark.parametrize("factor", [0.0, 0.0003, 0.01, 0.1, 0.3])
def test_a_tiny_run_of_any_tests_tells_nothing_of_a_larger_one(tmp_path: Path, factor: float) -> None:
    """Also where the plan warns of nothing, as it does of vectors only where STREAM runs."""
    path = tmp_path / "hpcc.json"
    write_record(path, record(facts(scaled(factor))))
    assert known_rates(path, SHAPE, CPU) == KnownRates()


@pytest.mark.parametrize(
    ("rate", "size"),
    [
        ("solve", {"hpl": [{"n": 300, "nb": 64, "grid": GRID}, {"n": 13000, "nb": 64, "grid": GRID}]}),
        ("solve", {"hpl": [{"n": 13000, "nb": 64, "grid": {"rows": 1, "columns": 2}}]}),
        ("multiply", {"dgemm_n": 1000}),
        ("bandwidth", {"stream_elements": 1_000_000}),
        ("shared_updates", {"mpi_random_access_words": 1 << 24}),
    ],
)
def test_each_rate_is_judged_by_the_size_that_it_was_measured_at(rate: str, size: dict[str, Any]) -> None:
    assert rates_of(facts(PLAN | size), CACHES).keys() == ALL.keys() - {rate}


def test_a_warning_of_one_test_spares_the_rates_of_the_others() -> None:
    warned = PLAN | {"stream_elements": 1_000_000, "warnings": ["each STREAM vector is 0.1 times the caches"]}
    assert "solve" in rates_of(facts(warned), CACHES)


def test_caches_that_nobody_declares_leave_no_rates() -> None:
    assert rates_of(facts(), 0) == {}


@pytest.mark.parametrize("value", [0.0, -1.0, 5e-324, 1e-3, 1e300, float("nan"), float("inf")])
def test_a_rate_that_nothing_reaches_is_none(value: float) -> None:
    damaged = facts()
    damaged.tests[0].figures = [figure("dgemm", "star", value)]
    assert rates_of(damaged, CACHES).keys() == ALL.keys() - {"multiply"}


def test_a_test_that_failed_its_checks_has_no_rate() -> None:
    failed = facts()
    failed.tests[0].checks = [CheckResult(name="dgemm", value=99.0, limit=16.0, passed=False)]
    assert rates_of(failed, CACHES).keys() == ALL.keys() - {"multiply"}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.dictionaries(st.sampled_from([*PLAN, "warnings"]), anything))
def test_a_damaged_plan_is_no_error(tmp_path_factory: pytest.TempPathFactory, damage: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    whole: dict[str, Any] = msgspec.to_builtins(record(facts()))
    for plan in (PLAN | damage, damage):
        whole["facts"]["plan"] = plan
        path.write_bytes(msgspec.json.encode(whole))
        assert known_rates(path, SHAPE, CPU).rates.items() <= ALL.items()


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"cpu": "Nine 900"},
        {"cpu": {"model": "Nine 900", "threads": 8}},
        {"cpu": {"model": "Nine 900", "threads": 8}, "caches": [{"level": "three"}]},
        {"cpu": {"model": "Nine 900", "threads": 8}, "caches": [{"level": 3, "kind": "unified"}]},
    ],
)
def test_a_record_without_its_machine_is_passed_over(tmp_path: Path, environment: dict[str, Any]) -> None:
    path = tmp_path / "hpcc.json"
    write_record(path, msgspec.structs.replace(record(facts()), environment=environment))
    assert known_rates(path, SHAPE, CPU) == KnownRates()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"schema": "groma.record/1", "kind": "survey"}'])
def test_what_is_no_such_record_is_passed_over(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hpcc.json"
    path.write_text(text)
    assert known_rates(path, SHAPE, CPU) == KnownRates()
    assert known_rates(tmp_path / "absent.json", SHAPE, CPU) == KnownRates()


def test_a_record_without_launch_or_processor_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "hpcc.json"
    write_record(path, record(msgspec.structs.replace(facts(), launch=None)))
    assert known_rates(path, SHAPE, CPU) == KnownRates()


def test_every_rate_of_the_program_has_a_source() -> None:
    declared = Path(__file__).parents[3] / "native" / "hpcc" / "rates.cpp"
    text = declared.read_text()
    assert all(f'{{"{name}", "' in text for name in SOURCES)
    assert text.count("&Rates::") == len(SOURCES)


def test_a_pipe_that_the_record_goes_to_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end never comes while the run itself holds it open: groma hpcc -o /dev/stdout | jq."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr("groma.hpcc.rates.read_record", lambda _: pytest.fail("it was read"))
    assert known_rates(pipe, SHAPE, CPU) == KnownRates()
