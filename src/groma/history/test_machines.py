from __future__ import annotations

from typing import Any

import pytest

from groma.history.machines import machine_of
from suite_records import stream, suite_record


@pytest.mark.parametrize(
    ("environment", "machine"),
    [
        ({"host": "n1", "cpu": "x"}, "n1"),
        ({"host": {"name": "n1"}, "cpu": {"model": "X", "cores": "many"}}, "X"),
        ({"host": None, "cpu": ["X"]}, "unknown"),
    ],
)
def test_a_damaged_part_of_an_environment_names_no_machine(environment: dict[str, Any], machine: str) -> None:
    assert machine_of(suite_record(stream({"triad": [1.0, 2.0]}), **environment)) == machine
