"""Matrix Market files are read as they are defined, or refused with their line."""

from __future__ import annotations

import pytest

from groma.errors import GromaError
from groma.map.matrix import parse_matrix
from groma.map.traffic import Traffic


def traffic_in(text: str) -> set[Traffic]:
    return set(parse_matrix(text, "m.mtx").traffic) - {Traffic(0, 0, 0.0)}


def test_coordinates_count_from_1() -> None:
    text = "%%MatrixMarket matrix coordinate integer general\n% by hand\n3 3 2\n1 2 500\n3 1 70\n"
    assert traffic_in(text) == {Traffic(0, 1, 500.0), Traffic(2, 0, 70.0)}


def test_ranks_without_traffic_count() -> None:
    text = "%%MatrixMarket matrix coordinate real general\n5 5 1\n1 2 1.5e3\n"
    assert parse_matrix(text, "m.mtx").ranks == 5


def test_a_symmetric_matrix_stands_for_both_directions() -> None:
    text = "%%matrixmarket MATRIX Coordinate real Symmetric\n3 3 2\n2 1 8\n3 2 9\n"
    both = {(0, 1, 8.0), (1, 0, 8.0), (1, 2, 9.0), (2, 1, 9.0)}
    assert traffic_in(text) == {Traffic(*one) for one in both}


def test_a_pattern_has_one_byte_for_each_entry() -> None:
    text = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"
    assert traffic_in(text) == {Traffic(0, 1, 1.0), Traffic(1, 0, 1.0)}


def test_an_array_is_listed_column_after_column() -> None:
    text = "%%MatrixMarket matrix array real general\n2 2\n0\n10\n20\n0\n"
    assert traffic_in(text) == {Traffic(1, 0, 10.0), Traffic(0, 1, 20.0)}
    symmetric = "%%MatrixMarket matrix array real symmetric\n2 2\n0\n10\n0\n"
    assert traffic_in(symmetric) == {Traffic(1, 0, 10.0), Traffic(0, 1, 10.0)}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("matrix coordinate complex general\n2 2 1\n1 2 1 0\n", "coordinate complex general"),
        ("matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "skew-symmetric"),
        ("vector coordinate real general\n2 2 1\n", "vector"),
        ("matrix coordinate real general\n", "no line with the size"),
        ("matrix coordinate real general\n2 3 1\n1 2 1\n", "2 rows and 3 columns"),
        ("matrix coordinate real general\n2 2 1\n1 3 1\n", "line 3: entry 1 3"),
        ("matrix coordinate real general\n2 2 1\n0 1 1\n", "line 3: entry 0 1"),
        ("matrix coordinate real general\n2 2 1\n1 2\n", "line 3: 2 values, not 3"),
        ("matrix coordinate real general\n2 2 1\n1 2 -4\n", "line 3: bytes is -4"),
        ("matrix array real general\n2 2\n1\n", "values are missing"),
        ("matrix array real general\n1 1\n1\n2\n", "more values than"),
        ("matrix coordinate real general\n2 2 2\n1 2 4\n", "ends after 1 of 2 entries"),
        ("matrix coordinate real general\n2 2 1\n1 2 4\n2 1 4\n", "line 4: more entries than the 1"),
        ("matrix coordinate real general\n2 2 x\n1 2 4\n", "line 2: the number of entries is 'x'"),
        (
            "matrix coordinate complex general\n2 2 0\n",
            "line 1: a Matrix Market file of matrix",
        ),
    ],
)
def test_what_is_no_matrix_of_messages_is_refused(text: str, what: str) -> None:
    with pytest.raises(GromaError, match=what):
        parse_matrix(f"%%MatrixMarket {text}", "m.mtx")
