"""Facts follow from results, and nothing else does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.record_differences import differences
from groma.machine.files import find_machine
from groma.record import Build, Record
from groma.sim.torus.conftest import result
from groma.sim.torus.infer import facts_of
from groma.sim.torus.protocol import Result, Run
from groma.sim.torus.run import advice_of
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts


def facts(workload: str = "randomaccess", shape: str = "4x4x4", mesh: str = "", **changed: Any) -> TorusFacts:
    options = SimulationOptions(
        machine=find_machine("bluegene-p"), workload=workload, shape=shape, mesh=mesh, run=Run()
    )
    return facts_of(plan_of(options), msgspec.convert(result(**changed), Result))


def test_updates_over_time_after_the_warm_up_are_the_rate() -> None:
    found = facts()
    assert found.gups is not None
    # 2621.44 updates each 850 cycles of 850 MHz.
    assert found.gups.value == pytest.approx(2621.44 / 1e-6 / 1e9)
    assert found.window is not None
    assert found.window.drift == pytest.approx(0.0)


def record_with(*settings: str, shape: str = "4x4x4", run: Run | None = None) -> Record[TorusFacts]:
    machine = find_machine("bluegene-p")
    options = SimulationOptions(
        machine=machine, workload="uniform", shape=shape, settings=settings, run=run or Run()
    )
    plan = plan_of(options)
    return Record(
        kind="torus",
        created="2025-03-01T00:00:00+00:00",
        command=[],
        build=Build(version="0"),
        environment={},
        parameters=msgspec.to_builtins(plan.request),
        samples={},
        facts=facts_of(plan, msgspec.convert(result(), Result)),
    )


def test_what_no_result_depends_on_makes_no_other_test() -> None:
    other = record_with(run=Run(threads=2, time_limit=60.0, links=True, seed=2))
    assert differences([record_with(), other]) == []


@pytest.mark.parametrize(
    ("setting", "what", "values"),
    [
        ("network.hop_latency=65", "network.hop latency", ["64", "65"]),
        ("processor.receive.each=331", "processor.receive.each", ["330", "331"]),
        ("workload.load=0.5", "workload.load", ["-", "0.5"]),
    ],
)
def test_a_setting_that_differs_makes_another_test(setting: str, what: str, values: list[str]) -> None:
    there = [record_with(), record_with(setting)]
    assert [(one.of, one.what, one.values) for one in differences(there)] == [("test", what, values)]
    back = [(one.what, one.values) for one in differences(there[::-1])]
    assert back == [(what, values[::-1])]


def test_another_shape_makes_another_test() -> None:
    assert [one.what for one in differences([record_with(), record_with(shape="4x4x8")])] == ["title"]


def test_a_rate_that_falls_has_a_drift() -> None:
    samples = [[850.0 * at, 2621.44 * at - 6.0 * at * at] for at in range(101)]
    window = facts(window={"samples": samples}).window
    assert window is not None
    assert window.drift is not None
    assert window.drift < -0.05


def test_stalls_are_shares_of_the_time_of_all_links() -> None:
    found = facts(stalls={"tokens": 8500.0 * 384, "by_direction": [8500.0 * 64] * 6}, time=85000.0)
    assert found.stalls.share == pytest.approx(0.1)
    assert found.stalls.by_direction == pytest.approx([0.1] * 6)


def test_stalls_of_a_direction_are_shares_of_the_time_of_its_own_links() -> None:
    """A mesh of 4 x 2 has 6 links in x+ and 4 in y+; along z there are none."""
    stalls = {"tokens": 85000.0 * 8, "by_direction": [85000.0 * 6, 0.0, 85000.0 * 2, 0.0, 0.0, 0.0]}
    found = facts("uniform", "4x2x1", "xy", stalls=stalls, time=85000.0, links=None).stalls
    assert found.by_direction == pytest.approx([1.0, 0.0, 0.5, 0.0, 0.0, 0.0])


def test_the_median_latency_lies_in_its_bin() -> None:
    latency = {"n": 4, "min": 604.0, "mean": 700.0, "max": 796.0, "p5": 604.0, "p50": 720.0, "p95": 796.0}
    found = facts(latency=latency).latency
    assert found is not None
    assert found.median.low * 850e6 == pytest.approx(720)
    assert found.median.high * 850e6 == pytest.approx(720 * 33 / 32)
    one = facts(latency=latency | {"p50": 796.0}).latency
    assert one is not None
    assert one.median.high * 850e6 == pytest.approx(796), "no time is longer than the longest"


def test_links_by_node_are_there_only_where_they_were_asked_for() -> None:
    assert facts().links is not None
    assert len(facts().links.nodes) == 64  # type: ignore[union-attr]
    busy = {"busy": {"min": 0, "mean": 0.1, "max": 1}, "by_direction": [0.1] * 6}
    assert facts(links=busy).links.nodes == []  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("values", "bandwidth"),
    [
        ({"accepted": [0.25]}, 0.25 * 64 * 850e6),
        ({"message_bytes": [1e6], "finished_at": [850e3]}, 1e9),
        ({"message_bytes": [1e6], "last_arrival": [850e3]}, 1e9),
        ({"message_bytes": [1e6]}, 1e6 / 1e-4),
        ({}, 240000.0 / 1e-4),
    ],
)
def test_bandwidth_is_that_of_the_window_or_of_the_messages(
    values: dict[str, list[float]], bandwidth: float
) -> None:
    found = facts("uniform", values=values)
    assert found.gups is None
    assert found.bandwidth is not None
    assert found.bandwidth.value == pytest.approx(bandwidth)


def test_senders_of_a_fan_have_their_stalls() -> None:
    found = facts("fan", senders=[{"node": 6, "stalled": 0.25, "finished_at": 1}])
    assert found.values == {"stalled.node 6": [0.25]}


def test_a_deadlock_is_reported_with_the_cycle_of_ranks() -> None:
    found = facts("replay", deadlock={"cycle": [0, 3], "ranks": 2}, stuck=True, finished=False)
    (advice,) = advice_of(found)
    assert advice.code == "torus.deadlock"
    assert "0 -> 3 -> 0" in advice.what


def test_ranks_that_wait_without_a_cycle_are_reported_as_well() -> None:
    found = facts("replay", deadlock={"cycle": [], "ranks": 2})
    assert not found.finished
    (advice,) = advice_of(found)
    assert advice.code == "torus.deadlock"
    assert "2 of them" in advice.what
    assert "rendezvous" not in advice.next, "more unannounced bytes do not help where nobody sends"


def test_packets_that_nothing_moves_are_reported_with_what_helps() -> None:
    (advice,) = advice_of(facts(stuck=True, finished=False))
    assert advice.code == "torus.stuck"
    assert "network.reception_packets=0" in advice.next


def test_a_deadlock_asks_for_more_unannounced_bytes_than_there_are() -> None:
    for given, more in ((1000, "1000000"), (10**6, "10000000")):
        options = SimulationOptions(
            machine=find_machine("bluegene-p"),
            workload="replay",
            settings=[f"workload.rendezvous={given}"],
            run=Run(),
        )
        ended = result(deadlock={"cycle": [0, 3], "ranks": 2}, finished=False)
        (advice,) = advice_of(facts_of(plan_of(options), msgspec.convert(ended, Result)))
        assert advice.next.endswith(f"workload.rendezvous={more}")


def test_a_short_run_says_that_it_has_no_interval() -> None:
    (advice,) = advice_of(facts(window={"samples": [[0, 0], [850, 2621]]}))
    assert advice.code == "torus.short"
    assert advice.next.endswith("--updates 16384"), "more than it had"


def test_a_run_that_was_cut_before_its_steady_state_is_not_asked_for_more_updates() -> None:
    (advice,) = advice_of(facts(window={"samples": [[0, 0], [850, 2621]]}, finished=False))
    assert advice.code == "torus.short"
    assert "--updates" not in advice.next


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ([1 + 0.0125 * (at >= 50) + 0.015 * (-1) ** (at // 5) for at in range(100)], ""),
        ([1 + 0.04 * (at >= 50) + 0.02 * (-1) ** (at // 5) for at in range(100)], "half of it is +4 %"),
        ([0, 0, 0, 0, 1, 3, 0, 4], "the rate has no interval"),
        (
            [5] * 4 + [1] * 6 + [5] * 7 + [1] * 8 + [5] * 5 + [1] * 6,
            "the interval is 91 % of the rate wide",
        ),
    ],
)
def test_a_rate_that_is_not_steady_is_not_shown_without_a_word(rates: list[float], words: str) -> None:
    samples = [[850.0 * at, 2621.44 * sum(rates[:at])] for at in range(len(rates) + 1)]
    found = advice_of(facts(window={"samples": samples}))
    assert [one.code for one in found] == (["torus.short"] if words else [])
    assert all(words in one.what for one in found)


@pytest.mark.parametrize(("least", "is_short"), [(1000.0, False), (5000.0, False), (5001.0, True)])
def test_a_window_in_which_packets_hardly_arrive_is_too_short(least: float, is_short: bool) -> None:
    """The window has 100,000 cycles."""
    latency = {"n": 9, "min": least, "p5": 1e4, "p50": 1e4, "p95": 1e4, "max": 1e4, "mean": 1e4}
    found = advice_of(facts("uniform", latency=latency, values={"accepted": [0.1], "bound": [0.2]}))
    assert [one.code for one in found] == (["torus.short"] if is_short else [])
    assert all("--set workload.window=100020" in one.next for one in found)


def test_a_ring_of_two_nodes_has_two_links_in_each_direction() -> None:
    options = SimulationOptions(
        machine=find_machine("bluegene-p"), shape="2x1x1", workload="uniform", run=Run()
    )
    assert plan_of(options).links == 4
