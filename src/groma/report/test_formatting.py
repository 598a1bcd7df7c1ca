"""The page writes numbers as the terminal does: `viewer/base/units.test.ts` reads the same cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groma.record import Quantity
from groma.record.units import format_quantity

CASES = Path(__file__).parents[3] / "viewer/base/formatting.cases.json"


@pytest.mark.parametrize(
    "case", json.loads(CASES.read_text(encoding="utf-8")), ids=lambda case: case["shown"]
)
def test_quantity_is_written_as_agreed_with_the_page(case: dict[str, Any]) -> None:
    assert format_quantity(msgspec.convert(case["quantity"], Quantity)) == case["shown"]
