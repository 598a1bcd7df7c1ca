"""The synthetic network is a record, the same from the same arguments."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.facts.reading import decode_record

if TYPE_CHECKING:
    from groma.facts.survey import SurveyFacts
    from groma.record import Record

HERE = Path(__file__).parent


def example() -> bytes:
    return msgspec.json.encode(runpy.run_path(str(HERE / "example_network.py"))["example_record"]())


def test_the_same_arguments_give_the_same_network() -> None:
    assert example() == example()


def test_every_part_of_the_network_is_there() -> None:
    record: Record[SurveyFacts] = decode_record(example(), "example")
    network = record.facts.network
    assert network is not None
    missing = [name for name in network.__struct_fields__ if not getattr(network, name)]
    assert missing == []
    assert [one.code for one in record.warnings] == ["network.slow_link"]


def test_the_ring_is_one_although_its_slow_cable_speaks_against_its_routes() -> None:
    """It was unknown with 99.9 %: other routes of the same hops would explain what the cable does."""
    record: Record[SurveyFacts] = decode_record(example(), "example")
    network = record.facts.network
    assert network is not None
    assert network.topology is not None
    assert (network.topology.kind, network.topology.shape) == ("ring", [9])


def test_of_many_nodes_pairs_are_a_sample_and_no_rank_is_reported_alone() -> None:
    made = runpy.run_path(str(HERE / "example_network.py"))
    network = made["example_record"](made["Ring"](nodes=70, pairs=100)).facts.network
    assert network.pairs.design.kind == "sampled"
    assert len(network.distance.ratio) == 35
    assert not any(network.distance.per_rank)


def test_a_single_probe_gives_its_part_alone() -> None:
    made = runpy.run_path(str(HERE / "example_network.py"))
    record = made["example_record"](made["Ring"](), ["net_access"])
    assert list(record.samples) == ["net_access"]
    assert record.facts.network.access is not None
    assert record.facts.network.pairs is None
