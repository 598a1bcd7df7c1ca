"""Records of RandomAccess as they are read on a terminal and put on a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.randomaccess import Exchange, RandomAccessFacts, RandomAccessPlan
from groma.randomaccess.infer import loads_of, owner_facts, planned_facts
from groma.randomaccess.infer_bottleneck import add_loads, planned_bottleneck
from groma.randomaccess.infer_errors import error_facts
from groma.record import Advice, Build, ProbeSamples, Record
from groma.record.launch import CheckResult
from groma.report.page import render_page
from groma.report.renderers import plain
from groma.report.template import PLACEHOLDER
from groma.report.terminal import document_of, known_sections
from groma.run.launch_results import EventParser, LaunchResults
from groma.stats.quantities import median_quantity
from suite_records import launch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.randomaccess_bottleneck import BottleneckFacts
    from groma.facts.randomaccess_errors import ErrorFacts
    from groma.facts.randomaccess_owner import OwnerFacts

DATA = Path(__file__).parents[4] / "tests" / "data" / "randomaccess"


def results_of(name: str) -> LaunchResults:
    event_parser = EventParser(plan=RandomAccessPlan)
    for line in (DATA / name).read_bytes().splitlines(keepends=True):
        event_parser.take(line)
    return event_parser.results


def record_of(kind: str, facts: Any, samples: ProbeSamples) -> Record[Any]:
    return Record(
        kind=kind,
        created="2026-01-02T03:04:05+00:00",
        command=["groma", "randomaccess"],
        build=Build(version="0.1.0"),
        environment={},
        parameters={},
        samples={samples.probe: samples},
        facts=facts,
        warnings=[Advice(code="load", what="the machine was busy", next="wait")],
    )


@pytest.fixture
def run() -> Record[RandomAccessFacts]:
    """A recorded run of route on two ranks."""
    known = results_of("route-2-ranks.jsonl")
    assert known.run is not None
    assert isinstance(known.run.plan, RandomAccessPlan)
    samples, outcome = known.samples["random_access"], known.outcomes["random_access"]
    facts = planned_facts(known.run.plan, known.run.ranks)
    facts.gups = median_quantity([0.2, 0.21, 0.22], "GUP/s", "median")
    facts.loads = list(loads_of(samples))
    facts.errors, facts.look_ahead_max = 0, 816
    facts.exchange = Exchange(messages=0.01, part_full=0.002, empty=0.0005, bytes=8.0, handed=0.0)
    facts.checks = outcome.checks
    facts.success = True
    facts.launch = launch(
        2,
        launcher="Open MPI",
        command="mpirun -n 2 groma-randomaccess",
        placement=known.run.placement,
    )
    return record_of("randomaccess", facts, samples)


@pytest.fixture
def study() -> Record[ErrorFacts]:
    samples = results_of("errors-2-threads.jsonl").samples["errors"]
    return record_of("randomaccess_errors", error_facts(samples), samples)


@pytest.fixture
def lookups() -> Record[OwnerFacts]:
    ways = {"division": [2e-9, 2.1e-9], "prediction": [5e-10, 5e-10]}
    samples = ProbeSamples(
        probe="owner",
        cases=[{"unit": "s", "way": way, "parts": 3, "words": 2**20} for way in ways],
        values=list(ways.values()),
    )
    return record_of("randomaccess_owner", owner_facts(samples), samples)


@pytest.fixture
def search() -> Record[BottleneckFacts]:
    """Two roles, of which the second one limits."""
    times = {("none", ""): 8e-9, ("discard", "update"): 4e-9}
    delays = {("delay", "generate"): 12e-9, ("delay", "update"): 16e-9}
    samples = ProbeSamples(
        probe="random_access",
        cases=[
            {"series": series, "intervention": intervention, "role": role, "unit": "s"}
            for series, of in (("update_time", times | delays), ("delayed_time", delays))
            for intervention, role in of
        ],
        values=[[time] * 3 for time in (*times.values(), *delays.values(), 8e-9, 8e-9)],
    )
    facts = planned_bottleneck(RandomAccessPlan(table_words=2**20), 2)
    add_loads(facts, samples)
    facts.checks = [CheckResult(name="wrong words", value=0.0, limit=0.0, passed=True)]
    facts.success = True
    return record_of("randomaccess_bottleneck", facts, samples)


def reported(record: Record[Any], *chosen: str) -> str:
    return plain(document_of(record, chosen))


def lines_with(text: str, words: Sequence[str]) -> list[str]:
    return [line for line in text.splitlines() if all(word in line for word in words)]


def test_a_run_tells_the_rate_of_each_rank_and_the_size_of_a_message(run: Record[RandomAccessFacts]) -> None:
    text = reported(run)
    assert lines_with(text, ["rate of each rank", "0.105 GUP/s"])
    assert "8 B in 0.01 messages of 800 B, 20 % part-full, 5 % empty" in text.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert "816 of 1024 allowed" in text


def test_updates_have_their_thousands_apart(
    run: Record[RandomAccessFacts], study: Record[ErrorFacts]
) -> None:
    run.facts.updates = study.facts.updates = 1234567
    assert lines_with(reported(run), ["updates", "1,234,567"])
    assert lines_with(reported(study), ["updates", "1,234,567 per run"])


def test_failed_checks_come_first(run: Record[RandomAccessFacts]) -> None:
    wrong = CheckResult(name="wrong words", value=3.0, limit=0.0, passed=False)
    run.facts.checks = [*run.facts.checks, wrong]
    checks = reported(run, "checks").splitlines()
    failed = [at for at, line in enumerate(checks) if "FAILED" in line]
    passed = [at for at, line in enumerate(checks) if "passed" in line]
    assert "wrong words" in checks[failed[0]]
    assert failed[0] < min(passed)


def test_ranks_are_reported_from_least_to_most_with_their_numbers(run: Record[RandomAccessFacts]) -> None:
    (worked,) = lines_with(reported(run, "ranks"), ["time worked"])
    assert "generate, route, update" in worked
    (sent,) = lines_with(reported(run, "ranks"), ["bytes sent"])
    assert "KiB" in sent


def test_a_run_that_was_cut_short_has_what_there_is(run: Record[RandomAccessFacts]) -> None:
    cut = planned_facts(run.facts.plan, 2)
    text = reported(record_of("randomaccess", cut, ProbeSamples(probe="random_access", cases=[], values=[])))
    assert "ended before its checks" in text
    assert "rate of each rank" not in text


def test_a_study_says_who_was_exact_and_what_no_synchronisation_costs(study: Record[ErrorFacts]) -> None:
    text = reported(study)
    assert lines_with(text, ["validation", "passed: exact in all of"])
    assert lines_with(text, ["not synchronised", "ppm", "the rules allow 10,000 ppm", "as fast as one"])


def test_a_study_names_strategies_that_had_to_be_exact_and_were_not(study: Record[ErrorFacts]) -> None:
    atomic = next(one for one in study.facts.strategies if one.name == "atomic")
    atomic.error_rate = msgspec.structs.replace(atomic.error_rate, wrong_words=2)
    assert lines_with(reported(study), ["validation", "failed: atomic must not lose an update and did"])


def test_a_study_of_threads_that_do_not_synchronise_alone_validates_nothing(
    study: Record[ErrorFacts],
) -> None:
    study.facts.strategies = [one for one in study.facts.strategies if not one.exact]
    assert lines_with(reported(study), ["validation", "no strategy that must be exact"])


def test_a_search_names_the_bottleneck_and_is_no_figure_of_the_benchmark(
    search: Record[BottleneckFacts],
) -> None:
    text = reported(search)
    assert lines_with(text, ["bottleneck", "update, by dropping updates and by delays alike"])
    assert lines_with(text, ["generate", "4 ns", "0.5"])
    assert lines_with(text, ["validation", "passed where nothing was dropped"])
    assert "are not verified" in text
    assert "GUP/s" not in text


def test_a_search_whose_methods_differ_is_open(search: Record[BottleneckFacts]) -> None:
    search.facts.by_delaying = "generate"
    assert "open: update by dropping updates, generate by delays" in reported(search)
    search.facts.by_dropping = search.facts.by_delaying = None
    search.facts.success = None
    assert "no table was verified" in reported(search)


def test_every_kind_ends_with_its_warnings(
    run: Record[RandomAccessFacts],
    study: Record[ErrorFacts],
    lookups: Record[OwnerFacts],
    search: Record[BottleneckFacts],
) -> None:
    for record in (run, study, lookups, search):
        assert list(known_sections(record.kind))[-2:] == ["environment", "warnings"]
        assert "the machine was busy" in reported(record)


def test_the_page_has_ranks_with_roles(run: Record[RandomAccessFacts]) -> None:
    page = render_page([("run", run)], template=PLACEHOLDER)
    assert "generate, route, update" in page
    assert "Time worked, rank by rank" in page
