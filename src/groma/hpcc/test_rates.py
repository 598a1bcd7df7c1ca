"""Rates are taken from an earlier run of the same kind only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groma.hpcc.rates import SOURCES, KnownRates, known_rates, rates_of
from groma.launch.shape import Shape
from groma.record import Build, Quantity, Record
from groma.record.environment import Cpu
from groma.record.hpcc import Figure, HpccFacts, HpccTest
from groma.record.io import write_record
from groma.record.launch import Launch

SHAPE = Shape(ranks=4, nodes=2, per_node=2)
CPU = Cpu(model="Nine 900", threads=8)


def figure(series: str, mode: str, value: float) -> Figure:
    quantity = Quantity(value=value, unit="x/s", low=value, high=value, confidence=0.9, method="m")
    return Figure(series=series, mode=mode, value=quantity)


def facts(**plan: Any) -> HpccFacts:
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
        launch=Launch(
            launcher="Open MPI",
            command="",
            ranks=4,
            nodes=2,
            threads=1,
            binding="core",
            inter_node=True,
            mpi="",
            blas="",
        ),
        plan=plan,
    )


def record(of: HpccFacts) -> Record[HpccFacts]:
    return Record(
        kind="hpcc",
        created="2026-01-02T03:04:05+00:00",
        command=[],
        build=Build(version="1"),
        environment={"cpu": {"model": "Nine 900", "threads": 8}},
        parameters={},
        samples={},
        facts=of,
    )


def test_each_rank_has_its_share_of_figures_of_all() -> None:
    assert rates_of(facts()) == {
        "multiply": 40e9,
        "bandwidth": 8e9,
        "solve": 30e9,
        "shared_updates": 20e6,
    }


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


def test_a_run_that_was_too_small_tells_nothing_of_a_larger_one(tmp_path: Path) -> None:
    path = tmp_path / "hpcc.json"
    write_record(path, record(facts(warnings=["each STREAM vector is 0.1 times the caches"])))
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
