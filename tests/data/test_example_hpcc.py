"""The synthetic run is a record of the suite, the same from the same arguments."""

from __future__ import annotations

import runpy
from pathlib import Path

import msgspec

from groma.record import Record
from groma.record.hpcc import HpccFacts

GENERATOR = runpy.run_path(str(Path(__file__).parent / "example_hpcc.py"))


def made(**shape: int | bool) -> bytes:
    return msgspec.json.encode(GENERATOR["example_record"](GENERATOR["Run"](**shape)))


def test_the_run_reads_back_with_a_figure_of_every_test() -> None:
    record = msgspec.json.decode(made(ranks=4, curves=True), type=Record[HpccFacts])
    assert record.facts.success is True
    assert all(test.figures for test in record.facts.tests)
    assert len(record.facts.tests) == len(record.samples) == 7


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert made(ranks=3) == made(ranks=3)
    assert made(ranks=3) != made(ranks=3, seed=2)
