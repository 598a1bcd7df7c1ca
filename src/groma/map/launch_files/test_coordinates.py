"""Files of coordinates say where on a torus each rank is, as Blue Gene and Fujitsu MPI read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import GromaError
from groma.interconnect.lattice import coordinates
from groma.map.conftest import PLAIN
from groma.map.gain_inference import RecordOutput
from groma.map.job import MappingOptions, run_mapping
from groma.map.launch_files.formats import FORMATS
from groma.map.launch_files.placement import Numbering, placement_of
from groma.map.place import Place

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from groma.facts.mapping import MappingFacts

NUMBERING = Numbering(PLAIN)
BOTH = pytest.mark.parametrize("name", ["bluegene", "fujitsu"])


def nodes_of(name: str, *shape: int) -> tuple[str, ...]:
    found = FORMATS[name].nodes_of
    assert found is not None
    return found(shape)


@BOTH
@given(st.lists(st.integers(0, 23), min_size=1, max_size=30))
def test_a_file_is_read_as_it_was_written(name: str, at: list[int]) -> None:
    nodes = nodes_of(name, 4, 3, 2)
    placement = placement_of(nodes, [Place(node) for node in at])
    text = FORMATS[name].written(placement, NUMBERING)
    assert FORMATS[name].read(text, "f", NUMBERING, nodes).places == placement.places


@BOTH
def test_nodes_are_in_the_order_of_places(name: str) -> None:
    expected = [",".join(map(str, coordinates((4, 3, 2), node))) for node in range(24)]
    assert list(nodes_of(name, 4, 3, 2)) == expected


def test_ranks_of_a_node_of_blue_gene_are_counted() -> None:
    placement = placement_of(nodes_of("bluegene", 4, 4, 2), [Place(13), Place(31), Place(13)])
    text = FORMATS["bluegene"].written(placement, NUMBERING)
    assert text == "1 3 0 0\n3 3 1 0\n1 3 0 1\n"


def test_fujitsu_mpi_gets_coordinates_in_brackets_and_may_have_cores_behind() -> None:
    nodes = nodes_of("fujitsu", 2, 2)
    form = FORMATS["fujitsu"]
    assert form.written(placement_of(nodes, [Place(2), Place(2)]), NUMBERING) == "(0,1)\n(0,1)\n"
    assert form.read("(0, 1) core=12\n", "f", NUMBERING, nodes).places == (Place(2),)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("bluegene", "0 0 0\n", "are not the coordinates"),
        ("bluegene", "0 0 0 x\n", "line 1: .* are not the coordinates"),
        ("bluegene", "0 0 0 0\n0 0 0 0\n", "line 2: .* has a rank already"),
        ("bluegene", "0 0 9 0\n", "0,0,9 is not in the list"),
        ("fujitsu", "0,0,0\n", "are not the coordinates"),
        ("fujitsu", "(0,0,0,0)\n", "are not the coordinates"),
        ("fujitsu", "", "places no rank"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(name: str, text: str, message: str) -> None:
    with pytest.raises(GromaError, match=message):
        FORMATS[name].read(text, "f", NUMBERING, nodes_of(name, 4, 4, 2))


@BOTH
def test_ranks_bound_to_cores_have_no_coordinates(name: str) -> None:
    with pytest.raises(GromaError, match="coordinates name nodes"):
        FORMATS[name].written(placement_of(["0,0,0"], [Place(0, (1,))]), NUMBERING)


# ---- as a user maps ----------------------------------------------------------------------------------------


def mapped(tmp_path: Path, **options: Any) -> MappingFacts:
    every: dict[str, Any] = {"ranks": 32, "halo": 8, "topology": "torus:4x4x2", "method": "block"} | options
    return run_mapping(MappingOptions(**every), lambda _: None, RecordOutput(tmp_path / "m.json")).facts


@BOTH
def test_a_mapping_to_a_torus_is_written_checked_and_shown_by_coordinates(tmp_path: Path, name: str) -> None:
    file = tmp_path / "file"
    facts = mapped(tmp_path, launch_file=file, launcher=name)
    assert [one.host for one in facts.targets][:6] == ["0,0,0", "1,0,0", "2,0,0", "3,0,0", "0,1,0", "1,1,0"]
    checked = mapped(tmp_path, check=file, launcher=name)
    assert checked.checked_mapping == facts.mapping


def test_several_ranks_on_a_node_have_its_coordinates(tmp_path: Path) -> None:
    file = tmp_path / "file"
    mapped(tmp_path, ranks=64, per_place=2, launch_file=file, launcher="bluegene")
    assert file.read_text().splitlines()[:3] == ["0 0 0 0", "0 0 0 1", "1 0 0 0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topology": "torus:4x8", "launcher": "bluegene"}, "three coordinates .* and 4x8 has 2"),
        ({"topology": "torus:2x2x2x2x2", "launcher": "fujitsu"}, "up to three coordinates, and .* has 5"),
        ({"topology": "tree:4x8", "launcher": "bluegene"}, "a tree 4x8 has none"),
        ({"hostfile": "hosts", "launcher": "fujitsu"}, "has coordinates and no hosts"),
        ({"verify": True, "launcher": "bluegene"}, "starts no ranks with bluegene"),
    ],
)
def test_a_network_without_these_coordinates_is_refused(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(GromaError, match=message):
        mapped(tmp_path, launch_file=tmp_path / "file", **options)
