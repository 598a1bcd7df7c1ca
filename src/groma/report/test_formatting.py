"""The page writes numbers and names as the terminal does: the tests in `viewer/base` read the same cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groma.printable import printable
from groma.record import Quantity
from groma.record.units import format_quantity

VIEWER = Path(__file__).parents[3] / "viewer/base"
CASES = VIEWER / "formatting.cases.json"
SPELLING = VIEWER / "spelling.cases.json"


@pytest.mark.parametrize(
    "case", json.loads(CASES.read_text(encoding="utf-8")), ids=lambda case: case["shown"]
)
def test_quantity_is_written_as_agreed_with_the_page(case: dict[str, Any]) -> None:
    assert format_quantity(msgspec.convert(case["quantity"], Quantity)) == case["shown"]


@pytest.mark.parametrize(
    "case", json.loads(SPELLING.read_text(encoding="utf-8")), ids=lambda case: case["shown"]
)
def test_what_has_no_shape_is_spelled_as_agreed_with_the_page(case: dict[str, str]) -> None:
    assert printable(case["text"]) == case["shown"]
