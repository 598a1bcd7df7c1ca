"""Scotch as a second engine: what it reads, what is made of its answers."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.interconnect.lattice import torus
from groma.map.conftest import PLAIN
from groma.map.machine import LatticeMachine, TreeMachine
from groma.map.matrix import Matrix
from groma.map.quality import quality_of
from groma.map.scotch import (
    PROGRAMS,
    graph_of,
    mapped_by_scotch,
    parse_mapping,
    target_of,
    with_places_of_their_own,
)
from groma.map.solve import Request, mapped
from groma.map.topologies import FoundMachine, machine_named, node_of
from groma.map.traffic import Traffic

if TYPE_CHECKING:
    from pathlib import Path

RING = LatticeMachine((4,), closed=True)
PAIRS = Matrix(4, (Traffic(0, 1, 2000.0), Traffic(1, 0, 500.0), Traffic(2, 3, 1000.0), Traffic(0, 3, 0.0)))


@pytest.mark.parametrize(
    ("name", "words", "farthest"),
    [
        ("torus:8x4x2", "torusXD 3 8 4 2", 14),
        ("mesh:5", "meshXD 1 5", 5),
        ("tree:2x4:10,5", "tleaf 2 2 10 4 5", 10),
        ("tree:2x4:1,0.25", "tleaf 2 2 1000 4 250", 1000),
    ],
)
def test_machines_are_written_in_the_words_of_scotch(name: str, words: str, farthest: int) -> None:
    assert target_of(machine_named(name).machine) == (words, farthest)


def test_a_node_is_no_target() -> None:
    with pytest.raises(GromaError, match="tori, meshes and trees only") as refused:
        target_of(node_of(PLAIN).machine)
    assert refused.value.exit_code == ExitCode.USAGE


def test_both_directions_are_one_edge_and_no_traffic_is_none() -> None:
    assert graph_of(PAIRS, 4).splitlines() == [
        "0",
        "4 4",
        "0 010",
        "1 2500 1",
        "1 2500 0",
        "1 1000 3",
        "1 1000 2",
    ]


@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=20), st.integers(1, 1000))
def test_loads_times_distances_fit_32_bits(sizes: list[float], farthest: int) -> None:
    ranks = len(sizes) + 1
    rows = graph_of(Matrix(ranks, tuple(Traffic(0, at + 1, size) for at, size in enumerate(sizes))), farthest)
    weights = [int(word) for row in rows.splitlines()[3:] for word in row.split()[1::2]]
    assert len(weights) == 2 * len(sizes)
    assert min(weights) >= 1
    assert sum(weights) * farthest < 2**31


@pytest.mark.parametrize("text", ["", "1\n0\t0\n", "2\n0 0\n0 1\n", "2\n0 0\n1 x\n", "2\n0 0\n1\n"])
def test_what_is_no_mapping_of_the_ranks_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_mapping(text, 2)


@given(st.lists(st.integers(0, 15), max_size=16))
def test_every_rank_gets_a_place_and_the_first_of_a_place_keeps_it(mapping: list[int]) -> None:
    found = with_places_of_their_own(LatticeMachine((4, 4), closed=False), mapping)
    assert len(set(found.mapping)) == len(mapping)
    assert found.moved == len(mapping) - len(set(mapping))
    for rank, place in enumerate(mapping):
        if place not in mapping[:rank]:
            assert found.mapping[rank] == place


def test_a_second_rank_goes_to_the_nearest_free_place() -> None:
    assert with_places_of_their_own(LatticeMachine((8,), closed=False), [4, 4, 3, 5]).mapping[1] in {2, 6}


# ---- programs ----------------------------------------------------------------------------------------------


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / PROGRAMS[0]
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_ranks_that_share_a_place_are_moved_with_a_remark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, r'printf "4\n0 1\n1 1\n2 3\n3 2\n" > "$3"')
    facts = mapped(Request(FoundMachine(RING, (0, 1, 2, 3)), PAIRS, engine="scotch"))
    assert facts.mapping == [1, 0, 3, 2]
    assert facts.method == "topology-aware (Scotch)"
    assert facts.remarks == [
        "Scotch gave 1 of 4 ranks no place of their own; they got the nearest free places"
    ]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ('echo "ERROR: no target" >&2; exit 1', "failed: ERROR: no target"),
        ("true", "failed: "),
        ('echo "3 0 0 1 1 2 2" > "$3"', "it maps 3 of 4 ranks"),
        ('echo "4 0 0 1 1 2 2 3 4" > "$3"', "places that torus 4 does not have"),
    ],
)
def test_a_scotch_that_fails_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    installed(tmp_path, monkeypatch, script)
    with pytest.raises(GromaError) as failed:
        mapped_by_scotch(RING, PAIRS)
    assert failed.value.exit_code == ExitCode.ENVIRONMENT
    assert message in failed.value.what
    assert "\n" not in failed.value.what


def test_a_missing_scotch_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GromaError, match="not installed") as failed:
        mapped_by_scotch(RING, PAIRS)
    assert "apt-get install scotch" in failed.value.next_step


def test_scotch_has_no_congestion() -> None:
    with pytest.raises(GromaError, match="no load of links"):
        mapped(Request(FoundMachine(RING, (0, 1, 2, 3)), PAIRS, objective="congestion", engine="scotch"))


@pytest.mark.skipif(shutil.which("scotch_gmap") is None, reason="Scotch is not installed")
def test_scotch_counts_nodes_of_a_torus_as_we_do() -> None:
    """With the last coordinate running fastest its mapping would be a worse one."""
    machine = LatticeMachine((8, 4, 2), closed=True)
    matrix = lattice_traffic()
    found = mapped_by_scotch(machine, matrix).mapping
    place = np.array(found)
    otherwise = (place % 8 * 4 + place // 8 % 4) * 2 + place // 32
    assert sorted(found) == list(range(64))
    ours = quality_of(machine, matrix, found).hop_bytes
    assert ours < quality_of(machine, matrix, otherwise.tolist()).hop_bytes
    assert ours < 0.6 * quality_of(machine, matrix, list(range(64))).hop_bytes


@pytest.mark.skipif(shutil.which("scotch_gmap") is None, reason="Scotch is not installed")
def test_scotch_maps_to_trees() -> None:
    machine, matrix = TreeMachine((4, 16), (4.0, 2.0)), lattice_traffic()
    found = mapped_by_scotch(machine, matrix).mapping
    assert len(set(found)) == 64
    in_order = quality_of(machine, matrix, list(range(64))).hop_bytes
    assert quality_of(machine, matrix, found).hop_bytes < 0.8 * in_order


def lattice_traffic() -> Matrix:
    """A halo exchange on a torus of 8 by 4 by 2 whose ranks are numbered by chance."""
    order = np.random.default_rng(1).permutation(64).tolist()
    pairs = torus(8, 4, 2).neighbours()
    return Matrix(64, tuple(Traffic(order[one], order[other], 1000.0) for one, other in pairs))
