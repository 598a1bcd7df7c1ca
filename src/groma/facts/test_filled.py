"""What facts lack is seen by their places, not by their numbers."""

import msgspec

from groma.facts.filled import filled_places
from groma.facts.survey import Cache, Clock, Memory, NodeFacts, ScalingPoint
from groma.record import Quantity

GIVEN = Quantity(value=1.0, unit="B", low=1.0, high=1.0, confidence=0.9, method="given")


def cache(level: int, line: Quantity | None = None) -> Cache:
    return Cache(level=level, kind="data", size=GIVEN, latency=GIVEN, line=line)


def test_quantities_and_entries_fill_a_place_whatever_their_number() -> None:
    one = NodeFacts(caches=[cache(1, line=GIVEN)])
    several = NodeFacts(caches=[cache(1), cache(2, line=GIVEN)])
    assert filled_places(one) == filled_places(several)
    assert filled_places(one) == {("caches",), ("caches", "size"), ("caches", "latency"), ("caches", "line")}


def test_what_is_empty_or_not_known_fills_none() -> None:
    assert not filled_places(NodeFacts())
    assert not filled_places(NodeFacts(memory=Memory()))


def test_parts_of_a_part_have_places_of_their_own() -> None:
    rates = {"triad": [ScalingPoint(cores=1, value=GIVEN)]}
    memory = NodeFacts(memory=Memory(latency=GIVEN, bandwidth=rates))
    without = msgspec.structs.replace(memory, memory=Memory(bandwidth=rates))
    assert filled_places(memory) - filled_places(without) == {("memory", "latency")}
    clock = Clock(core_frequency=GIVEN, timer_cost=GIVEN, timer_resolution=GIVEN)
    assert ("clock", "timer_cost") in filled_places(NodeFacts(clock=clock))
