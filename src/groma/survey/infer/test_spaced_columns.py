"""Matrices that spaces separate: what stands where tells which cells are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.errors import GromaError
from groma.survey.infer.matrix_file import read_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.survey.infer.latency_matrix import LatencyMatrix

    Matrix = NDArray[np.float64]


def latencies(cores: int, *, widest: int = 3) -> Matrix:
    """Whole numbers of one to `widest` digits."""
    random = np.random.default_rng(cores + widest)
    values = np.tril((10 ** random.uniform(0, widest, (cores, cores))).round() + 1, -1)
    return np.asarray(values + values.T)


def columns(matrix: Matrix, *, corner: str = "", left: bool = False, gap: str = "") -> list[str]:
    """In columns of eight characters under the numbers of cores, with `gap` on the diagonal."""

    def row(name: str, cells: Sequence[str]) -> str:
        return f"{name:<4}" + "".join(f"{cell:<8}" if left else f"{cell:>8}" for cell in cells)

    n = len(matrix)
    cells = [[gap if i == j else f"{matrix[i, j]:g}" for j in range(n)] for i in range(n)]
    return [row(corner, list(map(str, range(n)))), *(row(str(i), cells[i]) for i in range(n))]


def packed(lines: Sequence[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def read(folder: Path, lines: Sequence[str]) -> LatencyMatrix:
    path = folder / "matrix.txt"
    path.write_text("\n".join(lines) + "\n")
    return read_matrix(path)


def is_same(found: LatencyMatrix, matrix: Matrix) -> bool:
    off = ~np.eye(len(matrix), dtype=bool)
    return found.cores == list(range(len(matrix))) and found.latency[off].tolist() == matrix[off].tolist()


@pytest.mark.parametrize("cores", [2, 3, 4, 9, 24])
@pytest.mark.parametrize("widest", [1, 3])
@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
@pytest.mark.parametrize("corner", ["", "CPU"])
def test_a_blank_diagonal_is_found_by_the_columns_of_the_text(
    tmp_path: Path, cores: int, widest: int, corner: str, *, left: bool
) -> None:
    matrix = latencies(cores, widest=widest)
    found = read(tmp_path, columns(matrix, corner=corner, left=left))
    assert is_same(found, matrix)
    assert not found.warnings


@pytest.mark.parametrize("cores", [2, 3, 4, 9, 24])
@pytest.mark.parametrize("corner", ["", "CPU"])
def test_rows_that_all_lack_one_cell_lack_their_own(tmp_path: Path, cores: int, corner: str) -> None:
    matrix = latencies(cores)
    assert is_same(read(tmp_path, packed(columns(matrix, corner=corner))), matrix)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_full_matrix_without_its_diagonal_may_have_any_separator(tmp_path: Path, separator: str) -> None:
    matrix = latencies(6)
    lines = [line.replace(" ", separator) for line in packed(columns(matrix, corner="core"))]
    assert is_same(read(tmp_path, lines), matrix)


def test_rows_in_another_order_lack_the_cells_of_their_own_names(tmp_path: Path) -> None:
    matrix = latencies(7)
    lines = columns(matrix)
    for rows in (lines[:1] + lines[:0:-1], packed(lines[:1] + lines[:0:-1])):
        assert is_same(read(tmp_path, rows), matrix)


@pytest.mark.parametrize("lost", [1, 4, 7])
def test_numbers_beside_are_never_latencies_where_a_row_is_missing(tmp_path: Path, lost: int) -> None:
    """The other direction tells the pairs of the lost row."""
    matrix = latencies(7)
    lines = columns(matrix)
    del lines[lost]
    assert is_same(read(tmp_path, lines), matrix)
    assert is_same(read(tmp_path, packed(lines)), matrix)


@pytest.mark.parametrize("junk", ["x", "?"])
def test_what_stands_on_the_last_diagonal_cell_moves_no_row(tmp_path: Path, junk: str) -> None:
    matrix = latencies(5)
    lines = columns(matrix)
    lines[-1] = lines[-1].rstrip() + f"{junk:>8}"
    assert is_same(read(tmp_path, lines), matrix)


def test_missing_cells_are_found_by_the_columns_of_the_text(tmp_path: Path) -> None:
    matrix = latencies(6)
    lines = columns(matrix)
    gap = slice(4 + 8 * 3, 4 + 8 * 4)
    lines[2] = lines[2][: gap.start] + " " * 8 + lines[2][gap.stop :]
    assert is_same(read(tmp_path, lines), matrix)


def test_a_blank_diagonal_needs_no_names(tmp_path: Path) -> None:
    matrix = latencies(6)
    assert is_same(read(tmp_path, [line[4:] for line in columns(matrix)[1:]]), matrix)


def test_missing_cells_without_columns_are_refused(tmp_path: Path) -> None:
    lines = packed(columns(latencies(6)))
    lines[3] = lines[3].rsplit(" ", 1)[0]
    with pytest.raises(
        GromaError, match="line 4 has 4 latencies for 6 cores: which are missing is not clear"
    ):
        read(tmp_path, lines)


@pytest.mark.parametrize("half", ["lower", "upper"])
@pytest.mark.parametrize("diagonal", ["", "0"])
@pytest.mark.parametrize("cores", [2, 3, 8])
def test_triangles_stay_triangles(tmp_path: Path, half: str, diagonal: str, cores: int) -> None:
    matrix = latencies(cores)
    n = range(cores)
    kept = [[j < i if half == "lower" else j > i for j in n] for i in n]
    cells = [[f"{matrix[i, j]:g}" if kept[i][j] else diagonal if i == j else "" for j in n] for i in n]
    lines = ["    " + "".join(f"{j:>8}" for j in n)]
    lines += [f"{i:<4}" + "".join(f"{cell:>8}" for cell in cells[i]) for i in n]
    assert is_same(read(tmp_path, lines), matrix)
    assert is_same(read(tmp_path, packed(lines)), matrix)


def test_settings_above_and_sums_below_are_no_rows(tmp_path: Path) -> None:
    matrix = latencies(6)
    around = ["Running a benchmark", " Samples: 500", " Iterations: 4000"]
    for between in ([], [""]):
        lines = [*around, *between, *columns(matrix), *between, "Mean: 50.5"]
        assert is_same(read(tmp_path, lines), matrix)


def test_a_command_line_above_is_no_header_of_pairs(tmp_path: Path) -> None:
    from groma.survey.infer.recorded_pairs import read_latencies

    path = tmp_path / "matrix.txt"
    matrix = latencies(6)
    path.write_text("\n".join(["$ ./latency -b cas -i 60 -s 5", "", *columns(matrix)]) + "\n")
    assert is_same(read_latencies(path), matrix)
