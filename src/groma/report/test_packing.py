"""Packing makes bulky parts small and loses nothing a reader could see."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.report.packing import (
    COLUMNS_KEY,
    MATRIX_KEY,
    MIN_PACKED,
    PAIRS_KEY,
    ROWS_KEY,
    SAME_KEY,
    pack,
    rounded,
)
from groma.report.sharing import share


def cell(value: float, spread: float = 0.05, **changes: Any) -> dict[str, Any]:
    return {
        "value": value,
        "unit": "s",
        "low": value * (1 - spread),
        "high": value * (1 + spread),
        "confidence": 0.95,
        "method": "median",
        "samples": None,
        "os_value": None,
        "agrees": None,
        **changes,
    }


def symmetric_matrix(n: int) -> list[list[Any]]:
    return [
        [None if i == j else cell((1 + min(i, j) + max(i, j)) * 1e-8) for j in range(n)] for i in range(n)
    ]


def unpacked_values(packed: dict[str, Any]) -> list[float | None]:
    scale = packed["scale"]
    return [None if entry is None else entry * scale for entry in packed["value"]]


def test_symmetric_matrix_is_packed_as_its_upper_triangle() -> None:
    packed = pack(symmetric_matrix(6))[MATRIX_KEY]
    assert packed["symmetric"] is True
    assert len(packed["value"]) == 6 * 7 // 2
    assert packed["value"][0] is None
    assert math.isclose(unpacked_values(packed)[1] or 0.0, 2e-8)


def test_sparse_matrix_holds_its_cells_alone_with_the_steps_between_them() -> None:
    rows: list[list[Any]] = [[None] * 30 for _ in range(30)]
    rows[0][1], rows[4][7], rows[29][29] = cell(1e-9), cell(2e-9), cell(3e-9)
    packed = pack(rows)[MATRIX_KEY]
    assert packed["steps"] == [2, 126, 772]
    assert [rounded(value or 0.0, 6) for value in unpacked_values(packed)] == [1e-9, 2e-9, 3e-9]


def test_asymmetric_matrix_keeps_every_cell_in_row_order() -> None:
    rows = [[cell((4 * i + j + 1) * 1e-9) for j in range(4)] for i in range(4)]
    packed = pack(rows)[MATRIX_KEY]
    assert packed["symmetric"] is False
    assert [round((entry or 0) * 1e9) for entry in unpacked_values(packed)] == list(range(1, 17))


def test_what_all_cells_share_is_written_once() -> None:
    packed = pack(symmetric_matrix(6))[MATRIX_KEY]
    assert packed["unit"] == "s"
    assert packed["method"] == "median"


def test_cells_that_differ_in_method_keep_it_each() -> None:
    rows = [[cell(1e-9, method=f"way {i}") for _ in range(4)] for i in range(4)]
    assert len(pack(rows)[MATRIX_KEY]["method"]) == 16


def test_sample_summaries_are_kept_for_small_matrices_only() -> None:
    summary = {"n": 40, "min": 1e-9, "p5": 1e-9, "p50": 2e-9, "p95": 3e-9}
    small = pack([[cell(2e-9, samples=summary)] * 4] * 4)[MATRIX_KEY]
    large = pack([[cell(2e-9, samples=summary)] * 80] * 80)[MATRIX_KEY]
    assert small["samples"]["n"] == 40
    assert large["samples"] is None


def test_large_matrices_tell_which_cells_are_single_samples() -> None:
    one = {"n": 1, "min": 1e-9, "p5": 1e-9, "p50": 1e-9, "p95": 1e-9}
    rows = [[cell(1e-9, 0, samples=one, confidence=0) for _ in range(65)] for _ in range(65)]
    assert pack(rows)[MATRIX_KEY]["samples"]["n"] == 1
    rows[0][0] = cell(1e-9)
    assert pack(rows)[MATRIX_KEY]["samples"]["n"][:2] == [None, 1]


def test_small_and_ragged_matrices_stay_as_they_are() -> None:
    two_by_two = [[cell(1.0), cell(2.0)], [cell(3.0), cell(4.0)]]
    ragged = [[cell(1.0)] * 10, [cell(1.0)] * 9]
    assert pack(two_by_two) == two_by_two
    assert pack(ragged) == ragged


def test_a_quantity_beyond_the_numbers_of_json_stays_as_it_is() -> None:
    """It is null there."""
    matrix = [[cell(1.0) for _ in range(4)] for _ in range(4)]
    matrix[1][2] = {**cell(1.0), "value": None, "low": None, "high": None}
    unpacked = pack(matrix)
    assert unpacked[1][2]["value"] is None
    assert unpacked[0][0]["value"] == 1.0


def test_consecutive_pairs_become_runs() -> None:
    pairs = [[0, other] for other in range(1, 20)] + [[1, 5], [1, 7]]
    assert pack(pairs) == {PAIRS_KEY: [[0, 1, 19], [1, 5, 5], [1, 7, 7]]}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=16, max_size=60))
def test_runs_give_the_pairs_back_in_order(pairs: list[tuple[int, int]]) -> None:
    runs = pack([list(pair) for pair in pairs])[PAIRS_KEY]
    assert [(a, b) for a, first, last in runs for b in range(first, last + 1)] == pairs


@pytest.mark.parametrize("size", [8, 70])
def test_values_of_narrow_intervals_stay_inside_of_them(size: int) -> None:
    rows = [[cell(1.2345e-7 + i * 1e-9, spread=1e-4) for _ in range(size)] for i in range(size)]
    packed = pack(rows)[MATRIX_KEY]
    measured = [one for row in rows for one in row]
    for value, one in zip(unpacked_values(packed), measured, strict=True):
        assert value is not None
        assert one["low"] <= value <= one["high"]


@given(st.floats(min_value=1e-9, max_value=1e-6), st.floats(min_value=0.02, max_value=0.3))
def test_intervals_of_a_large_matrix_are_shown_as_those_of_the_record(value: float, spread: float) -> None:
    one = cell(value, spread)
    packed = pack([[one] * 70 for _ in range(70)])[MATRIX_KEY]
    bounds = (packed["value"][0] - packed["below"][0], packed["value"][0] + packed["above"][0])
    decimals = 2 - math.floor(math.log10(packed["value"][0]))
    for found, bound in zip(bounds, (one["low"], one["high"]), strict=True):
        assert math.isclose(found * packed["scale"], bound, abs_tol=0.5001 * packed["scale"] * 10**-decimals)


def test_cells_whose_numbers_have_no_common_scale_are_packed() -> None:
    rows = [[cell(1e-9) for _ in range(70)] for _ in range(70)]
    rows[3][4] = cell(1e308, spread=0.01)
    assert pack(rows)[MATRIX_KEY]["rows"] == 70


def test_cells_of_a_large_matrix_have_no_more_digits_than_are_shown() -> None:
    packed = pack([[cell(1.2345678e-7) for _ in range(70)] for _ in range(70)])[MATRIX_KEY]
    assert set(packed["value"]) == {round(1.23e-7 / packed["scale"], 9)}


def test_a_cell_that_is_too_small_for_a_scale_is_packed() -> None:
    packed = pack([[cell(5e-324)] + [cell(1.0)] * 4 for _ in range(4)])[MATRIX_KEY]
    assert packed["scale"] > 0


@given(st.floats(min_value=1e-12, max_value=1e15), st.integers(2, 6))
def test_rounding_keeps_the_asked_digits(value: float, digits: int) -> None:
    assert math.isclose(rounded(value, digits), value, rel_tol=0.51 * 10 ** (1 - digits))


def test_numbers_that_are_not_finite_survive_rounding() -> None:
    assert math.isinf(rounded(math.inf, 3))


def test_objects_of_one_shape_are_written_by_column() -> None:
    points = [{"x": number, "note": ""} for number in range(MIN_PACKED)]
    assert pack(points) == {
        "length": MIN_PACKED,
        COLUMNS_KEY: {"x": list(range(MIN_PACKED)), "note": {SAME_KEY: ""}},
    }


def test_rows_of_one_width_are_written_by_column() -> None:
    rows = [[f"rank {number}", None] for number in range(MIN_PACKED)]
    packed = pack(rows)
    assert packed["length"] == MIN_PACKED
    assert packed[ROWS_KEY] == [[row[0] for row in rows], {SAME_KEY: None}]


def test_short_lists_and_objects_of_several_shapes_stay_as_they_are() -> None:
    short = [{"x": number} for number in range(MIN_PACKED - 1)]
    mixed = [{"x": number} if number else {"y": number} for number in range(MIN_PACKED)]
    assert pack(short) == short
    assert pack(mixed) == mixed


KEYS = (
    "$ref",
    "$same",
    "$matrix",
    "$pairs",
    "$columns",
    "$rows",
    "$shared",
    "$value",
    "$$ref",
    "$",
    "length",
    "a",
)


def alike(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Long lists of one shape."""
    return parts.map(lambda part: [part] * MIN_PACKED) | st.lists(
        st.fixed_dictionaries({"$ref": parts, "a": parts}), min_size=MIN_PACKED, max_size=MIN_PACKED
    )


RECORD_DATA = st.recursive(
    st.none() | st.integers(0, 9) | st.sampled_from(["#/$defs/Cache", "x" * 40]),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), parts, max_size=4)
        | alike(parts)
    ),
    max_leaves=12,
)


def restored(value: Any) -> Any:
    """As the viewer does it, but for matrices, which these data have none of."""
    shared = value.get("$shared", []) if isinstance(value, dict) else []

    def column(packed: Any, length: int) -> list[Any]:
        return packed if isinstance(packed, list) else [packed[SAME_KEY]] * length

    def whole(part: Any) -> Any:
        if isinstance(part, list):
            return [whole(item) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return whole(shared[part["$ref"]])
        return of_object({key: whole(item) for key, item in part.items()})

    def of_object(part: dict[str, Any]) -> Any:
        if PAIRS_KEY in part:
            return [
                [first, second] for first, low, high in part[PAIRS_KEY] for second in range(low, high + 1)
            ]
        if COLUMNS_KEY in part:
            columns = {key: column(one, part["length"]) for key, one in part[COLUMNS_KEY].items()}
            return [{key: one[i] for key, one in columns.items()} for i in range(part["length"])]
        if ROWS_KEY in part:
            every = [column(one, part["length"]) for one in part[ROWS_KEY]]
            return [[one[i] for one in every] for i in range(part["length"])]
        return {key[1:] if key.startswith("$$") else key: item for key, item in part.items()}

    return whole(value["$value"] if shared else value)


@given(RECORD_DATA)
def test_no_key_of_a_record_is_taken_for_a_packed_part(value: Any) -> None:
    page = {"data": value, "again": value}
    assert restored(share(pack(page))) == page


def test_a_key_of_a_record_that_begins_with_a_mark_has_one_more() -> None:
    assert pack({"limits": {"$matrix": [1, 2], "$$ref": 3}}) == {"limits": {"$$matrix": [1, 2], "$$$ref": 3}}
