"""Tables of published results: a row that would say nothing, or something wrong, is refused by its line."""

from __future__ import annotations

import pytest

from groma.balance.reference import COLUMNS, facts_in, is_reference_file, shipped, systems_of
from groma.errors import GromaError

HEADER = ",".join(COLUMNS)


def table(*rows: str) -> str:
    return "\n".join((HEADER, *rows))


REFUSED = {
    "A,random_acess_mpi,1,Gupdate/s,me": "there is no fact random_acess_mpi",
    "A,accumulated.triad,1,GB/s,me": "there is no fact accumulated.triad",
    "A,ratio.hpl,1,B/kflop,me": "there is no fact ratio.hpl",
    "A,hpl_mpi,3,GB/s,me": "hpl_mpi is '3' GB/s",
    "A,random_ring_latency,3,GB/s,me": "random_ring_latency is '3' GB/s",
    "A,ratio.fft,7,B/kflop,me": "ratio.fft is '7' B/kflop",
    "A,clock,2,GB/s,me": "clock is '2' GB/s",
}


@pytest.mark.parametrize("row", REFUSED)
def test_a_fact_that_no_quantity_has_is_refused_by_its_line(row: str) -> None:
    with pytest.raises(GromaError, match=f"mine.csv, line 3: {REFUSED[row]}"):
        facts_in(table("A,ranks,4,,me", row), "mine.csv")


def test_the_nearest_fact_and_its_unit_are_named() -> None:
    with pytest.raises(GromaError) as misspelt:
        facts_in(table("A,random_acess_mpi,1,Gupdate/s,me"), "mine.csv")
    assert "random_access_mpi" in misspelt.value.next_step
    with pytest.raises(GromaError) as wrong:
        facts_in(table("A,hpl_mpi,3,GB/s,me"), "mine.csv")
    assert "flop/s" in wrong.value.next_step


def test_a_fact_that_a_system_has_twice_is_refused() -> None:
    rows = ("A,hpl_mpi,3,Tflop/s,me", "B,hpl_mpi,3,Tflop/s,me", "A,hpl_mpi,4,Tflop/s,me")
    with pytest.raises(GromaError, match="line 4: hpl_mpi of A is in line 2 as well"):
        facts_in(table(*rows), "mine.csv")


CONTRADICTORY = {
    ("A,ranks,4,,me", "A,nodes,8,,me"): "line 3: A has 8 nodes, but 4 ranks (line 2)",
    ("A,nodes,8,,me", "A,ranks,4,,me"): "line 2: A has 8 nodes, but 4 ranks (line 3)",
    (
        "A,accumulated.random_ring,50,GB/s,me",
        "A,ratio.random_ring,60,B/kflop,me",
    ): "line 3: ratio.random_ring of A says the same as accumulated.random_ring (line 2)",
    ("A,ranks,4,,me", " ,ranks,8,,me"): "line 3: the system has no name",
}


@pytest.mark.parametrize("rows", CONTRADICTORY)
def test_facts_that_contradict_each_other_are_refused_by_their_line(rows: tuple[str, str]) -> None:
    with pytest.raises(GromaError) as found:
        facts_in(table(*rows), "mine.csv")
    assert found.value.what == f"mine.csv, {CONTRADICTORY[rows]}"


QUOTED = [f'"{column}"' for column in COLUMNS]


@pytest.mark.parametrize("header", [HEADER, ", ".join(COLUMNS), ",".join(QUOTED), ", ".join(QUOTED)])
def test_a_heading_may_have_quotes_and_blanks(header: str) -> None:
    text = f"\ufeff{header}\r\nA,hpl_mpi,3,Tflop/s,me\r\n"
    assert is_reference_file(text)
    (system,) = systems_of(facts_in(text, "mine.csv"))
    assert system.accumulated["hpl"].value == 3e12


@pytest.mark.parametrize(
    "text", ["", "system", '{"schema": "x"}', '"system\n', "system;fact;value;unit;source"]
)
def test_other_texts_are_no_tables(text: str) -> None:
    assert not is_reference_file(text)


def test_every_shipped_fact_is_known() -> None:
    assert shipped("paper")
    assert shipped("awards")
