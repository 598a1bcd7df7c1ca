"""The synthetic runs are records, the same from the same arguments."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.hpcc import HpccFacts
from groma.facts.randomaccess import RandomAccessFacts
from groma.facts.randomaccess_bottleneck import BottleneckFacts
from groma.facts.randomaccess_errors import ErrorFacts
from groma.facts.randomaccess_owner import OwnerFacts
from groma.facts.torus import TorusFacts
from groma.facts.torus_study import TorusStudyFacts
from groma.facts.trace import TraceFacts
from groma.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent

Generators = dict[str, Any]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Generators]:
    """Scripts find what they share beside themselves, as when they are started."""
    monkeypatch.syspath_prepend(HERE)
    return lambda name: runpy.run_path(str(HERE / name))


@pytest.fixture
def suite(script: Callable[[str], Generators]) -> Generators:
    return script("example_hpcc.py")


@pytest.fixture
def random_access(script: Callable[[str], Generators]) -> Generators:
    return script("example_randomaccess.py")


def test_the_suite_reads_back_with_a_figure_of_every_test(suite: Generators) -> None:
    made = msgspec.json.encode(suite["example_record"](suite["SuiteRun"](ranks=4, curves=True)))
    record = msgspec.json.decode(made, type=Record[HpccFacts])
    assert record.facts.success is True
    assert all(test.figures for test in record.facts.tests)
    assert len(record.facts.tests) == len(record.samples) == 7


def test_the_same_arguments_give_the_same_suite(suite: Generators) -> None:
    def made(**shape: int) -> bytes:
        return msgspec.json.encode(suite["example_record"](suite["SuiteRun"](**shape)))

    assert made(ranks=3) == made(ranks=3)
    assert made(ranks=3) != made(ranks=3, seed=2)


def test_a_run_of_random_access_reads_back_with_its_roles(random_access: Generators) -> None:
    run = random_access["TableRun"](ranks=8, algorithm="specialise")
    made = msgspec.json.encode(random_access["example_run"](run))
    facts = msgspec.json.decode(made, type=Record[RandomAccessFacts]).facts
    assert [(load.role, load.ranks) for load in facts.loads] == [("generate", 2), ("update", 6)]
    assert facts.gups is not None
    assert facts.success is True


def test_studies_of_random_access_read_back(random_access: Generators) -> None:
    errors = msgspec.json.encode(random_access["example_errors"]())
    assert msgspec.json.decode(errors, type=Record[ErrorFacts]).facts.success is True
    owner = msgspec.json.encode(random_access["example_owner"]())
    assert len(msgspec.json.decode(owner, type=Record[OwnerFacts]).facts.lookups) == 3
    search = msgspec.json.encode(random_access["example_bottleneck"]())
    facts = msgspec.json.decode(search, type=Record[BottleneckFacts]).facts
    assert (facts.by_dropping, facts.by_delaying) == ("update", "update")


def test_a_trace_reads_back_with_its_efficiencies(script: Callable[[str], Generators]) -> None:
    made = msgspec.json.encode(script("example_trace.py")["example_trace"](ranks=4))
    facts = msgspec.json.decode(made, type=Record[TraceFacts]).facts
    assert facts.efficiencies is not None
    assert [one.name for one in facts.ranks] == ["0", "1", "2", "3"]


def test_the_simulator_reads_back_with_what_its_page_shows(script: Callable[[str], Generators]) -> None:
    torus = script("example_torus.py")
    run = msgspec.json.decode(msgspec.json.encode(torus["example_run"]()), type=Record[TorusFacts])
    assert run.facts.gups is not None
    assert run.facts.links is not None
    assert len(run.facts.links.nodes) == 64
    study = msgspec.json.decode(msgspec.json.encode(torus["example_study"]()), type=Record[TorusStudyFacts])
    assert [row.agrees for row in study.facts.tables[0].rows] == [True] * 4
    assert msgspec.json.encode(torus["example_run"](2)) != msgspec.json.encode(torus["example_run"](1))
