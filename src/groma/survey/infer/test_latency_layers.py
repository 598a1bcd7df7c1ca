"""Layers of matrices that are read from a file with both directions of each pair."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from groma.survey.infer.matrix_file import read_matrix
from groma.survey.infer.recorded_pairs import PairInference, infer_matrix

Matrix = NDArray[np.float64]


def inferred(latency: Matrix, folder: Path) -> PairInference:
    path = folder / "matrix.csv"
    path.write_text("".join(",".join(f"{value:.1f}" for value in row) + "\n" for row in latency))
    return infer_matrix(read_matrix(path))


def phone() -> Matrix:
    """Clusters of four at 26 ns and 40 ns, each direction measured by itself."""
    cluster = np.arange(12) // 4
    latency = np.where(cluster[:, None] == cluster, np.array([26.0, 40.0, 40.0])[cluster], 105.0)
    latency *= np.random.default_rng(1).normal(1.0, 0.01, latency.shape)
    np.fill_diagonal(latency, 0.0)
    return latency


def test_one_low_direction_of_one_pair_is_a_doubt_and_no_layer(tmp_path: Path) -> None:
    usual = inferred(phone(), tmp_path)
    latency = phone()
    latency[4, 7] = 31.0
    found = inferred(latency, tmp_path)
    assert [layer.groups for layer in found.layers] == [layer.groups for layer in usual.layers]
    assert [layer.pairs for layer in found.layers] == [layer.pairs for layer in usual.layers]
    (warning,) = found.warnings
    assert warning.code == "matrix.one_direction"
    assert "4 with 7" in warning.what


def test_a_pair_that_is_low_in_both_directions_is_no_doubt(tmp_path: Path) -> None:
    latency = phone()
    latency[4, 7] = latency[7, 4] = 31.0
    assert not inferred(latency, tmp_path).warnings


def test_efficiency_cores_that_are_slow_among_themselves_are_no_disturbance(tmp_path: Path) -> None:
    """The fast cores have two threads each; a cluster is slower inside than on the way to any other core."""
    latency = np.full((28, 28), 36.0)
    core = np.arange(16) // 2
    latency[:16, :16][core[:, None] == core] = 4.0
    latency[16:, 16:] = 46.0
    latency[24:, 24:] = 56.0
    found = inferred(latency, tmp_path)
    assert not found.disturbed
    assert [warning.code for warning in found.warnings] == []
    assert [len(layer.pairs) for layer in found.layers] == [8, 304, 66]
    assert found.layers[2].groups == [[*range(16, 28)]]
