"""What the page shows of the network of a survey."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.matrices import Entry, sparse_matrix
from groma.facts.network import LogGP, NetworkFacts, PairDesign, TopologyLevel
from groma.record.units import NO_BREAK
from groma.report.blocks import HeatMap, LineChart
from groma.report.views.network.pair_blocks import MeasuredPair, blocks_of, pair_matrix
from groma.report.views.registry import sections_of
from groma.report.views.test_support import (
    assert_whole,
    changed,
    compared,
    drawing_in,
    figure_in,
    figures_in,
    ids_of,
    measured,
    notes_in,
    rows_in,
    tiles_in,
)

if TYPE_CHECKING:
    from groma.facts.survey import SurveyFacts
    from groma.record import Record
    from groma.report.views.registry import PageSection

    Survey = Record[SurveyFacts]

replaced = msgspec.structs.replace


def network_of(record: Survey) -> NetworkFacts:
    assert record.facts.network is not None
    return record.facts.network


def with_network(record: Survey, **changes: Any) -> Survey:
    return changed(record, network=replaced(network_of(record), **changes))


def network_in(record: Survey) -> list[PageSection]:
    return [section for section in sections_of(record) if section.id == "network"]


def plain_notes(record: Survey) -> str:
    return "\n".join(notes_in(network_in(record))).replace(NO_BREAK, " ")


def test_every_part_of_a_network_has_a_figure_with_caption_and_rows(networked_survey: Survey) -> None:
    figures = figures_in(network_in(networked_survey))
    assert_whole(figures)
    parts = "layers loggp curve-time concurrency pairs node-pairs distance access receiver receiver-limits"
    parts += " slow launches"
    assert {f"network-{part}" for part in (*parts.split(), "placement-1")} <= {one.id for one in figures}


def test_a_node_without_a_network_has_no_such_section(networked_survey: Survey) -> None:
    assert "network" not in ids_of(changed(networked_survey, network=None))


def test_parts_that_were_not_measured_are_left_out(networked_survey: Survey) -> None:
    assert "network" not in ids_of(changed(networked_survey, network=NetworkFacts()))


LACKING = [
    "layers without pairs",
    "layers without curves",
    "pairs without a matrix",
    "pairs without hosts",
    "distance without statistics",
    "distance of one entry",
    "access without statistics",
    "receiver without limits",
    "launches without placement",
]


@pytest.mark.parametrize("lacking", LACKING)
def test_whatever_an_interrupted_survey_lacks_figures_of_the_rest_are_whole(
    lacking: str, networked_survey: Survey
) -> None:
    network = network_of(networked_survey)
    pairs, distance, access, receiver = network.pairs, network.distance, network.access, network.receiver
    assert pairs
    assert distance
    assert access
    assert receiver
    bare: dict[str, Any] = {"latency": None, "bandwidth": None, "pairs": [], "switches": []}
    none: dict[str, Any] = {"slowest": None, "harmonic": None, "bandwidth": []}
    curveless = {"loggp": LogGP(), "curve": [], "concurrency": []}
    changes: dict[str, dict[str, Any]] = {
        "layers without pairs": {"layers": [replaced(one, **bare) for one in network.layers]},
        "layers without curves": {"layers": [replaced(one, **curveless) for one in network.layers]},
        "pairs without a matrix": {"layers": [], "pairs": replaced(pairs, latency=[])},
        "pairs without hosts": {"pairs": replaced(pairs, hosts=[])},
        "distance without statistics": {
            "distance": replaced(distance, **none, per_rank=[], hosts=[], loads=[], loads_of=None)
        },
        "distance of one entry": {
            "distance": replaced(distance, ratio=[distance.ratio[0], None, None, None])
        },
        "access without statistics": {"access": replaced(access, **none)},
        "receiver without limits": {"receiver": replaced(receiver, limits=[], host="")},
        "launches without placement": {
            "launches": [replaced(one, launch=replaced(one.launch, placement=[])) for one in network.launches]
        },
    }
    assert set(changes) == set(LACKING)
    assert_whole(figures_in(sections_of(with_network(networked_survey, **changes[lacking]))))


def test_layers_stand_with_the_nearest_first(networked_survey: Survey) -> None:
    backwards = with_network(networked_survey, layers=network_of(networked_survey).layers[::-1])
    assert [row[0] for row in rows_in(network_in(backwards), "network-layers")] == [
        "same node",
        "between nodes",
    ]


def test_curves_leave_the_empty_message_out_of_their_axis_not_out_of_their_table(
    networked_survey: Survey,
) -> None:
    sections = network_in(networked_survey)
    drawing = drawing_in(sections, "network-curve-time", LineChart)
    assert all(point.x > 0 for series in drawing.series for point in series.points)
    assert any(size == 0 for _, size, *_ in rows_in(sections, "network-curve-time"))
    assert [(one.low, one.high) for one in drawing.ranges] == [(8192, 16384)]


def test_layers_that_switch_between_the_same_sizes_share_a_band(networked_survey: Survey) -> None:
    network = network_of(networked_survey)
    switches = next(layer.switches for layer in network.layers if layer.switches)
    layers = [replaced(layer, switches=switches) for layer in network.layers]
    drawing = drawing_in(
        network_in(with_network(networked_survey, layers=layers)), "network-curve-time", LineChart
    )
    assert [one.name for one in drawing.ranges] == ["switch, same node and between nodes"]


def test_distance_draws_every_statistic_beside_what_link_shares_give(networked_survey: Survey) -> None:
    drawing = drawing_in(network_in(networked_survey), "network-distance", LineChart)
    lines = {series.name: series.points for series in drawing.series}
    assert len(lines["mean (ratDist)"]) == 4
    shares = lines["by link shares (inferred ring of 9)"]
    assert [(point.x, point.y) for point in shares] == [(d, d) for d in (1, 2, 3, 4)]
    assert all(point.low is not None and point.low <= point.y for point in lines["mean (ratDist)"])


@pytest.mark.parametrize(
    ("figure", "line", "part"),
    [
        ("network-distance-bandwidth", "mean (ratDist)", "distance"),
        ("network-access-bandwidth", "mean (ratNC)", "access"),
    ],
)
def test_bandwidth_is_drawn_with_the_ratio_at_each_point_and_a_table_behind(
    networked_survey: Survey, figure: str, line: str, part: str
) -> None:
    facts = getattr(network_of(networked_survey), part)
    sections = network_in(networked_survey)
    lines = {series.name: series for series in drawing_in(sections, figure, LineChart).series}
    assert [point.y for point in lines[line].points] == [one.value for one in facts.bandwidth if one]
    assert [point.label for point in lines[line].points] == [
        f"({one.value:.2f})" for one in facts.ratio if one
    ]
    table = figure_in(sections, figure).table
    assert table is not None
    assert [row[2] for row in table.rows] == [one for one in facts.ratio if one]


def test_bandwidth_that_an_older_record_lacks_has_no_figure(networked_survey: Survey) -> None:
    distance = network_of(networked_survey).distance
    assert distance is not None
    older = with_network(networked_survey, distance=replaced(distance, bandwidth=[]))
    shown = [getattr(block, "id", "") for section in network_in(older) for block in section.blocks]
    assert "network-distance-bandwidth" not in shown


def test_an_exchange_at_half_of_the_nodes_is_marked(networked_survey: Survey) -> None:
    distance = network_of(networked_survey).distance
    assert distance is not None
    halved = replaced(distance, exchange=[False, False, False, True])
    ranges = drawing_in(
        network_in(with_network(networked_survey, distance=halved)), "network-distance", LineChart
    ).ranges
    assert [(one.name, one.low, one.high, one.kind) for one in ranges] == [("exchange", 4, 4, "declared")]


def test_pairs_are_parted_where_the_next_node_begins(networked_survey: Survey) -> None:
    drawing = drawing_in(network_in(networked_survey), "network-pairs", HeatMap)
    assert len(drawing.rows) == 18
    assert drawing.borders == [2, 4, 6, 8, 10, 12, 14, 16]


def test_pairs_of_different_nodes_can_be_seen_alone_in_colours_of_their_own(networked_survey: Survey) -> None:
    cells = drawing_in(network_in(networked_survey), "network-pairs-apart", HeatMap).cells
    shown = [cell for row in cells for cell in row if cell]
    assert len(shown) == 18 * 16
    assert all(cell.value > 2e-5 for cell in shown)


def test_each_pair_has_one_row(networked_survey: Survey) -> None:
    assert len(rows_in(network_in(networked_survey), "network-pairs")) == 18 * 17 // 2


def sampled(record: Survey, **changes: Any) -> Survey:
    """As if its pairs were a sample."""
    pairs = network_of(record).pairs
    assert pairs is not None
    design = PairDesign(kind="sampled", measured=153, total=523776, min_share=0.05, risk=0.05)
    return with_network(record, pairs=replaced(pairs, design=design, **changes))


def test_a_sample_of_pairs_is_drawn_by_blocks_of_ranks_each_at_its_median_pair(
    networked_survey: Survey,
) -> None:
    pairs = network_of(networked_survey).pairs
    assert pairs is not None
    kept = [
        [cell if (i + j) % 3 == 0 else None for j, cell in enumerate(row)]
        for i, row in enumerate(pairs.latency)
    ]
    drawing = drawing_in(network_in(sampled(networked_survey, latency=kept)), "network-pairs", HeatMap)
    assert (drawing.rows[0], len(drawing.rows), list(drawing.borders)) == ("0\u20133", 5, [])
    assert all(cell is not None for row in drawing.cells for cell in row)
    assert [list(row) for row in drawing.cells] == [
        list(column) for column in zip(*drawing.cells, strict=True)
    ]


def test_of_so_many_ranks_that_there_is_no_matrix_pairs_have_the_latency_of_their_layer(
    networked_survey: Survey,
) -> None:
    layers = network_of(networked_survey).layers
    rows = rows_in(network_in(sampled(networked_survey, latency=[])), "network-pairs")
    assert len(rows) == sum(len(layer.pairs) for layer in layers)
    assert all(row[2] in [layer.latency for layer in layers] for row in rows)


def test_slow_parts_are_reported_with_what_they_cost_and_what_they_rest_on(networked_survey: Survey) -> None:
    ((kind, where, _, _, structure),) = rows_in(network_in(networked_survey), "network-slow")
    assert (kind, where, structure) == ("link", "node03 (3) \u2013 node04 (4)", "ring of 9")


def test_a_structure_in_which_a_slow_part_is_sound_has_a_column(networked_survey: Survey) -> None:
    distance = network_of(networked_survey).distance
    assert distance is not None
    slow = [replaced(part, otherwise="tree of 2 groups of 3 to 6") for part in distance.slow]
    either = with_network(networked_survey, distance=replaced(distance, slow=slow))
    assert [row[-1] for row in rows_in(network_in(either), "network-slow")] == ["tree of 2 groups of 3 to 6"]


def test_the_median_of_a_block_is_one_of_its_pairs() -> None:
    pairs = [MeasuredPair(0, 2, measured(1, "s")), MeasuredPair(1, 3, measured(3, "s"))]
    found = blocks_of(range(4), pairs)
    assert found.size > 1
    assert {cell.value for row in found.cells for cell in row if cell} <= {1, 3}


def test_blocks_are_as_small_as_the_pairs_can_fill_them() -> None:
    every = [MeasuredPair(one, other, measured(1, "s")) for other in range(8) for one in range(other)]
    assert blocks_of(range(8), every).size == 1
    assert blocks_of(range(8), every).cells == pair_matrix(range(8), every)
    few = blocks_of(range(8), every[:4])
    assert few.size > 1
    assert few.labels[0] == f"0\u2013{few.size - 1}"


def test_the_table_without_a_known_structure_has_no_columns_for_loads(networked_survey: Survey) -> None:
    distance = network_of(networked_survey).distance
    assert distance is not None
    sections = network_in(with_network(networked_survey, distance=replaced(distance, loads=[])))
    table = figure_in(sections, "network-distance").table
    assert table is not None
    assert len(table.columns) == 5


def test_lines_of_many_points_have_bands_because_bars_would_hide_each_other(
    networked_survey: Survey,
) -> None:
    distance = network_of(networked_survey).distance
    assert distance is not None
    longer = replaced(distance, ratio=[distance.ratio[1]] * 512)
    mean, slowest, *_ = drawing_in(
        network_in(with_network(networked_survey, distance=longer)), "network-distance", LineChart
    ).series
    assert (mean.spread, slowest.spread) == ("band", "bars")


def test_tiles_tell_the_farthest_layer_the_largest_distance_and_one_receiver(
    networked_survey: Survey,
) -> None:
    titles = {"Message latency", "Message bandwidth", "Bandwidth loss over distance", "One node receives"}
    tiles = [tile for tile in tiles_in(sections_of(networked_survey)) if tile.title in titles]
    assert [(tile.title, tile.lines[0]) for tile in tiles] == [
        ("Message latency", "between nodes"),
        ("Message bandwidth", "between nodes"),
        ("Bandwidth loss over distance", "at distance 4 than at 1"),
        ("One node receives", "node05, from several senders"),
    ]


def test_networks_of_several_records_are_compared(networked_survey: Survey) -> None:
    slower = with_network(networked_survey, layers=network_of(networked_survey).layers[:1])
    names = {row[0] for row in rows_in(compared(networked_survey, slower), "headlines")}
    expected = {
        "message latency, same node",
        "bandwidth at distance 1 over that at 4",
        "bandwidth into one node",
    }
    assert expected <= names
    assert "bandwidth at distance 1 over that at 3" not in names


def test_the_receivers_limit_is_marked_where_the_sum_stops_to_grow(networked_survey: Survey) -> None:
    drawing = drawing_in(network_in(networked_survey), "network-receiver", LineChart)
    assert [one.name for one in drawing.series] == ["without sending", "sending to 1", "sending to 2"]
    assert len(drawing.ranges) == 1


def test_a_structure_is_reported_as_an_inference_with_its_confidence(networked_survey: Survey) -> None:
    notes = plain_notes(networked_survey)
    assert "Structure: probably a ring of 9 (inferred from times, confidence over 99.9 %)" in notes
    assert "Neighbouring ranks are on neighbouring nodes." in notes


def test_groups_of_nodes_are_named_by_their_hosts_with_what_links_between_them_carry(
    networked_survey: Survey,
) -> None:
    topology = network_of(networked_survey).topology
    assert topology is not None
    groups = [[0, 1, 2], [3, 4, 5, 6, 7, 8]]
    tree = with_network(
        networked_survey,
        topology=replaced(topology, kind="tree", shape=[3, 6], groups=groups, uplink=0.5),
    )
    assert "a tree of 2 groups of 3 and 6" in plain_notes(tree)
    assert "carries 0.500 times as much" in plain_notes(tree)
    assert rows_in(network_in(tree), "network-groups")[0] == [1, 3, "node00, node01, node02"]


def test_groups_within_groups_are_told_level_by_level(networked_survey: Survey) -> None:
    topology = network_of(networked_survey).topology
    assert topology is not None
    smallest, largest = [[0, 1, 2], [3, 4], [5, 6, 7, 8]], [[0, 1, 2, 3, 4], [5, 6, 7, 8]]
    levels = [TopologyLevel(groups=smallest, adds=0.125), TopologyLevel(groups=largest, adds=0.3)]
    tree = with_network(
        networked_survey, topology=replaced(topology, kind="tree", groups=smallest, levels=levels)
    )
    rows = rows_in(network_in(tree), "network-levels")
    assert rows[0] == [1, f"12.5{NO_BREAK}%", 1, 3, "node00, node01, node02"]
    assert [(row[0], row[2], row[3]) for row in rows] == [
        (1, 1, 3),
        (1, 2, 2),
        (1, 3, 4),
        (2, 1, 5),
        (2, 2, 4),
    ]


def test_a_sample_of_pairs_tells_what_it_may_have_missed(networked_survey: Survey) -> None:
    notes = plain_notes(sampled(networked_survey))
    assert "153 of 523776 measured; a layer that holds 5 % of all pairs" in notes


def test_latency_between_many_nodes_is_shown_by_blocks(networked_survey: Survey) -> None:
    nodes = 150
    entries = [
        Entry(one, other, measured(1e-6 * (1 + (one // 50 != other // 50)), "s"))
        for one, other in combinations(range(nodes), 2)
    ]
    facts = network_of(networked_survey).node_pairs
    assert facts is not None
    changes = {"ranks": list(range(nodes)), "hosts": [""] * nodes, "latency": sparse_matrix(entries)}
    record = with_network(networked_survey, node_pairs=replaced(facts, **changes))
    drawing = drawing_in(network_in(record), "network-node-pairs", HeatMap)
    assert (len(drawing.rows), drawing.rows[0]) == (75, "0\u20131")
    near, far = (measured(time, "s") for time in (1e-6, 2e-6))
    assert [drawing.cells[0][block] for block in (0, 24, 25)] == [near, near, far]
