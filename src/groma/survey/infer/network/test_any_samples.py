"""Whatever a launch leaves behind - lost ranks, failed repetitions, missing cases - gives facts or none."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groma.facts.network import NetworkFacts
from groma.facts.reading import read_record
from groma.facts.survey import SurveyFacts
from groma.record import ProbeSamples, Record
from groma.survey.infer.registry import infer_network

EXAMPLE = Path(__file__).parents[5] / "build" / "test-data" / "example-network.json"
PROBES = [
    "net_pairs",
    "net_curve",
    "net_loggp",
    "net_concurrency",
    "net_distance",
    "net_access",
    "net_receiver",
]


@cache
def example() -> Record[SurveyFacts]:
    return read_record(EXAMPLE)


def damaged(samples: ProbeSamples, draw: st.DrawFn) -> ProbeSamples:
    """Some cases are gone, some values are none, some cases have fewer samples."""
    kept = draw(st.lists(st.sampled_from(range(len(samples.cases))), min_size=1, max_size=24, unique=True))
    wrong = st.sampled_from([math.nan, math.inf, 0.0, -1e-6, 1e-9, 1e3])
    values = [list(samples.values[i][: draw(st.integers(0, 9))]) for i in kept]
    for one in filter(None, values):
        one[draw(st.integers(0, len(one) - 1))] = draw(wrong)
    return ProbeSamples(
        probe=samples.probe,
        cases=[samples.cases[i] for i in kept],
        values=values,
        parameters=samples.parameters,
    )


@st.composite
def remains(draw: st.DrawFn, probe: str) -> dict[str, ProbeSamples]:
    return {probe: damaged(example().samples[probe], draw)}


def is_sound(value: Any) -> bool:
    """Only finite numbers, as JSON has no others."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(is_sound, value.values()))
    return all(map(is_sound, value)) if isinstance(value, list) else True


@pytest.mark.parametrize("probe", PROBES)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_damaged_samples_give_sound_facts_or_none(probe: str, data: st.DataObject) -> None:
    network = example().facts.network
    assert network is not None
    facts, _ = infer_network(data.draw(remains(probe)), network.launches)
    assert facts is not None  # the launches stay
    assert is_sound(msgspec.to_builtins(facts))
    assert msgspec.json.decode(msgspec.json.encode(facts), type=NetworkFacts) == facts
