"""What stands several times in a page is written once, and comes back."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from groma.report.sharing import LEAST_BYTES, share

LONG = "x" * LEAST_BYTES


def restored(value: Any) -> Any:
    """As the viewer does it."""
    shared = value.get("$shared", []) if isinstance(value, dict) else []

    def whole(part: Any) -> Any:
        if isinstance(part, list):
            return [whole(item) for item in part]
        if isinstance(part, dict):
            if "$ref" in part:
                return whole(shared[part["$ref"]])
            return {key: whole(item) for key, item in part.items()}
        return part

    return whole(value["$value"] if shared else value)


def test_what_stands_twice_is_written_once() -> None:
    assert share({"a": LONG, "b": LONG}) == {
        "$shared": [LONG],
        "$value": {"a": {"$ref": 0}, "b": {"$ref": 0}},
    }


def test_parts_of_what_is_shared_are_not_shared_by_themselves() -> None:
    whole = [LONG, 1]
    assert share([whole, whole]) == {"$shared": [whole], "$value": [{"$ref": 0}, {"$ref": 0}]}


def test_a_part_that_also_stands_elsewhere_is_shared_within_what_is_shared() -> None:
    whole = [LONG, 1]
    written = share([whole, whole, LONG])
    assert sorted(map(str, written["$shared"])) == sorted(map(str, [LONG, [{"$ref": 1}, 1]]))
    assert restored(written) == [whole, whole, LONG]


def test_what_is_short_or_stands_once_stays_as_it_is() -> None:
    value = {"a": "short", "b": "short", "c": LONG, "d": 1.0, "e": 1}
    assert share(value) == value


def test_numbers_of_other_types_are_not_taken_for_each_other() -> None:
    value = [[1.0] * 9, [1] * 9, [True] * 9]
    assert share(value) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from([LONG, "a"]),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.sampled_from("abc"), parts, max_size=3),
    max_leaves=20,
)


@given(JSON)
def test_everything_comes_back(value: Any) -> None:
    assert restored(share([value, value])) == [value, value]
