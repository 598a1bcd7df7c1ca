from typing import ClassVar

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groma.record import Quantity
from groma.record.naming import better_by_unit, is_named, name_of, named_quantities


def of(unit: str = "s") -> Quantity:
    return Quantity(value=1.0, unit=unit, low=1.0, high=1.0, confidence=0.9, method="m")


class Level(msgspec.Struct, kw_only=True):
    level: int
    latency: Quantity
    value: Quantity | None = None
    notes: list[str] = []


class Machine(msgspec.Struct, kw_only=True):
    DETAILS: ClassVar[tuple[str, ...]] = ("beside",)
    BETTER: ClassVar[dict[str, str]] = {"ratio": "lower"}
    INDEXED_BY: ClassVar[dict[str, str]] = {"by_core": "cores", "steps": "cores"}

    levels: list[Level] = []
    ratio: Quantity | None = None
    matrix: list[list[Quantity | None]] = []
    cores: list[int] = []
    by_core: list[list[Quantity | None]] = []
    steps: dict[str, list[list[Quantity | None]]] = {}
    beside: dict[str, Quantity] = {}


def names(machine: Machine) -> list[str]:
    return [one.name for one in named_quantities("machine", machine)]


def test_entries_of_a_list_are_named_by_what_they_are() -> None:
    levels = [Level(level=2, latency=of(), value=of()), Level(level=1, latency=of())]
    assert names(Machine(levels=levels)) == [
        "machine.levels.2.latency",
        "machine.levels.2",
        "machine.levels.1.latency",
    ]


def test_names_do_not_depend_on_what_else_was_measured() -> None:
    one, two = Level(level=1, latency=of()), Level(level=2, latency=of())
    assert set(names(Machine(levels=[two]))) < set(names(Machine(levels=[one, two])))


def test_entries_without_distinct_names_are_numbered() -> None:
    same = Level(level=1, latency=of())
    assert names(Machine(levels=[same, same])) == ["machine.levels.1.latency", "machine.levels.1.latency-2"]


def test_entries_of_a_matrix_are_details() -> None:
    found = named_quantities("machine", Machine(matrix=[[None, of()]], beside={"x": of()}, ratio=of("ratio")))
    assert [(one.name, one.detail) for one in found] == [
        ("machine.ratio", False),
        ("machine.matrix.0.1", True),
        ("machine.beside.x", True),
    ]


def test_entries_of_a_matrix_are_named_by_the_cores_that_were_measured() -> None:
    square = [[None, of()], [of(), None]]
    assert names(Machine(cores=[4, 6], by_core=square, steps={"x": square})) == [
        *("machine.by_core.4.6", "machine.by_core.6.4"),
        *("machine.steps.x.4.6", "machine.steps.x.6.4"),
    ]


def test_entries_of_a_matrix_without_as_many_cores_are_named_by_their_places() -> None:
    assert names(Machine(cores=[4], by_core=[[None, of()], [None, None]])) == ["machine.by_core.0.1"]


def test_which_way_is_better_follows_from_the_unit_unless_the_facts_know() -> None:
    (ratio,) = named_quantities("machine", Machine(ratio=of("ratio")))
    assert ratio.better == "lower"
    assert [better_by_unit(unit) for unit in ("B/s", "GUP/s", "Hz", "s", "s/B", "cycles", "B", "ratio")] == [
        *("higher", "higher", "higher", "lower", "lower", "lower", "neither", "neither")
    ]


def test_a_word_is_not_repeated_and_a_number_always_reported() -> None:
    assert name_of(("hpcc", "dgemm", "dgemm", "star")) == "hpcc.dgemm.star"
    assert name_of(("hpcc", "hpl", "hpl WR11 n=5")) == "hpcc.hpl.wr11-n-5"
    assert name_of(("a", "1", "1")) == "a.1.1"


def test_facts_that_are_plain_values_have_names_too() -> None:
    plain = msgspec.to_builtins(of())
    assert [one.name for one in named_quantities("sextant", {"stars": [{"height": plain}]})] == [
        "sextant.stars.0.height"
    ]


def test_a_name_means_itself_what_is_below_it_and_what_is_like_it() -> None:
    assert is_named("hpcc.stream.triad.star", "hpcc.stream.triad")
    assert is_named("hpcc.stream.triad.star", "hpcc.*.star")
    assert not is_named("hpcc.stream.triads", "hpcc.stream.triad")


@given(st.lists(st.text(), max_size=4))
def test_any_words_make_a_name_that_a_gate_can_hold(words: list[str]) -> None:
    name = name_of(words)
    assert not set(name) & set(" <>=\"'*?")
