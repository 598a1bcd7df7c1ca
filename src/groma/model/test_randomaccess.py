"""The model of Blue Gene, locked against tables 3 and 4 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import GromaError
from groma.machine.files import find_machine
from groma.model.randomaccess import AlgorithmBounds, Bound, randomaccess_model

if TYPE_CHECKING:
    from groma.machine.description import Machine

P, L = find_machine("bluegene-p"), find_machine("bluegene-l")

# Table 4 as printed: nodes, bucket, t_r, bottleneck, measured.
TABLE_4 = [
    (64, 29, 11.3, 0.38, 0.38),
    (128, 27, 12.2, 0.75, 0.77),
    (256, 25, 13.2, 1.49, 1.48),
    (512, 23, 14.3, 2.94, 2.91),
    (1024, 19, 17.3, 5.68, 5.53),
    (2048, 17, 19.4, 10.91, 10.51),
    (4096, 15, 22.0, 20.39, 17.02),
    (8192, 12, 27.5, 43.8, 36.89),
    (16384, 10, 33.0, 84.6, 64.99),
    (32768, 9, 36.7, 164.6, 103.0),
]
FORMULA = [0.38, 0.76, 1.50, 2.98, 5.85, 11.54, 22.68, 43.79, 84.66, 165.6]
"""850 MHz x nodes / (90 + 330/bucket + 41.5), in GUP/s."""

SINGLE_P = [0.12, 0.23, 0.44, 0.83, 1.60, 3.47, 6.70]
SINGLE_L = {128: 0.21, 512: 0.81, 1024: 1.60, 2048: 3.14, 4096: 6.23, 8192: 12.25, 16384: 24.30, 65536: 95.97}
TABLE_3 = [(96, 0.34, 0.57), (192, 0.66, 1.11), (384, 1.32, 2.05), (768, 2.48, 4.11)]


def algorithm(machine: Machine, name: str, nodes: list[int] | None = None) -> AlgorithmBounds:
    return next(one for one in randomaccess_model(machine, nodes).algorithms if one.name == name)


def multi_core(nodes: list[int] | None = None) -> list[Bound]:
    return algorithm(P, "multi-core", nodes).rows


def test_table_4_is_the_papers() -> None:
    rows = multi_core()
    assert [(row.nodes, row.bucket, row.printed, row.measured) for row in rows] == [
        (nodes, bucket, printed, measured) for nodes, bucket, _, printed, measured in TABLE_4
    ]
    assert {row.bucket_from for row in rows} == {"printed"}
    for row, (_, _, receive, _, _) in zip(rows, TABLE_4, strict=True):
        assert row.receive_cycles == pytest.approx(receive, abs=0.1)


def test_bounds_of_table_4_are_those_of_the_formula() -> None:
    for row, expected in zip(multi_core(), FORMULA, strict=True):
        assert row.cpu == pytest.approx(expected, abs=0.006 if expected < 100 else 0.06)


def test_only_the_rows_of_1k_2k_and_4k_do_not_follow_from_the_formula() -> None:
    assert [row.nodes for row in multi_core() if not row.follows] == [1024, 2048, 4096]


def test_rows_up_to_4k_follow_with_5_picoseconds_more_and_those_beyond_without() -> None:
    for row in multi_core():
        assert row.printed is not None
        extra = 0.005 if row.nodes <= 4096 else 0.0
        assert 1 / (1 / row.cpu + extra) == pytest.approx(row.printed, rel=0.007)


def test_printed_buckets_from_256_nodes_on_are_the_rounded_share() -> None:
    """The text rounds down, which gives four of the ten."""
    rows = multi_core()
    share = [1024 / (sum(row.torus) + 21) for row in rows]
    printed = [row.bucket for row in rows]
    assert [round(one) for one in share][2:] == printed[2:]
    assert [round(one) for one in share][:2] == [31, 28]
    assert [row.nodes for row, one in zip(rows, share, strict=True) if int(one) == row.bucket] == [
        128,
        1024,
        8192,
        16384,
    ]


def test_the_update_core_binds_everywhere() -> None:
    assert {row.binds for row in multi_core()} == {"update"}


def test_loads_of_64_nodes_are_those_of_section_5_1() -> None:
    """The update core is settled from the measured rate: 143 cycles, where disabling it tells 146."""
    assert list(multi_core()[0].loads_cycles.values()) == pytest.approx([95, 112, 114, 143], abs=0.2)


def test_the_ratio_is_that_of_bound_and_measured() -> None:
    assert multi_core()[-1].ratio == pytest.approx(165.6 / 103.0, rel=0.001)


def test_a_size_that_the_table_lacks_has_a_derived_bucket() -> None:
    row = multi_core([65536])[0]
    assert (row.torus, row.bucket, row.bucket_from) == ((32, 32, 64), 6, "derived")
    assert (row.printed, row.measured, row.ratio, row.follows) == (None, None, None, None)


def test_a_bucket_is_never_larger_than_a_packet() -> None:
    assert multi_core([8])[0].bucket == 30


def test_one_node_has_no_network() -> None:
    row = multi_core([1])[0]
    assert row.network is None
    assert row.binds == "update"


def test_single_core_of_blue_gene_p_follows_where_two_digits_allow() -> None:
    rows = algorithm(P, "single-core").rows
    assert [row.printed for row in rows] == SINGLE_P
    assert [row.cpu for row in rows] == pytest.approx(SINGLE_P, rel=0.07)
    assert [row.nodes for row in rows if not row.follows] == [1024, 2048, 4096]


def test_single_core_of_blue_gene_l_is_within_a_percent_of_the_paper() -> None:
    rows = {row.nodes: row for row in algorithm(L, "single-core").rows}
    assert {nodes: row.printed for nodes, row in rows.items() if row.printed} == SINGLE_L
    assert all(rows[nodes].cpu == pytest.approx(printed, rel=0.01) for nodes, printed in SINGLE_L.items())


def test_what_was_measured_later_is_what_the_ratio_is_made_with() -> None:
    last = algorithm(L, "single-core").rows[-1]
    assert (last.measured, last.measured_later) == (35.47, 75.0)
    assert last.ratio == pytest.approx(last.bound / 75.0)


def test_table_3_is_the_papers_and_prediction_reaches_the_model() -> None:
    rows = randomaccess_model(P).owners
    assert [(row.nodes, row.division, row.prediction) for row in rows] == TABLE_3
    assert all(1.0 <= row.ratio < 1.1 for row in rows)
    assert all(85 < row.division_cycles < 105 for row in rows)


@pytest.mark.parametrize(
    ("nodes", "shown"), [([64, 128], [96]), ([96], [96]), ([64], []), ([64, 1024], [96, 192, 384, 768])]
)
def test_table_3_stands_beside_the_nodes_that_were_asked_for(nodes: list[int], shown: list[int]) -> None:
    assert [row.nodes for row in randomaccess_model(P, nodes).owners] == shown


def test_crossovers_are_those_that_the_paper_states() -> None:
    found = {one.algorithm: one for one in randomaccess_model(P).crossovers}
    assert all(one.agrees for one in found.values())
    assert found["direct, virtual-node mode"].nodes == 8192
    assert found["multi-core"].nodes == 65536


def test_a_crossover_that_the_paper_states_otherwise_does_not_agree() -> None:
    link = msgspec.structs.replace(P.torus.link, value=10 * P.torus.link.value)
    faster = msgspec.structs.replace(P, torus=msgspec.structs.replace(P.torus, link=link))
    found = {one.algorithm: one.agrees for one in randomaccess_model(faster).crossovers}
    assert not found["multi-core"]
    assert found["direct, co-processor mode"]


def test_the_network_binds_from_the_crossover_on() -> None:
    assert [row.binds for row in multi_core([32768, 65536, 131072])][1] == "network"
    assert multi_core([65536])[0].bound == multi_core([65536])[0].network


def test_direct_sending_counts_a_packet_for_each_update() -> None:
    """8,192 nodes, 16x16x32: 512 links of 425 MB/s, 46 bytes for a packet of one update."""
    row = algorithm(P, "direct, virtual-node mode", [8192]).rows[0]
    assert row.network == pytest.approx(4 * 512 * 0.425 / 46)
    assert row.cpu == pytest.approx(4 * 8192 * 0.85 / 842, rel=1e-3)


def test_a_machine_without_printed_sizes_needs_those_of_the_user() -> None:
    assert P.randomaccess is not None
    routed = P.randomaccess.algorithm("single-core")
    unprinted = msgspec.structs.replace(routed, published=None)
    rules = msgspec.structs.replace(P.randomaccess, algorithms=[unprinted], crossovers=(), owners=None)
    machine = msgspec.structs.replace(P, randomaccess=rules)
    with pytest.raises(GromaError, match="no table of bluegene-p names sizes") as refused:
        randomaccess_model(machine)
    assert "--nodes" in refused.value.next_step
    assert len(randomaccess_model(machine, [64]).algorithms[0].rows) == 1
