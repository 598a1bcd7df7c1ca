"""What the ratios say, and where curves are read."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.balance.infer import facts_of
from groma.balance.ratios import RATIOS, accumulated_of
from groma.balance.scaling import readings_at
from groma.balance.statements import RULES
from groma.facts.balance import System
from groma.record import Quantity
from groma.stats.quotient import one_sample

RANKS = 10


def system(**values: float) -> System:
    """On ten ranks, with values in base units."""
    quantities = {key: one_sample(value, "x", "") for key, value in values.items()}
    return System(
        name="own",
        source="",
        platform="one",
        ranks=RANKS,
        quantities=quantities,
        accumulated=accumulated_of(quantities, RANKS),
    )


def said(one: System) -> list[str]:
    return [statement.code for statement in facts_of([one]).statements]


HPL = {"hpl_mpi": 1e12}


@pytest.mark.parametrize(
    ("ring", "codes"),
    [(1.9e9, ["network-starved"]), (2.1e9, []), (5.9e9, []), (6.1e9, ["network-rich"])],
)
def test_the_network_is_judged_by_the_random_ring_over_hpl(ring: float, codes: list[str]) -> None:
    assert said(system(**HPL, random_ring_bandwidth=ring)) == codes


@pytest.mark.parametrize(
    ("triad", "codes"), [(1.9e10, ["memory-starved"]), (5e10, []), (1.1e11, ["memory-rich"])]
)
def test_memory_is_judged_by_the_triad_over_hpl(triad: float, codes: list[str]) -> None:
    assert said(system(**HPL, triad_star=triad)) == codes


def test_hpl_is_judged_by_dgemm() -> None:
    assert said(system(**HPL, dgemm_star=2e11)) == ["hpl-weak"]
    assert said(system(**HPL, dgemm_star=1.2e11)) == []


def test_messages_are_judged_by_their_ratios() -> None:
    slow = {"random_ring_bandwidth": 1e8, "ping_pong_bandwidth_min": 2e9, "natural_ring_bandwidth": 1e9}
    late = {"ping_pong_latency_max": 1e-6, "random_ring_latency": 4e-6}
    assert said(system(**slow, **late)) == ["ring-contended", "placement-sensitive", "latency-under-load"]
    free = system(random_ring_bandwidth=1.95e9, ping_pong_bandwidth_min=2e9)
    assert said(free) == ["ring-free"]


def test_nothing_is_said_of_a_network_within_one_node() -> None:
    one = system(**HPL, random_ring_bandwidth=1e8, triad_star=1e9)
    assert said(msgspec.structs.replace(one, nodes=1)) == ["memory-starved"]


def test_a_single_sample_beside_an_interval_makes_no_statement_more_certain() -> None:
    hpl = Quantity(value=1e12, unit="flop/s", low=4e11, high=1.8e12, confidence=0.95, method="")
    quantities = {"hpl_mpi": hpl, "random_ring_bandwidth": one_sample(1.8e9, "B/s", "")}
    one = msgspec.structs.replace(system(), quantities=quantities, accumulated=accumulated_of(quantities, 10))
    assert said(one) == []


def test_nothing_is_said_where_the_interval_reaches_over_the_threshold() -> None:
    wide = Quantity(value=1.9e9, unit="B/s", low=1.8e9, high=2.2e9, confidence=0.95, method="")
    hpl = Quantity(value=1e12, unit="flop/s", low=1e12, high=1e12, confidence=0.95, method="")
    quantities = {"hpl_mpi": hpl, "random_ring_bandwidth": wide}
    one = msgspec.structs.replace(system(), quantities=quantities, accumulated=accumulated_of(quantities, 10))
    assert said(one) == []


def test_references_are_not_judged() -> None:
    starved = system(**HPL, random_ring_bandwidth=1e6)
    assert said(starved)
    assert said(msgspec.structs.replace(starved, reference=True)) == []


def test_every_statement_has_its_threshold_and_reason() -> None:
    (one,) = facts_of([system(**HPL, random_ring_bandwidth=1e9)]).statements
    assert (one.ratio, one.side, one.threshold) == ("random_ring", "below", 20)
    assert one.value.value == pytest.approx(10)
    assert one.reason
    assert all(rule.says and rule.reason for rule in RULES)


def curve(*points: tuple[float, float]) -> list[System]:
    return [
        msgspec.structs.replace(system(hpl_mpi=hpl, random_ring_bandwidth=ring / RANKS), name=str(number))
        for number, (hpl, ring) in enumerate(points)
    ]


def test_a_curve_is_read_between_its_neighbours_and_never_beyond() -> None:
    systems = curve((1e12, 1e11), (4e12, 2e11))
    (reading,) = readings_at(systems, 2e12)
    assert reading.value.value == pytest.approx(1000 * 2**0.5 * 1e11 / 2e12)
    assert reading.between == ["0", "1"]
    assert readings_at(systems, 0.9e12) == readings_at(systems, 5e12) == []


def test_a_curve_is_read_at_a_point_of_its_own() -> None:
    (reading,) = readings_at(curve((1e12, 1e11), (3e12, 9e10), (4e12, 2e11)), 3e12)
    assert reading.value.value == pytest.approx(30)
    assert reading.between == ["1"]


positive = st.floats(1e6, 1e15)


@given(st.lists(st.tuples(positive, positive), min_size=2, max_size=6), st.floats(0, 1))
def test_a_reading_lies_between_the_rates_of_its_neighbours(
    points: list[tuple[float, float]], share: float
) -> None:
    speeds = [hpl for hpl, _ in points]
    speed = min(speeds) + share * (max(speeds) - min(speeds))
    known = {str(number): ring for number, (_, ring) in enumerate(points)}
    for one in readings_at(curve(*points), speed):
        rings = [known[name] for name in one.between]
        whole = one.value.value * speed / 1000
        assert min(rings) * 0.999 <= whole <= max(rings) * 1.001


@given(st.lists(st.tuples(positive, positive), min_size=1, max_size=8))
def test_the_best_of_each_column_is_1_and_no_other_is_more(points: list[tuple[float, float]]) -> None:
    facts = facts_of(curve(*points))
    for name in ("hpl", "random_ring"):
        shares = [one.relative[name].value for one in facts.ratios]
        assert max(shares) == pytest.approx(1)
        assert min(shares) > 0
    assert {one.name for one in RATIOS} > {"random_ring"}
