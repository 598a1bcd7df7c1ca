"""Numbers of nodes as users write them."""

from __future__ import annotations

import pytest

from groma.errors import ExitCode, GromaError
from groma.model.counts import parse_nodes


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("64", [64]),
        ("64:512", [64, 128, 256, 512]),
        ("96:768", [96, 192, 384, 768]),
        ("64:500", [64, 128, 256]),
        ("128, 64,96,64", [64, 96, 128]),
        ("1:2,7", [1, 2, 7]),
        ("5:5", [5]),
    ],
)
def test_counts_lists_and_ranges_are_read(text: str, nodes: list[int]) -> None:
    assert parse_nodes(text) == nodes


@pytest.mark.parametrize(
    "text", ["", "0", "-4", "many", "64:32", "64:", ":64", "1.5", "64,,128", "99999999999", "9" * 5000, "²"]
)
def test_what_is_no_number_of_nodes_is_refused(text: str) -> None:
    with pytest.raises(GromaError, match="--nodes") as refused:
        parse_nodes(text)
    assert refused.value.exit_code == ExitCode.USAGE
