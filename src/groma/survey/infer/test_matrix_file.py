from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from groma.errors import ExitCode, GromaError
from groma.survey.infer.latency_matrix import LatencyMatrix
from groma.survey.infer.matrix_file import read_matrix

Matrix = NDArray[np.float64]
Layout = Callable[[Matrix], str]


def latencies(cores: int, *, whole: bool = False, seed: int = 1) -> Matrix:
    values = np.random.default_rng(seed).uniform(20, 90, (cores, cores)).round(0 if whole else 2)
    values = np.tril(values, -1)
    return values + values.T


def text(value: float) -> str:
    return f"{value:g}"


def cells(
    matrix: Matrix, *, diagonal: str = "", upper: str | None = None, lower: str | None = None
) -> list[list[str]]:
    """As words; `upper` and `lower` stand for all cells of that half."""

    def cell(i: int, j: int) -> str:
        given = diagonal if i == j else upper if j > i else lower
        return given if given is not None else text(matrix[i, j])

    return [[cell(i, j) for j in range(len(matrix))] for i in range(len(matrix))]


def lines(rows: list[list[str]], separator: str = ",", end: str = "\n") -> str:
    return "".join(separator.join(row) + end for row in rows)


def named(rows: list[list[str]], names: list[str], corner: str = "") -> list[list[str]]:
    return [[corner, *names], *([name, *row] for name, row in zip(names, rows, strict=True))]


def numbers(rows: list[list[str]]) -> list[str]:
    return [str(i) for i in range(len(rows))]


def ragged(matrix: Matrix, *, own: bool) -> list[list[str]]:
    return [[*map(text, row[:i]), *(["0"] if own else [])] for i, row in enumerate(matrix)]


def with_spread(rows: list[list[str]]) -> list[list[str]]:
    return [[word for cell in row for word in (cell, "1.5" if cell else "")] for row in rows]


def in_bars(matrix: Matrix) -> str:
    rows = named(cells(matrix, diagonal="-"), numbers(cells(matrix)), "core")
    return "|" + "|\n|".join(" | ".join(row) for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]]) + "|\n"


LAYOUTS: dict[str, Layout] = {
    "lower triangle, padded": lambda m: lines(cells(m, upper="")),
    "lower triangle, NaN": lambda m: lines(cells(m, upper="NaN", diagonal="NaN")),
    "lower triangle, zeros": lambda m: lines(cells(m, upper="0", diagonal="0")),
    "upper triangle, padded": lambda m: lines(cells(m, lower="")),
    "upper triangle, dashes": lambda m: lines(cells(m, lower="-", diagonal="-")),
    "full, empty diagonal": lambda m: lines(cells(m)),
    "full, zero diagonal": lambda m: lines(cells(m, diagonal="0")),
    "full, own latency": lambda m: lines(cells(m, diagonal="1.2")),
    "full, semicolons": lambda m: lines(cells(m), ";"),
    "full, semicolons and decimal commas": lambda m: lines(cells(m), ";").replace(".", ","),
    "full, tabs": lambda m: lines(cells(m, diagonal="nan"), "\t"),
    "full, tabs and decimal commas": lambda m: lines(cells(m, diagonal="nan"), "\t").replace(".", ","),
    "full, spaces": lambda m: lines(cells(m, diagonal="-"), "   "),
    "full, comma and space": lambda m: lines(cells(m), ", "),
    "full, trailing commas": lambda m: lines([[*row, ""] for row in cells(m, diagonal="0")]),
    "full, quoted": lambda m: lines([[f'"{cell}"' for cell in row] for row in cells(m)]),
    "full, Windows": lambda m: lines(cells(m), end="\r\n"),
    "full, old Mac": lambda m: lines(cells(m), end="\r"),
    "full, byte order mark": lambda m: "\ufeff" + lines(cells(m)),
    "full, comments": lambda m: "# recorded by hand\n" + lines(cells(m)) + "# end\n",
    "full, numbers above": lambda m: lines([numbers(cells(m)), *cells(m)]),
    "full, numbers above and beside": lambda m: lines(named(cells(m), numbers(cells(m)))),
    "full, numbers above and beside, zero diagonal": lambda m: lines(
        named(cells(m, diagonal="0"), numbers(cells(m)))
    ),
    "full, numbers beside": lambda m: lines(named(cells(m), numbers(cells(m)))[1:]),
    "full, corner": lambda m: lines(named(cells(m), numbers(cells(m)), "CPU")),
    "full, names": lambda m: lines(named(cells(m), [f"cpu{i}" for i in range(len(m))], "from/to")),
    "full, names beside": lambda m: lines(named(cells(m), [f"Core {i}" for i in range(len(m))])[1:]),
    "full, sums": lambda m: lines([*named(cells(m), numbers(cells(m)), "core"), ["mean"] + ["50"] * len(m)]),
    "lower triangle, named": lambda m: lines(named(cells(m, upper=""), numbers(cells(m)), "CPU")),
    "lower triangle, ragged": lambda m: lines(ragged(m, own=False)[1:]),
    "lower triangle, ragged, blank first line": lambda m: lines(ragged(m, own=False)),
    "lower triangle, ragged, zeros": lambda m: lines(ragged(m, own=True)),
    "lower triangle, ragged, named, spaces": lambda m: lines(
        [numbers(cells(m)), *([str(i), *row] for i, row in enumerate(ragged(m, own=False)))], "  "
    ),
    "lower triangle, ragged, names beside": lambda m: lines(
        [[str(i), *row] for i, row in enumerate(ragged(m, own=False))], "  "
    ),
    "lower triangle, first row and last column cut": lambda m: lines(
        [row[:-1] for row in cells(m, upper="", diagonal="")[1:]]
    ),
    "upper triangle, ragged": lambda m: lines([[*map(text, row[i + 1 :])] for i, row in enumerate(m)][:-1]),
    "upper triangle, ragged, zeros": lambda m: lines(
        [["0", *map(text, row[i + 1 :])] for i, row in enumerate(m)]
    ),
    "rows from last to first": lambda m: lines(
        [
            ["", *numbers(cells(m))],
            *reversed([[str(i), *row] for i, row in enumerate(cells(m, diagonal="x"))]),
        ]
    ),
    "deviations beside": lambda m: lines(with_spread(cells(m))),
    "deviations behind": lambda m: lines([[*row, *["2"] * len(row)] for row in cells(m)]),
    "deviations by name": lambda m: lines(
        [["core", *(w for i in range(len(m)) for w in (f"{i}", f"{i}_std"))]]
        + [[str(i), *row] for i, row in enumerate(with_spread(cells(m)))]
    ),
    "deviations after a sign": lambda m: lines(
        [
            ["  ", *numbers(cells(m))],
            *([str(i), *(f"{c}±6" for c in row)] for i, row in enumerate(ragged(m, own=False))),
        ],
        " ",
    ),
    "deviations below": lambda m: lines(cells(m)) + "\n" + lines([["3"] * len(m)] * len(m)),
    "deviations first, under a title": lambda m: (
        "stddev:\n" + lines(cells(m / 10)) + "mean:\n" + lines(cells(m))
    ),
    "units": lambda m: lines([[f"{cell} ns" if cell else cell for cell in row] for row in cells(m)]),
    "prose around": lambda m: (
        "Num cores: 4\nUsing RDTSC: false\n\n" + lines(cells(m)) + "\nMin latency: 20.0ns\n"
    ),
    "bars": in_bars,
}


def read(folder: Path, content: str | bytes) -> LatencyMatrix:
    path = folder / "matrix.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_matrix(path)


@pytest.mark.parametrize("whole", [False, True], ids=["decimals", "whole"])
@pytest.mark.parametrize("cores", [3, 4, 9, 17])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_matrix(layout: str, cores: int, whole: bool, tmp_path: Path) -> None:
    matrix = latencies(cores, whole=whole)
    found = read(tmp_path, LAYOUTS[layout](matrix))
    assert found.cores == list(range(cores))
    off = ~np.eye(cores, dtype=bool)
    assert found.latency[off] == pytest.approx(matrix[off])
    assert np.isnan(np.diag(found.latency)).all()
    assert not found.warnings


@pytest.mark.parametrize("layout", ["lower triangle, padded", "full, corner", "full, zero diagonal", "bars"])
def test_two_cores_are_a_matrix(layout: str, tmp_path: Path) -> None:
    found = read(tmp_path, LAYOUTS[layout](latencies(2)))
    assert found.cores == [0, 1]
    assert found.latency[0, 1] == latencies(2)[0, 1]


def test_text_of_a_windows_shell_is_read(tmp_path: Path) -> None:
    content = LAYOUTS["full, corner"](latencies(5))
    assert read(tmp_path, content.replace("\n", "\r\n").encode("utf-16")).cores == list(range(5))


@pytest.mark.parametrize("end", ["", "\n"], ids=["one length", "the other parity"])
def test_western_text_of_any_length_is_read(tmp_path: Path, end: str) -> None:
    content = LAYOUTS["deviations after a sign"](latencies(5)) + end
    assert read(tmp_path, content.encode("cp1252")).cores == list(range(5))


def test_names_that_differ_by_more_than_numbers_stay(tmp_path: Path) -> None:
    names = ["P0", "P1", "E0", "E1"]
    assert read(tmp_path, lines(named(cells(latencies(4)), names, "core"))).cores == names


def test_numbers_of_chosen_cores_stay(tmp_path: Path) -> None:
    names = ["0", "4", "8", "64"]
    assert read(tmp_path, lines(named(cells(latencies(4)), names))).cores == [0, 4, 8, 64]
    assert read(tmp_path, lines(named(cells(latencies(4)), ["16", "20", "30", "31"], "cpu"))).cores == [
        16,
        20,
        30,
        31,
    ]


def test_directions_that_are_alike_are_averaged(tmp_path: Path) -> None:
    found = read(tmp_path, "0,50,60\n52,0,70\n60,70,0\n")
    assert found.latency[0, 1] == 51.0
    assert not found.warnings


def test_of_directions_that_differ_the_lower_counts(tmp_path: Path) -> None:
    found = read(tmp_path, "0,50,60\n520,0,70\n60,70,0\n")
    assert found.latency[0, 1] == found.latency[1, 0] == 50.0
    assert [warning.code for warning in found.warnings] == ["matrix.asymmetric"]


def test_latencies_that_count_as_names_do_move_no_cell(tmp_path: Path) -> None:
    """As of cores in a line, whose latency is that of the hops between them."""
    hops = np.abs(np.subtract.outer(np.arange(6), np.arange(6))).astype(float)
    (tmp_path / "matrix.csv").write_text(lines(cells(hops, diagonal="0"), " "))
    assert "neither a square nor a triangle" in str(refusal(tmp_path / "matrix.csv"))


def test_missing_pairs_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, "0,50,\n50,0,70\n,70,0\n")
    assert np.isnan(found.latency[0, 2])
    (warning,) = found.warnings
    assert warning.code == "matrix.missing"
    assert "1 of 3 pairs has no latency" in warning.what


@pytest.mark.parametrize("bad", ["-5", "1e300"])
def test_values_that_are_no_latencies_are_left_out_with_a_warning(bad: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"0,{bad},60\n50,0,70\n60,70,0\n")
    assert found.latency[0, 1] == 50.0
    (warning,) = found.warnings
    assert warning.code == "matrix.unusable"
    assert warning.what == "1 cell is not a latency between 0.001 ns and 1 s and was left out"


def test_messages_on_several_cells_are_in_the_plural(tmp_path: Path) -> None:
    words = [one.what for one in read(tmp_path, "0,-1,-1,9\n,0,,9\n,,0,9\n9,9,9,0\n").warnings]
    assert words == [
        "2 cells are not latencies between 0.001 ns and 1 s and were left out",
        "3 of 6 pairs have no latency",
    ]


def test_a_triangle_may_lack_its_last_empty_column(tmp_path: Path) -> None:
    assert read(tmp_path, ",,\n50,,\n60,70,\n80,85,90\n").latency[3, 2] == 90.0


def refusal(path: Path) -> GromaError:
    with pytest.raises(GromaError) as caught:
        read_matrix(path)
    assert caught.value.exit_code == ExitCode.USAGE
    assert len(str(caught.value).splitlines()) == 1
    return caught.value


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no rows of numbers"),
        ("# nothing\n", "no rows of numbers"),
        ("a shopping list\nmilk, eggs\n", "no rows of numbers"),
        ("0,1,2\n3,4\n5\n6,7,8,9\n", "neither a square nor a triangle"),
        ("0,50,60\n50,0,fast\n60,70,0\n", "'fast'"),
        ("0,0\n0,0\n", "no positive latency"),
        ("nan,nan\nnan,nan\n", "no rows of numbers"),
        ("42\n", "triangle: 1 row, 1 cell in each"),
        ("".join(f"{2**size},{4 + size / 9}\n" for size in range(12)), "12 rows, 2 cells in each"),
        ("1 1.2\n2 1.2\n4 1.3\n", "3 rows, 2 cells in each"),
        (lines(cells(latencies(12))[:3]).replace(",", "\n"), "1 cell in each"),
        ("\n".join(["40.1,50.2,60.3"] * 12), "12 rows, 3 cells in each"),
        ("\n".join(f"{i} 0 1 85.49 85.51 0.02" for i in range(90)), "90 rows, 5 cells in each"),
        ("size_bytes,latency_ns\n2048,0.87\n4096,0.86\n", "names no cores"),
        (b"\x7fELF\x00\x01\x02", "not a text"),
        (b"0,1\n\x00,1", "not a text"),
    ],
)
def test_what_is_no_matrix_is_refused_in_one_line(content: str | bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert said in str(refusal(path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("offset," + ",".join(f"core{i}" for i in range(5000)) + "\ncore0,,1\ncore1,1,\n", "has 5,000 cores"),
        ("," + ",".join(f"node{i}x" for i in range(5000)) + "\n", "no rows of numbers"),
        (",".join(["1.5"] * 5000) + "\n" + "1.5,\n" * 4999, "has 5,000 cores"),
        ("1.5,2.5\n" * 5000, "5,000 rows, 2 cells in each"),
    ],
)
def test_no_matrix_is_filled_of_more_cores_than_are_allowed(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(content)
    with patch("groma.survey.infer.matrix_file.np.full", side_effect=MemoryError):
        assert said in str(refusal(path))


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    assert "absent.csv: no such file" in refusal(tmp_path / "absent.csv").what
    assert "is a folder" in refusal(tmp_path).what


def attempted(path: Path) -> LatencyMatrix | None:
    """None where it was refused as it should be."""
    try:
        return read_matrix(path)
    except GromaError:
        refusal(path)
        return None


words = st.one_of(
    st.floats(0.1, 1e4).map(str),
    st.integers(-5, 200).map(str),
    st.sampled_from(
        ["", "nan", "0", "x", "-", "cpu1", "std", "1e309", "±", "#", '"', "\u2028", "\uff11", "core"]
    ),
)
tables = st.lists(st.lists(words, max_size=5), max_size=8)


@example(rows=[["0"], ["1"], ["cpu1"]], separator=",")
@given(rows=tables, separator=st.sampled_from([",", ";", "\t", " ", "|"]))
def test_any_table_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], separator: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "garbage-matrix.csv"
    path.write_text(lines(rows, separator), newline="")
    found = attempted(path)
    if found is None:
        return
    known = found.latency[np.isfinite(found.latency)]
    assert len(known) >= 2
    assert (known > 0).all()
    assert len(found.cores) == len(found.latency)
