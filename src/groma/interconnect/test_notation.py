"""The notation of an interconnect is read exactly, or refused with what would be right."""

import pytest

from groma.errors import ExitCode, GromaError
from groma.interconnect.base import Interconnect
from groma.interconnect.lattice import mesh, torus
from groma.interconnect.notation import interconnect_over, order_of, parse_interconnect
from groma.interconnect.switched import crossbar, tree


@pytest.mark.parametrize(
    ("text", "interconnect"),
    [
        ("9", torus(9)),
        ("4x4", torus(4, 4)),
        ("2x3x4", torus(2, 3, 4)),
        ("mesh:3x4", mesh(3, 4)),
        ("mesh:7", mesh(7)),
        ("switch", crossbar(7)),
        ("tree:2:1", tree((0, 0, 1, 1, 2, 2), 1.0)),
        ("tree:3:1.5", tree((0, 0, 0, 1, 1, 1), 1.5)),
    ],
)
def test_topologies_are_read_by_their_names(text: str, interconnect: Interconnect) -> None:
    assert interconnect_over(text, interconnect.nodes) == interconnect


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "4x",
        "x4",
        "4X4",
        "-3",
        "4x0",
        "torus",
        "tree",
        "tree:4",
        "tree:0:1",
        "tree:4:0",
        "mesh:",
        "mesh:0",
        "mesh:4x",
    ],
)
def test_what_is_no_topology_is_a_usage_error(text: str) -> None:
    with pytest.raises(GromaError, match="is not a topology") as refusal:
        parse_interconnect(text)
    assert refusal.value.exit_code == ExitCode.USAGE
    assert "4x4" in refusal.value.next_step


@pytest.mark.parametrize(
    ("text", "nodes"), [("4x4", 15), ("9", 8), ("mesh:4", 5), ("tree:4:1", 6), ("tree:4:1", 4)]
)
def test_a_topology_of_other_nodes_is_a_usage_error(text: str, nodes: int) -> None:
    with pytest.raises(GromaError, match=f"{text} does not fit {nodes} nodes"):
        interconnect_over(text, nodes)


def test_the_order_that_is_assumed_is_reported_where_it_matters() -> None:
    assert "first dimension running fastest" in order_of(interconnect_over("4x4", 16))
    assert "every dimension open" in order_of(interconnect_over("mesh:4x4", 16))
    assert "the first 4 nodes" in order_of(interconnect_over("tree:4:1", 8))
    assert not order_of(interconnect_over("switch", 8))
