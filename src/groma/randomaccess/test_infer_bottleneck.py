"""The bottleneck among roles follows from runs that leave roles out or delay them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.randomaccess import RandomAccessPlan
from groma.facts.randomaccess_bottleneck import BottleneckFacts, steps_of
from groma.facts.reading import read_record
from groma.randomaccess.infer_bottleneck import (
    add_loads,
    bottleneck_advice,
    bottleneck_facts,
    planned_bottleneck,
)
from groma.randomaccess.run import find_bottleneck
from groma.record import ProbeSamples, Quantity
from groma.record.launch import CheckResult
from groma.run.interruption import Interruption
from groma.run.job import JobResult
from groma.run.launch_results import LaunchResults, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from groma.randomaccess.setup import Setup

ROLES = ("generate, route 1", "route 2", "route 3", "update")

PAPER = {
    ("none", ""): 146.0,
    ("discard", "update"): 114.0,
    ("discard", "route 3"): 112.0,
    ("discard", "route 2"): 95.0,
}
"""Cycles of an update in section 5.1, on 64 nodes."""

LOADS = {"generate, route 1": 95.0, "route 2": 112.0, "route 3": 114.0, "update": 146.0, "send": 20.0}
"""What that suggests of each core, and a load of sending."""

DELAY = 100.0

Way = tuple[str, str]


def samples_of(
    times: Mapping[Way, float], added: Mapping[str, float] | None = None, noise: float = 0.0
) -> ProbeSamples:
    cases, values = [], []
    for series, of in (
        ("update_time", times),
        ("delayed_time", {("delay", role): time for role, time in (added or {}).items()}),
    ):
        for (intervention, role), time in of.items():
            cases.append({"series": series, "intervention": intervention, "role": role, "unit": "s"})
            values.append([time, time * (1 + noise), time * (1 - noise)])
    return ProbeSamples(probe="random_access", cases=cases, values=values)


def paper(loads: Mapping[str, float] = LOADS, noise: float = 0.0) -> ProbeSamples:
    """A role that is delayed sets the time if its load and the delay are more than that of the slowest."""
    slowest = PAPER["none", ""]
    delayed = {("delay", role): max(slowest, load + DELAY) for role, load in loads.items()}
    return samples_of({**PAPER, **delayed}, dict.fromkeys(loads, DELAY), noise)


def facts_from(samples: ProbeSamples) -> BottleneckFacts:
    facts = planned_bottleneck(RandomAccessPlan(), 4)
    add_loads(facts, samples)
    return facts


def value(quantity: Quantity | None) -> float:
    assert quantity is not None
    return quantity.value


def test_the_numbers_of_the_paper_give_its_loads_and_its_bottleneck() -> None:
    facts = facts_from(paper())
    assert value(facts.update_time) == 146
    assert [one.role for one in facts.roles] == list(ROLES)
    assert [value(one.dropped) for one in facts.roles] == [95, 112, 114, 146]
    assert (facts.by_dropping, facts.by_delaying) == ("update", "update")


def test_a_delay_less_what_it_added_is_the_load_of_the_role() -> None:
    facts = facts_from(paper())
    assert [value(one.delayed) for one in facts.roles] == pytest.approx([95, 112, 114, 146])
    assert [value(one.response) for one in facts.roles] == pytest.approx([0.49, 0.66, 0.68, 1.0])
    (sending,) = facts.messages
    assert (sending.role, sending.dropped, value(sending.response)) == ("send", None, 0.0)
    assert value(sending.delayed) == 46, "no more than this: the delay was hidden behind a slower role"


def test_a_slow_early_role_hides_those_after_it() -> None:
    times = {("none", ""): 100.0, ("discard", "update"): 100.0, ("delay", "generate"): 190.0}
    facts = facts_from(samples_of({**times, ("delay", "update"): 130.0}, {"generate": 90.0, "update": 90.0}))
    assert (facts.by_dropping, facts.by_delaying) == ("generate", "generate")


def test_times_that_vary_too_much_name_no_bottleneck() -> None:
    facts = facts_from(paper(noise=0.5))
    assert (facts.by_dropping, facts.by_delaying) == (None, None)
    assert [one.code for one in bottleneck_advice(facts, cpus=4)] == ["randomaccess.unstable"]


def test_the_last_role_is_named_though_times_vary_if_all_before_it_are_far_faster() -> None:
    times = {("none", ""): 100.0, ("discard", "update"): 3.0, ("delay", "generate"): 102.0}
    facts = facts_from(samples_of({**times, ("delay", "update"): 190.0}, noise=0.4))
    assert (facts.by_dropping, facts.by_delaying) == ("update", None)


def test_roles_that_share_cores_are_warned_of() -> None:
    facts = facts_from(paper())
    assert bottleneck_advice(facts, cpus=4) == []
    assert [one.code for one in bottleneck_advice(facts, cpus=2)] == ["randomaccess.oversubscribed"]
    assert " shared 1 CPU: " in bottleneck_advice(facts, cpus=1)[0].what


def test_an_interruption_keeps_the_interventions_until_then() -> None:
    facts = facts_from(samples_of({("none", ""): 10.0, ("delay", "generate"): 12.0}))
    (role,) = facts.roles
    assert value(role.dropped) == 10
    assert role.response is None
    assert facts_from(ProbeSamples(probe="random_access", cases=[], values=[])).update_time is None


def outcome(*, passed: bool) -> Outcome:
    roles = [{"role": role, "ranks": 2} for role in ROLES]
    check = CheckResult(name="wrong words", value=float(not passed), limit=0.0, passed=passed)
    return Outcome(benchmark="random_access", checks=[check], facts={"roles": roles})


@pytest.mark.parametrize("passed", [True, False])
def test_checks_are_of_the_runs_that_drop_nothing(setup: Setup, *, passed: bool) -> None:
    known = LaunchResults(
        samples={"random_access": paper()}, outcomes={"random_access": outcome(passed=passed)}
    )
    facts = bottleneck_facts(known, setup)
    assert facts.success is passed
    assert {one.ranks for one in facts.roles} == {2}
    assert "gups" not in msgspec.to_builtins(facts), "no figure of the benchmark"


def test_a_record_is_written_and_read_again(setup: Setup, tmp_path: Path, lines: list[bytes]) -> None:
    begin = {"event": "begin", "probe": "random_access", "seed": 1, "cases": paper().cases}
    sampled = [
        msgspec.json.encode({"event": "sample", "case": case, "round": number, "value": one})
        for case, values in enumerate(paper().values)
        for number, one in enumerate(values)
    ]
    end = [
        msgspec.json.encode({"event": "end", "ended": "stable"}),
        msgspec.json.encode({"event": "outcome", **msgspec.to_builtins(outcome(passed=True))}),
    ]

    def job(command: Any, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        for line in (lines[0], msgspec.json.encode(begin), *sampled, *end):
            on_line(line)
        return JobResult("finished", 0)

    path = tmp_path / "bottleneck.json"
    record = find_bottleneck(setup, path, job).run(Interruption())
    again = read_record(path)
    assert isinstance(again.facts, BottleneckFacts)
    assert again.facts == record.facts
    assert again.facts.by_dropping == "update"
    assert not steps_of(again).missing
