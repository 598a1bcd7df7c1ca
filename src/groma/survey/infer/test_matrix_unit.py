"""Latencies are in the unit that the title of a matrix names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.survey.infer.matrix_file import read_matrix

if TYPE_CHECKING:
    from pathlib import Path

MATRIX = "{},0,1,2\n0,,2.5,19\n1,2.5,,14\n2,19,14,\n"
TITLES = {
    "P2P=Enabled Latency (P2P Writes) Matrix (us)": 1e3,
    "# median latencies in microseconds": 1e3,
    "Latency matrix [ms]": 1e6,
    "One-way latency of 3 cores (µs)": 1e3,
    "units: us": 1e3,
    "Round-trip latency, ns": 1.0,
    "Showing latency=round-trip-time/2 in nanoseconds:": 1.0,
    "Latency matrix": 1.0,
    "Time per pair (ms): 100": 1.0,
    "Latency samples of 20 (ms) = 4": 1.0,
    "started in us-east": 1.0,
    "": 1.0,
}
CORNERS = {
    "us": 1e3,
    "(ms)": 1e6,
    "Average latency (ms)": 1e6,
    "latency_us": 1e3,
    "CPU": 1.0,
    "": 1.0,
}


@pytest.mark.parametrize("title", TITLES)
def test_a_unit_in_the_title_counts(tmp_path: Path, title: str) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(f"{title}\n" + MATRIX.format("core"))
    found = read_matrix(path)
    assert found.latency[0, 1] == pytest.approx(2.5 * TITLES[title])
    assert not found.warnings


@pytest.mark.parametrize("corner", CORNERS)
def test_a_unit_in_the_corner_counts_before_that_of_the_title(tmp_path: Path, corner: str) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("latencies (ns)\n" + MATRIX.format(corner))
    assert read_matrix(path).latency[0, 1] == pytest.approx(2.5 * CORNERS[corner])


def test_the_title_of_another_matrix_above_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("stddev of latency (us)\n" + MATRIX.format("") + "mean latency\n" + MATRIX.format(""))
    assert read_matrix(path).latency[0, 1] == 2.5


def test_cycles_are_named(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("Core-to-core latency (cycles)\n" + MATRIX.format(""))
    found = read_matrix(path)
    assert found.latency[0, 1] == 2.5
    assert [warning.code for warning in found.warnings] == ["matrix.unit"]
