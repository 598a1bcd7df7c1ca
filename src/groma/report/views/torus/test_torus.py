"""What the page shows of a simulated run on a torus."""

from __future__ import annotations

from groma.facts.torus import CoreLoad
from groma.report.blocks import StripChart
from groma.report.views.registry import sections_of
from groma.report.views.test_support import drawing_in, measured, record_of, simulated, tiles_in


def test_packets_and_updates_have_their_thousands_apart() -> None:
    facts = simulated(
        "randomaccess",
        gups=measured(0.1, "GUP/s"),
        bucket=1024,
        packets=1234567,
        packet_hops=2469134,
        updates=7654321,
    )
    tiles = {tile.title: tile.lines for tile in tiles_in(sections_of(record_of("torus", facts)))}
    assert tiles["RandomAccess"] == ["7,654,321 updates", "buckets of 1024"]
    assert tiles["Simulated time"] == ["1,234,567 packets"]


def test_the_axis_of_shares_has_the_unit_of_their_texts() -> None:
    facts = simulated("randomaccess", loads=[CoreLoad(role="update", busy=0.75)])
    drawing = drawing_in(sections_of(record_of("torus", facts)), "torus-loads", StripChart)
    (lane,) = drawing.strips[0].lanes
    assert drawing.x.unit == "%"
    assert lane.text.split() == ["75", "%"]
    assert lane.value == lane.low == lane.high == 75.0
