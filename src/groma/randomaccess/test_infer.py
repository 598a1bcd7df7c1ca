"""Facts follow from the samples alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.randomaccess.infer import (
    facts_of,
    failed_checks,
    loads_of,
    owner_facts,
    stability_advice,
)
from groma.record import ProbeSamples, Quantity
from groma.run.launch_results import EventParser

if TYPE_CHECKING:
    from groma.randomaccess.setup import Setup
    from groma.run.launch_results import LaunchResults


def test_a_whole_run_has_all_facts(known: LaunchResults, setup: Setup) -> None:
    facts = facts_of(known, setup)
    assert (facts.algorithm, facts.grid, facts.mapping_mode, facts.ranks) == ("route", [2], 1, 2)
    assert (facts.table_words, facts.updates, facts.errors) == (4096, 16384, 0)
    assert facts.look_ahead_max is not None
    assert 0 < facts.look_ahead_max <= facts.look_ahead == 1024
    assert facts.success is True
    assert failed_checks(facts.checks) == []
    assert facts.gups is not None and facts.gups.samples is not None  # noqa: PT018
    assert facts.gups.samples.n == 3


def test_gups_are_the_updates_of_a_repetition_over_its_time(known: LaunchResults, setup: Setup) -> None:
    facts = facts_of(known, setup)
    assert facts.gups is not None
    assert facts.seconds is not None
    assert facts.gups.unit == "GUP/s"
    assert facts.gups.value * facts.seconds.value == pytest.approx(16384 / 3 * 1e-9, rel=0.01)


def test_what_leaves_ranks_is_reported_for_an_update(known: LaunchResults, setup: Setup) -> None:
    exchange = facts_of(known, setup).exchange
    assert exchange is not None
    assert exchange.bytes == pytest.approx(4.0, rel=0.2)  # every other update goes to the other rank
    assert 0 < exchange.messages < 0.1
    assert exchange.handed == 0


def test_a_run_that_was_cut_has_figures_but_no_verdict(lines: list[bytes], setup: Setup) -> None:
    event_parser = EventParser()
    for line in lines[:-2]:
        event_parser.take(line)
    facts = facts_of(event_parser.results, setup)
    assert facts.gups is not None
    assert facts.success is None
    assert facts.errors is None


def test_nothing_heard_leaves_what_was_planned(setup: Setup) -> None:
    facts = facts_of(EventParser().results, setup)
    assert facts.gups is None
    assert facts.table_words == 4096
    assert facts.launch is None


def test_a_failed_check_is_reported_in_words(lines: list[bytes], setup: Setup) -> None:
    event_parser = EventParser()
    for line in lines:
        event_parser.take(
            line.replace(b'"value":0,"limit":0,"passed":true', b'"value":2,"limit":0,"passed":false')
        )
    facts = facts_of(event_parser.results, setup)
    assert facts.success is False
    assert failed_checks(facts.checks) == ["wrong words is 2, at most 0 is allowed"]


def samples_of(roles: dict[int, str], worked: dict[int, list[float]]) -> ProbeSamples:
    cases = [
        {"unit": "s", "series": series, "rank": rank, "role": role, "raw": True}
        for rank, role in roles.items()
        for series in ("worked", "waited")
    ]
    values = [of for rank in roles for of in (worked[rank], [1.0 - value for value in worked[rank]])]
    return ProbeSamples(probe="random_access", cases=cases, values=values)


def test_loads_are_means_over_the_ranks_of_a_role() -> None:
    samples = samples_of({0: "route", 1: "update", 2: "update"}, {0: [0.9] * 3, 1: [0.2] * 3, 2: [0.4] * 3})
    loads = {one.role: one for one in loads_of(samples)}
    assert loads["route"].ranks == 1
    assert loads["route"].worked.value == pytest.approx(0.9)
    assert loads["update"].ranks == 2
    assert loads["update"].worked.value == pytest.approx(0.3)
    assert loads["update"].waited.value == pytest.approx(0.7)


def test_wide_intervals_are_warned_of(known: LaunchResults, setup: Setup) -> None:
    facts = facts_of(known, setup)
    assert facts.gups is not None
    facts.gups = msgspec.structs.replace(facts.gups, value=1.0, low=0.8, high=1.3)
    assert [one.code for one in stability_advice(facts)] == ["randomaccess.unstable"]
    facts.gups = msgspec.structs.replace(facts.gups, low=0.95, high=1.05)
    assert stability_advice(facts) == []


def case(way: str, parts: int) -> dict[str, object]:
    return {"unit": "s", "way": way, "parts": parts, "words": 1 << 20}


def test_lookups_are_compared_within_rounds() -> None:
    samples = ProbeSamples(
        probe="owner",
        cases=[case("division", 6), case("prediction", 6), case("division", 5000), case("search", 5000)],
        values=[[4e-9, 8e-9, 4e-9], [2e-9, 4e-9, 2e-9], [6e-9] * 3, [3e-9] * 3],
    )
    first, second = owner_facts(samples).lookups
    assert isinstance(first.ratio, Quantity)
    assert first.ratio.value == pytest.approx(2.0)
    assert first.predicted is not None
    assert first.searched is None
    assert second.predicted is None
    assert second.searched is not None
    assert second.searched.value == pytest.approx(3e-9)
