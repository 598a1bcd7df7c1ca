"""What the page shows of a simulated run on a torus."""

from __future__ import annotations

from groma.facts.torus import CoreLoad, LinkBusy
from groma.report.blocks import Choice, HeatMap, Option, StripChart
from groma.report.views.registry import sections_of
from groma.report.views.test_support import (
    blocks_in,
    drawing_in,
    figure_in,
    measured,
    record_of,
    simulated,
    tiles_in,
)


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


def options_of(shape: list[int], busy: list[list[float]]) -> list[Option]:
    axes = ["x", "y", "z"][: len(shape)]
    links = LinkBusy(mean=0.1, min=0.0, max=0.9, by_direction=[0.1] * (2 * len(shape)), nodes=busy)
    facts = simulated("randomaccess", shape=shape, closed=[True] * len(shape), axes=axes, links=links)
    sections = sections_of(record_of("torus", facts))
    return next(list(one.options) for one in blocks_in(sections) if isinstance(one, Choice))


def one_hot_node(nodes: int) -> list[list[float]]:
    return [[0.9 if node == nodes - 1 else 0.1] * 6 for node in range(nodes)]


def test_planes_of_a_torus_have_the_same_colours_and_name_the_hot_one() -> None:
    options = [one for one in options_of([4, 4, 4], one_hot_node(64)) if one.label.startswith("z = ")]
    assert [one.label.replace("\u00a0", " ") for one in options] == [
        *(f"z = {z}, up to 10 %" for z in range(3)),
        "z = 3, up to 90 %",
    ]
    spans = [one.figure.drawing.span for one in options if isinstance(one.figure.drawing, HeatMap)]
    assert [tuple(map(round, span)) for span in spans] == [(10, 90)] * 4


def test_each_node_of_a_large_torus_is_in_a_plane_and_means_come_first() -> None:
    labels = [
        one.label.partition(", up to")[0] for one in options_of([18, 16, 16], one_hot_node(18 * 16 * 16))
    ]
    assert labels[:3] == ["mean over z", "mean over x", "z = 0"]
    assert "z = 15" in labels


def test_the_page_of_a_large_torus_does_not_hold_its_facts_once_more() -> None:
    nodes = 64 * 64 * 4
    links = LinkBusy(mean=0.1, min=0.0, max=0.9, by_direction=[0.1] * 6, nodes=[[0.123456789] * 6] * nodes)
    facts = simulated("randomaccess", shape=[64, 64, 4], closed=[True] * 3, axes=["x", "y", "z"], links=links)
    assert figure_in(sections_of(record_of("torus", facts)), "method").data is None
