"""Warnings of what ended the measurements of a launch."""

from __future__ import annotations

import pytest

from groma.record import ProbeSamples, Round
from groma.record.launch import Plan
from groma.run.facts import more_samples, unsettled_advice

PLAN = Plan(budget=60.0)


def measured(probe: str, ended: str, repetitions: int) -> ProbeSamples:
    rounds = [Round(elapsed=0.1, fixed_work=1e-3, wall_over_cpu=1.0, steal=0.0)] * repetitions
    return ProbeSamples(probe=probe, cases=[], values=[], rounds=rounds, ended=ended)


def test_tests_whose_time_ended_are_named_and_need_more_time() -> None:
    some = [measured("hpl", "budget", 5), measured("fft", "stable", 8), measured("stream", "budget", 40)]
    (advice,) = unsettled_advice(some, "hpcc", PLAN)
    assert advice.code == "hpcc.unsettled"
    assert advice.what == "time ended before the medians had settled: hpl, stream"
    assert advice.next == "give more time, and ask for more samples: --repeat 80 --budget 5m"


@pytest.mark.parametrize(("given", "advised"), [(0.0, "5m"), (60.0, "5m"), (61.0, "6m"), (1800.0, "150m")])
def test_who_gave_much_time_is_told_to_give_more_than_that(given: float, advised: str) -> None:
    (advice,) = unsettled_advice([measured("hpl", "budget", 5)], "hpcc", Plan(budget=given))
    assert advice.next == f"give more time, and ask for more samples: --repeat 20 --budget {advised}"
    assert more_samples([], Plan(budget=given)).endswith(f"--repeat 20 --budget {advised}")


def test_tests_that_no_number_of_repetitions_settled_are_named_and_need_no_more_time() -> None:
    some = [measured("dgemm", "rounds", 100), measured("stream", "stable", 100)]
    (advice,) = unsettled_advice(some, "hpcc", PLAN)
    assert advice.what == "the medians had not settled after 100 repetitions: dgemm"
    assert advice.next == "run again on an idle machine, or ask for more samples: --repeat 200"


def test_both_ends_are_told_apart() -> None:
    some = [measured("dgemm", "rounds", 100), measured("stream", "budget", 40)]
    assert [one.what.rpartition(": ")[2] for one in unsettled_advice(some, "hpcc", PLAN)] == [
        "stream",
        "dgemm",
    ]


@pytest.mark.parametrize(("ended", "repetitions"), [("stable", 100), ("interrupted", 100), ("rounds", 5)])
def test_what_settled_or_is_too_short_to_tell_is_no_warning(ended: str, repetitions: int) -> None:
    """RandomAccess repeats as often as it is asked to, and five samples have no such interval."""
    assert unsettled_advice([measured("random_access", ended, repetitions)], "hpcc", PLAN) == []
