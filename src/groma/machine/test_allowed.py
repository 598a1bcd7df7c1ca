"""What may stand at a place is told by its type."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from groma.machine.allowed import keys_at, places, value_at, words_at


class Part(msgspec.Struct, tag_field="kind", tag="part"):
    mode: Literal["fast", "slow"]
    count: int = 0
    share: float | None = None
    name: str = ""


class Other(msgspec.Struct, tag_field="kind", tag="other"):
    mode: Literal["slow", "none"]


class Whole(msgspec.Struct):
    one: Part
    several: list[Part | Other]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (".one.mode", "fast or slow"),
        (".one.count", "a whole number"),
        (".one.share", "a number"),
        (".several[1].mode", "fast or slow or none"),
        (".one.name", ""),
        (".one.nothing", ""),
    ],
)
def test_the_value_at_a_place_is_named(path: str, said: str) -> None:
    assert value_at(Whole, path) == said


def test_a_table_has_keys_and_a_kind() -> None:
    (part,) = places(Whole, ".one")
    assert keys_at(part) == {"mode", "count", "share", "name"}
    assert [kind for one in places(Whole, ".several[0]") for kind in words_at(one, "kind")] == [
        "part",
        "other",
    ]
