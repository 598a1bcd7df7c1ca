"""The paper's own numbers, from its own inputs."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.balance.infer import facts_of
from groma.balance.inter_node import inner_share
from groma.balance.printed import INCONSISTENT, REPRODUCED, ROUNDED, PrintedNumber, quotient, verdict_of
from groma.balance.reference import SHIPPED, shipped, systems_of
from groma.balance.sources import distinct
from groma.balance.statements import RULES

PAGE = Path(__file__).parents[3] / "docs" / "balance.md"
SYSTEMS = systems_of(shipped("paper"))
FACTS = facts_of(SYSTEMS)
PRINTED = {(one.system, one.what): one for one in FACTS.printed}

NOT_REPRODUCED = {
    "Quadrics, Alpha, 484x1": "17.8",
    "Myrinet 2000, Xeon 3.066 GHz, 256x1": "8.1",
    "Sun Fire Link, 128x1": "94.5",
    "Infiniband, Xeon 2.46 GHz, 128x1": "48.2",
    "SGI Numalink, 128x1": "42.2",
    "Infiniband 4x, Xeon 2.4 GHz, 32x1": "56.3",
    "Myrinet 2000, Xeon 2.4 GHz, 32x1": "21.7",
    "SCI torus, Xeon 2.4 GHz, 32x1": "15.2",
    "NEC SX-6, 192x1": "57.5",
    "NEC SX-6, 64x1": "68.1",
    "IBM HPS, 32x4": "45.0",
}
"""Balances that follow only from inputs with more digits than the paper prints."""


def test_table_1_has_its_24_rows_with_every_input() -> None:
    rows = [row for row in FACTS.table1 if row.ranks]
    assert len(rows) == 24
    for row in rows:
        inputs = (
            row.clock,
            row.random_ring_bandwidth,
            row.ping_pong_bandwidth,
            row.random_ring_latency,
            row.ping_pong_latency,
        )
        assert all(inputs), row.system
        assert all((row.hpl, row.hpl_per_rank, row.balance, row.switch, row.cpu)), row.system


def test_balances_are_reproduced_to_the_printed_digit_or_listed() -> None:
    balances = {one.system: one for one in FACTS.printed if one.what == "balance"}
    assert len(balances) == 24
    listed = {name: one.printed for name, one in balances.items() if one.verdict != REPRODUCED}
    assert listed == NOT_REPRODUCED
    assert {one.verdict for one in balances.values()} == {REPRODUCED, ROUNDED}


def test_hpl_per_process_is_reproduced_or_within_its_rounded_inputs() -> None:
    found = [one.verdict for one in FACTS.printed if one.what == "HPL per process"]
    assert len(found) == 24
    assert found.count(REPRODUCED) == 16
    assert INCONSISTENT not in found


def test_the_balance_of_a_row_is_what_the_record_says_of_it() -> None:
    values = {one.system: one.balance.value for one in FACTS.table1 if one.balance}
    for one in FACTS.printed:
        if one.what == "balance":
            assert values[one.system] == pytest.approx(float(one.printed), rel=0.02)


def test_section_4_is_computed_again() -> None:
    reported = {what: one for (_, what), one in PRINTED.items() if "inner" in what or "between" in what}
    assert reported["share of inner neighbours, p / P"].verdict == REPRODUCED
    exact = reported["share of inner neighbours, (p - 1) / (P - 1)"]
    assert (exact.computed, exact.verdict) == ("23", INCONSISTENT)
    assert reported["ring between nodes per process"].computed == "0.504"
    assert reported["ring between nodes per node"].computed == "4.03"
    assert reported["balance between nodes"].computed == "60.2"


def test_the_ring_between_nodes_leaves_out_neighbours_on_the_same_node() -> None:
    assert inner_share(32, 4) == pytest.approx(7 / 31)
    assert inner_share(4, 4) == 0
    assert inner_share(32, 1) == 1
    found = {one.system: one.inter_node for one in FACTS.ratios}
    single, threaded = found["NEC SX-6+, 32x1"], found["NEC SX-6+, 4x8"]
    assert single is not None
    assert threaded is not None
    assert single.per_rank.value == pytest.approx(0.672e9 * 24 / 31)
    assert single.per_node.value == pytest.approx(8 * 0.672e9 * 24 / 31)
    assert threaded.per_node.value == pytest.approx(6.759e9)
    assert found["Cray X1, 60x1"] is None  # nothing says on how many nodes


@given(st.integers(1, 64), st.integers(1, 64))
def test_the_share_of_inner_neighbours_is_that_of_all_orders(per_node: int, nodes: int) -> None:
    """Each rank has P - 1 possible right neighbours, p - 1 of them on its node."""
    share = inner_share(per_node * nodes, nodes)
    assert 0 <= share <= 1
    if per_node * nodes > 1:
        pairs = sum(1 for other in range(1, per_node * nodes) if other // per_node == 0)
        assert share == pytest.approx(pairs / (per_node * nodes - 1))


def test_the_ranges_that_the_paper_names_are_those_of_its_table() -> None:
    messages = [one.messages for one in FACTS.ratios if one.messages]
    bandwidths = sorted(one["random_to_ping_pong"].value for one in messages)
    assert f"{bandwidths[0]:.0%}" == "4%"
    assert [f"{one:.0%}" for one in bandwidths[-2:]] == ["48%", "97%"]  # "with one exception"
    latencies = sorted(one["latency_ping_pong_to_random"].value for one in messages)
    assert f"{latencies[0]:.2f}" == "0.23"


def test_platforms_are_read_at_3_tflops_as_the_paper_does() -> None:
    read = {one.platform: round(one.value.value, 6) for one in FACTS.readings if one.ratio == "random_ring"}
    assert read == {"Cray X1E": 30, "SGI Altix 3700 Bx2": 40, "NEC SX-8": 62, "Cray XT3": 67}


def test_every_reference_has_a_source_and_a_name_of_its_own() -> None:
    for name in SHIPPED:
        facts = shipped(name)
        assert all(one.source for one in facts)
        systems = systems_of(facts)
        assert all(one.reference and one.source for one in systems)
        kept, reported = distinct(systems)
        assert [one.name for one in kept] == [one.name for one in systems]
        assert not reported


def test_awards_are_of_whole_systems() -> None:
    awards = {one.name: one for one in systems_of(shipped("awards"))}
    computer = awards["K computer, 2012 to 2014"]
    assert computer.accumulated["stream_triad"].value == pytest.approx(3857e12)
    assert computer.accumulated["hpl"].value == pytest.approx(9796e12)
    (ratios,) = facts_of([computer]).ratios
    assert ratios.over_hpl["stream_triad"].value == pytest.approx(393.7, abs=0.1)
    assert "ptrans" not in ratios.over_hpl


@pytest.mark.parametrize(
    ("printed", "verdict"), [("2.0", REPRODUCED), ("1.9", ROUNDED), ("2.5", INCONSISTENT), ("2", REPRODUCED)]
)
def test_verdicts_allow_for_the_digits_of_the_inputs(printed: str, verdict: str) -> None:
    derived = quotient(PrintedNumber("1.0"), PrintedNumber("0.50"), Decimal(1))
    assert verdict_of(PrintedNumber(printed), derived) == verdict


@given(st.integers(1, 999), st.integers(1, 999), st.integers(1, 4))
def test_what_is_computed_before_rounding_is_never_inconsistent(above: int, below: int, digits: int) -> None:
    """Inputs with more digits, rounded for print: their quotient is within the bounds."""
    one, other = Decimal(above) / 7, Decimal(below) / 3
    step = Decimal(1).scaleb(-digits)
    first, second = (PrintedNumber(str(value.quantize(step))) for value in (one, other))
    result = PrintedNumber(str((one / other).quantize(Decimal("0.01"))))
    assert verdict_of(result, quotient(first, second, Decimal(1))) != INCONSISTENT


def test_the_method_page_lists_what_is_not_reproduced() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, printed in NOT_REPRODUCED.items():
        one = PRINTED[name, "balance"]
        row = f"| {printed} | {one.computed} | {one.low:.2f} to {one.high:.2f} |"
        assert row in page, name


def test_the_method_page_names_balances_that_follow_only_from_hpl_per_process() -> None:
    rows: dict[str, dict[str, str]] = {}
    for fact in shipped("paper"):
        rows.setdefault(fact.system, {})[fact.name] = fact.value
    found = []
    for name, one in rows.items():
        if one.get("printed.balance"):
            ring, hpl = PrintedNumber(one["random_ring_bandwidth"]), PrintedNumber(one["hpl_mpi"])
            balance, ranks = PrintedNumber(one["printed.balance"]), Decimal(one["ranks"])
            by_rank = quotient(ring, PrintedNumber(one["printed.hpl_per_rank"]), Decimal(1000))
            if verdict_of(balance, quotient(ring, hpl, 1000 * ranks)) != REPRODUCED:
                found += [name.replace(",", "")] if verdict_of(balance, by_rank) == REPRODUCED else []
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert len(found) == 4
    assert f"{', '.join(found[:-1])} and {found[-1]} follow only from HPL per process" in page


def test_the_method_page_has_every_statement_with_its_threshold() -> None:
    page = PAGE.read_text(encoding="utf-8").lower()
    for rule in RULES:
        rows = [line for line in page.splitlines() if line.startswith(f"| {rule.code.replace('-', ' ')} |")]
        assert len(rows) == 1, rule.code
        words = {0.6: "60 %", 0.1: "10 %", 0.9: "90 %", 0.3: "30 %", 1 / 3: "1/3"}
        assert f"{rule.side} {words.get(rule.threshold, f'{rule.threshold:g} ')}" in rows[0]
