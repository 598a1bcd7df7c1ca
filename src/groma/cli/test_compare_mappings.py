"""What a comparison of two mappings shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.compare.compare import compare
from groma.facts.mapping import KIND, MappingFacts
from groma.facts.named import named_quantities_of
from groma.map.matrix import Matrix
from groma.map.solve import Method, Request, mapped
from groma.map.topologies import machine_named
from groma.map.traffic import Traffic
from groma.run.provenance import analysis_record

if TYPE_CHECKING:
    from groma.facts.comparison import ComparisonFacts
    from groma.record import Record

CHAIN = tuple(Traffic(rank, rank + 1, 1000.0) for rank in range(7))


def by(method: Method, topology: str = "mesh:8", traffic: tuple[Traffic, ...] = CHAIN) -> MappingFacts:
    return mapped(Request(machine_named(topology), Matrix(8, traffic), method))


def recorded(facts: MappingFacts) -> Record[MappingFacts]:
    return analysis_record(KIND, facts)


def compared(old: MappingFacts, new: MappingFacts) -> ComparisonFacts:
    return compare([("old", "old.json", recorded(old)), ("new", "new.json", recorded(new))])


def verdicts(facts: ComparisonFacts) -> dict[str, str]:
    return {one.name: one.others[0].verdict for one in facts.quantities}


def test_a_worse_mapping_of_the_same_problem_is_worse_in_every_figure() -> None:
    found = verdicts(compared(by("block"), by("random")))
    assert {
        name: found[f"mapping.quality.{name}"] for name in ("hop_bytes", "dilation", "max_congestion")
    } == {
        "hop_bytes": "worse",
        "dilation": "worse",
        "max_congestion": "worse",
    }
    baselines = {name: verdict for name, verdict in found.items() if ".baselines." in name}
    assert set(baselines.values()) == {"same"}, "the problem is the same"
    assert "mapping.baselines.cyclic.dilation" in baselines


def test_modularity_is_better_when_it_is_higher_and_may_be_negative() -> None:
    pairs = tuple(Traffic(rank, rank + 1, 1000.0) for rank in range(0, 8, 2))
    old, new = by("cyclic", "tree:4x2", pairs), by("block", "tree:4x2", pairs)
    assert old.quality.modularity is not None
    assert old.quality.modularity <= 0
    assert verdicts(compared(old, new))["mapping.quality.modularity"] == "better"
    assert verdicts(compared(new, old))["mapping.quality.modularity"] == "worse"


def test_figures_of_baselines_are_details() -> None:
    details = {one.name: one.detail for one in named_quantities_of(recorded(by("block")))}
    assert not details["mapping.quality.dilation"]
    assert details["mapping.baselines.block.dilation"]


@pytest.mark.parametrize(
    ("new", "what"),
    [
        (by("block", "mesh:8", (*CHAIN[:-1], Traffic(6, 7, 999.0))), {"traffic digest"}),
        (by("block", "tree:2x4:9,1"), {"machine digest"}),
        (by("block", "torus:8"), {"machine", "machine digest"}),
    ],
)
def test_another_problem_or_machine_is_a_difference(new: MappingFacts, what: set[str]) -> None:
    topology = "tree:2x4:8,1" if new.machine.startswith("tree") else "mesh:8"
    found = compared(by("block", topology), new).differences
    assert {one.what for one in found if one.of == "test"} == what


def test_another_method_answers_the_same_test() -> None:
    found = compared(by("block"), by("random")).differences
    assert [(one.of, one.what, one.values) for one in found] == [("software", "method", ["block", "random"])]


def test_the_same_problem_is_no_difference_whatever_came_out() -> None:
    old, new = by("block"), by("block")
    new.mapping, new.remarks = new.mapping[::-1], ["the file does not bind 2 ranks"]
    assert compared(old, new).differences == []


def test_a_mapping_by_weights_has_no_figures_to_compare() -> None:
    facts = by("block")
    facts.baselines = {}
    assert verdicts(compared(facts, facts)) == {}
