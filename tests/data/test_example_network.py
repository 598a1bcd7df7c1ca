"""The committed example is a record, and what its generator makes."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.record.io import decode_record

if TYPE_CHECKING:
    from groma.record import Record, SurveyFacts

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def committed() -> bytes:
    return (HERE / "example-network.json").read_bytes()


def test_committed_example_is_current(committed: bytes) -> None:
    # To renew: python tests/data/example_network.py > tests/data/example-network.json
    generator = runpy.run_path(str(HERE / "example_network.py"))
    made = msgspec.json.encode(generator["example_record"]())
    assert json.loads(committed) == json.loads(made)


def test_every_part_of_the_network_is_there(committed: bytes) -> None:
    record: Record[SurveyFacts] = decode_record(committed, "example")
    network = record.facts.network
    assert network is not None
    missing = [name for name in network.__struct_fields__ if not getattr(network, name)]
    assert missing == []
    assert [one.code for one in record.warnings] == ["network.slow_link"]


def test_of_many_nodes_pairs_are_a_sample_and_no_rank_is_told_alone() -> None:
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
