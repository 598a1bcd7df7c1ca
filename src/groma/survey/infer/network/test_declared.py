"""A topology that somebody tells is read exactly, or refused with what would be right."""

import pytest

from groma.errors import ExitCode, GromaError
from groma.survey.infer.network.declared import order_of, parse_topology, topology_over
from groma.survey.infer.network.structures import CROSSBAR, RING, TORUS, TREE, Structure


@pytest.mark.parametrize(
    ("text", "structure"),
    [
        ("9", Structure(RING, 9, (9,))),
        ("4x4", Structure(TORUS, 16, (4, 4))),
        ("2x3x4", Structure(TORUS, 24, (2, 3, 4))),
        ("switch", Structure(CROSSBAR, 7, ())),
        ("tree:2:1", Structure(TREE, 6, (2, 2, 2), (0, 0, 1, 1, 2, 2), 1.0)),
        ("tree:3:1.5", Structure(TREE, 6, (3, 3), (0, 0, 0, 1, 1, 1), 1.5)),
    ],
)
def test_topologies_are_read_by_their_names(text: str, structure: Structure) -> None:
    assert topology_over(text, structure.nodes) == structure


@pytest.mark.parametrize(
    "text", ["", "0", "4x", "x4", "4X4", "-3", "4x0", "torus", "tree", "tree:4", "tree:0:1", "tree:4:0"]
)
def test_what_is_no_topology_is_a_usage_error(text: str) -> None:
    with pytest.raises(GromaError, match="is no topology") as refusal:
        parse_topology(text)
    assert refusal.value.exit_code == ExitCode.USAGE
    assert "4x4" in refusal.value.next_step


@pytest.mark.parametrize(("text", "nodes"), [("4x4", 15), ("9", 8), ("tree:4:1", 6), ("tree:4:1", 4)])
def test_a_topology_of_other_nodes_is_a_usage_error(text: str, nodes: int) -> None:
    with pytest.raises(GromaError, match=f"{text} does not fit {nodes} nodes"):
        topology_over(text, nodes)


def test_the_order_that_is_assumed_is_told_where_it_matters() -> None:
    assert "first dimension running fastest" in order_of(topology_over("4x4", 16))
    assert "the first 4 nodes" in order_of(topology_over("tree:4:1", 8))
    assert not order_of(topology_over("switch", 8))
