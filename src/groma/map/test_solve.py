"""What a mapping that is searched for promises beside its baselines."""

from __future__ import annotations

import json
import shutil
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from groma.map import solve
from groma.map.matrix import Matrix
from groma.map.quality import quality_of
from groma.map.solve import Engine, Objective, Request, mapped, problem_of
from groma.map.targets import repeated
from groma.map.topologies import machine_named
from groma.map.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LINE = machine_named("mesh:8")
CHAIN = Matrix(8, tuple(Traffic(rank, rank + 1, 1000.0) for rank in range(7)))
"""In the order of places every message takes one hop over a link of its own."""

TANGLED = [0, 4, 1, 5, 2, 6, 3, 7]


def answering(path: Path, mapping: Sequence[int], method: str, **more: object) -> Path:
    """A groma-map with this answer, which keeps the problem that it got beside it."""
    answer = json.dumps({"mapping": mapping, "hop_bytes": 0.0, "method": method, **more})
    path.write_text(f"#!/bin/sh\ncat > {path}.problem\necho '{answer}'\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("objective", ["hop-bytes", "congestion"])
def test_a_mapping_is_never_worse_by_its_objective_than_a_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objective: Objective
) -> None:
    program = answering(tmp_path / "groma-map", TANGLED, "annealing")
    monkeypatch.setattr(solve, "native_program", lambda *_: program)
    facts = mapped(Request(LINE, CHAIN, objective=objective))
    assert facts.mapping == list(range(8))
    assert facts.quality == facts.baselines["block"]
    assert facts.method == "topology-aware (block)"
    assert facts.remarks == ["block is better than what was found (annealing), and is taken instead"]


def test_a_mapping_of_scotch_is_never_worse_than_a_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tangled:
        mapping = TANGLED
        moved = 0

    engine: Engine = "scotch"
    monkeypatch.setattr(solve, "mapped_by_scotch", lambda *_: Tangled)
    facts = mapped(Request(LINE, CHAIN, engine=engine))
    assert facts.quality == facts.baselines["block"]
    assert facts.remarks == ["block is better than what was found (Scotch), and is taken instead"]


@pytest.mark.parametrize(("how", "shown"), [("start", "block"), ("start, descent", "block, descent")])
def test_the_search_begins_with_the_best_baseline_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, shown: str
) -> None:
    program = answering(tmp_path / "groma-map", list(range(8)), how)
    monkeypatch.setattr(solve, "native_program", lambda *_: program)
    assert mapped(Request(LINE, CHAIN)).method == f"topology-aware ({shown})"
    assert "\nstart 0 1 2 3 4 5 6 7\n" in (tmp_path / "groma-map.problem").read_text()


@pytest.mark.skipif(shutil.which("groma-map") is None, reason="groma-map is not built")
def test_the_busiest_link_is_never_busier_than_in_the_order_of_ranks() -> None:
    """A ring whose ranks send to the 1st, 5th and 25th after them: short ways share links to switches."""
    ring = [Traffic(rank, (rank + step) % 512, 1.0) for rank in range(512) for step in (1, 5, 25)]
    facts = mapped(Request(machine_named("tree:64x8"), Matrix(512, tuple(ring)), objective="congestion"))
    found, best = (one.max_congestion for one in (facts.quality, facts.baselines["block"]))
    assert found is not None
    assert best is not None
    assert found <= best


@pytest.mark.parametrize("objective", ["hop-bytes", "congestion"])
@pytest.mark.skipif(shutil.which("groma-map") is None, reason="groma-map is not built")
def test_few_ranks_get_a_mapping_that_is_proven_to_have_the_fewest_hop_bytes(objective: Objective) -> None:
    """Of messages that differ in both directions, of several ranks on a node, with more places than ranks."""
    pairs = [(one, other) for one in range(6) for other in range(6) if one != other]
    matrix = Matrix(
        6, tuple(Traffic(one, other, float((7 * one + one * other) % 10)) for one, other in pairs)
    )
    mesh = machine_named("mesh:2x2" if objective == "hop-bytes" else "mesh:4x2")
    found = repeated(mesh, 8 // mesh.machine.places)
    facts = mapped(Request(found, matrix, objective=objective))
    assert facts.is_optimal == (objective == "hop-bytes")
    if facts.is_optimal:
        least = min(quality_of(found.machine, matrix, one).hop_bytes for one in permutations(range(8), 6))
        assert facts.quality.hop_bytes == pytest.approx(least)


@pytest.mark.skipif(shutil.which("groma-map") is None, reason="groma-map is not built")
def test_few_ranks_get_a_mapping_that_is_proven_to_have_the_least_on_its_busiest_link() -> None:
    mesh = machine_named("mesh:3x2")
    triangle = Matrix(6, tuple(Traffic(one, (one + step) % 6, 1.0) for one in range(6) for step in (1, 2, 3)))
    facts = mapped(Request(mesh, triangle, objective="congestion"))
    every = [quality_of(mesh.machine, triangle, one).max_congestion for one in permutations(range(6))]
    least = min(one for one in every if one is not None)
    assert facts.quality.max_congestion == least == facts.least_congestion
    assert mapped(Request(mesh, triangle)).least_congestion is None, "of hop-bytes only those are known"


def test_nothing_is_proven_of_a_baseline_or_of_a_mapping_that_a_baseline_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = answering(tmp_path / "groma-map", TANGLED, "annealing", is_optimal=True)
    monkeypatch.setattr(solve, "native_program", lambda *_: program)
    assert not mapped(Request(LINE, CHAIN)).is_optimal
    assert not mapped(Request(LINE, CHAIN, method="block")).is_optimal


def test_a_problem_without_a_start_names_none() -> None:
    assert "start" not in problem_of(Request(LINE, CHAIN))
