"""A run over ranks that was cut short says what it kept, and that it has to be started again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groma.facts.hpcc import HpccFacts, HpccPlan, HpccTest
from groma.facts.randomaccess import RandomAccessFacts, RandomAccessPlan
from groma.facts.randomaccess_owner import OwnerFacts
from groma.facts.unfinished import state_of
from groma.record import Build, ProbeSamples, Record

PLAN = RandomAccessPlan(repetitions=10)

COMMAND = ["/opt/bin/__main__.py", "hpcc", "-n", "2", "-o", "a b.json"]


def record_of(kind: str, facts: Any) -> Record[Any]:
    return Record(
        kind=kind,
        created="",
        command=COMMAND,
        build=Build(version="0"),
        environment={},
        parameters={},
        samples={},
        facts=facts,
    )


def suite_of(**done: bool) -> Record[Any]:
    tests = [HpccTest(name=name, title=name, done=is_done) for name, is_done in done.items()]
    plan = HpccPlan(tests=["dgemm", "stream", "fft"])
    return record_of("hpcc", HpccFacts(tests=tests, plan=plan))


def test_tests_that_are_missing_or_were_interrupted_are_named() -> None:
    state = state_of(suite_of(dgemm=True, stream=False))
    assert state is not None
    assert state.what == "unfinished: 1 of 3 tests done"
    assert state.details == ["interrupted: stream", "not measured: fft"]


def test_the_run_is_to_be_started_again_as_it_was_typed() -> None:
    state = state_of(suite_of(dgemm=True))
    assert state is not None
    assert state.next == "this run cannot be resumed; start it again with: groma hpcc -n 2 -o 'a b.json'"


def test_a_run_that_a_limit_may_have_ended_is_to_get_a_longer_one() -> None:
    record = suite_of(dgemm=True)
    limited = msgspec.structs.replace(record, command=["groma", "sim", "torus", "run", "--time-limit", "1s"])
    state = state_of(limited)
    assert state is not None
    assert "start it again, perhaps with a longer --time-limit: groma sim torus run" in state.next


def test_a_test_that_ended_early_for_an_interruption_is_not_done() -> None:
    record = suite_of(dgemm=True, stream=True, fft=True)
    assert state_of(record) is None
    record.samples["fft.star"] = ProbeSamples(probe="fft", cases=[], values=[], ended="interrupted")
    state = state_of(record)
    assert state is not None
    assert state.interrupted == ["fft"]


def test_a_run_of_another_program_is_never_unfinished() -> None:
    assert state_of(record_of("hpcc", HpccFacts(tests=[], origin="hpccoutf.txt"))) is None


@pytest.mark.parametrize("success", [True, False])
def test_random_access_that_spent_its_budget_came_to_its_end(success: bool) -> None:
    facts = RandomAccessFacts(ranks=2, table_words=8, success=success, plan=PLAN)
    assert state_of(record_of("randomaccess", facts)) is None


def test_random_access_without_its_verification_did_not() -> None:
    state = state_of(record_of("randomaccess", RandomAccessFacts(ranks=2, table_words=8, plan=PLAN)))
    assert state is not None
    assert state.what == "unfinished: 0 of 10 repetitions done"
    assert state.details == ["not measured: verification of the table"]


def test_studies_are_whole_or_not_there() -> None:
    assert state_of(record_of("randomaccess_owner", OwnerFacts(lookups=[]))) is None
