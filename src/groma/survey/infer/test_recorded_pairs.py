import json
from pathlib import Path

import numpy as np
import pytest

from groma.survey.infer.latency_matrix import LatencyMatrix
from groma.survey.infer.matrix_file import read_matrix
from groma.survey.infer.pair_file import read_pairs
from groma.survey.infer.recorded_pairs import answer, infer_matrix, infer_pairs, read_latencies
from simulated.matrices import Disturbance, Level, Machine, simulated


def two_sockets(disturbance: Disturbance, seed: int = 2) -> LatencyMatrix:
    machine = Machine("two sockets", (Level(8, 45.0), Level(16, 120.0)), disturbance)
    return LatencyMatrix(list(range(100, 116)), simulated(machine, seed).symmetric())


def test_layers_are_reported_with_pairs_and_groups_by_the_names_of_cores() -> None:
    reported = answer(infer_matrix(two_sockets(Disturbance())))
    assert [len(layer["pairs"]) for layer in reported["layers"]] == [56, 64]
    assert reported["layers"][0]["groups"] == [list(range(100, 108)), list(range(108, 116))]
    assert reported["layers"][1]["groups"] == [list(range(100, 116))]
    first = reported["layers"][0]["latency"]
    assert first["unit"] == "ns"
    assert first["low"] <= first["value"] <= first["high"]
    assert first["value"] == pytest.approx(45.0, rel=0.05)
    assert reported["disturbed"] == []
    assert reported["clock_step"] is None
    assert reported["warnings"] == []
    json.dumps(reported, allow_nan=False)


def test_disturbed_pairs_are_a_finding() -> None:
    matrix = two_sockets(Disturbance())
    matrix.latency[2, 5] = matrix.latency[5, 2] = 4000.0
    reported = answer(infer_matrix(matrix))
    assert reported["disturbed"] == [[102, 105]]
    assert [warning["code"] for warning in reported["warnings"]] == ["core_to_core.disturbed"]


def test_a_coarse_clock_is_a_finding_and_widens_the_intervals() -> None:
    matrix = two_sockets(Disturbance())
    ticks = np.random.default_rng(1).integers(2, 5, (16, 16)) + 12 * (matrix.latency > 80.0)
    matrix.latency[:] = np.where(np.isnan(matrix.latency), np.nan, 5.2 * np.fmax(ticks, ticks.T))
    reported = answer(infer_matrix(matrix))
    assert reported["clock_step"]["value"] == pytest.approx(5.2, rel=0.05)
    latency = reported["layers"][0]["latency"]
    assert latency["high"] - latency["low"] >= 5.0
    assert "core_to_core.coarse_clock" in [warning["code"] for warning in reported["warnings"]]


def test_a_core_that_is_slow_with_everybody_is_named() -> None:
    matrix = two_sockets(Disturbance())
    matrix.latency[3, :] *= 6.0
    matrix.latency[:, 3] *= 6.0
    reported = answer(infer_matrix(matrix))
    (slow,) = [warning for warning in reported["warnings"] if warning["code"] == "core_to_core.slow_core"]
    assert slow["what"].endswith(": 103")


def test_a_core_that_is_slow_with_all_but_its_sibling_is_named() -> None:
    """Other work on a hardware thread delays what it hands over, but not to the thread of the same core."""
    latency = np.full((8, 8), 110.0)
    for first in range(0, 8, 2):
        latency[first, first + 1] = latency[first + 1, first] = 27.0
    slow = latency[6] > 100.0
    latency[6, slow] = latency[slow, 6] = 310.0
    np.fill_diagonal(latency, np.nan)
    reported = answer(infer_matrix(LatencyMatrix(list(range(8)), latency)))
    (slow_core,) = [one for one in reported["warnings"] if one["code"] == "core_to_core.slow_core"]
    assert slow_core["what"] == "slow with every core but the nearest one (these pairs are in no layer): 6"
    assert [layer["latency"]["value"] for layer in reported["layers"]] == [27.0, 110.0]
    assert reported["disturbed"] == [[core, 6] if core < 6 else [6, core] for core in (0, 1, 2, 3, 4, 5)]


def test_a_file_of_pairs_of_cores_is_read_as_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("core_a,core_b,latency_ns\n0,1,30\n0,2,80\n1,2,80\n")
    assert read_latencies(path).cores == [0, 1, 2]
    path.write_text("0,30,80\n30,0,80\n80,80,0\n")
    assert read_latencies(path).latency[0, 2] == read_matrix(path).latency[0, 2]


def test_pairs_give_layers_curves_and_structure(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    path = tmp_path / "pairs.csv"
    rows = ["a,b,latency_us,bytes"]
    for i in range(12):
        for j in range(i):
            latency = (1.5 if i // 4 == j // 4 else 2.6) * random.uniform(0.98, 1.02)
            rows += [f"n{i},n{j},{latency},8", f"n{i},n{j},{latency + 10.0},65536"]
    path.write_text("\n".join(rows))
    reported = answer(infer_pairs(read_pairs(path)), "ends")
    assert reported["ends"][:2] == list(range(2))
    assert [round(layer["latency"]["value"] / 100) for layer in reported["layers"]] == [15, 26]
    assert [point["bytes"] for point in reported["layers"][0]["curve"]] == [8, 65536]
    assert reported["layers"][0]["curve"][1]["time"]["value"] == pytest.approx(11500, rel=0.02)
    assert reported["structure"]["kind"] == "tree"
    assert reported["structure"]["shape"] == [4, 4, 4]


def test_few_ends_have_no_structure(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,latency_ns\n0,1,30\n")
    assert "structure" not in answer(infer_pairs(read_pairs(path)), "ends")
