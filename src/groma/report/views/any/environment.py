"""What surrounded the measurement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from groma.record.units import format_time, format_value
from groma.report.blocks import DataTable, table_figure
from groma.report.views.any.tree import filled_leaves_of
from groma.report.views.registry import view
from groma.report.words.environment import program_of
from groma.report.words.text import joined

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.blocks import Cell
    from groma.report.views.any.tree import Leaf
    from groma.report.views.registry import Blocks


@view("environment", order=0, of=object)
def environment(record: Record[Any]) -> Blocks:
    return table_figure(
        "environment",
        "Environment",
        "What the system reported when the measurement began. Parts that could not be read are left out.",
        DataTable(columns=["what", "value"], rows=[*_run_rows(record), *_environment_rows(record)]),
        data={"build": record.build, "environment": record.environment},
    )


def _run_rows(record: Record[Any]) -> list[list[Cell]]:
    build = record.build
    compiler = joined(build.compiler, build.flags, by=" ") if build.compiler else ""
    rows = {
        "measured": format_time(record.created),
        "command": " ".join(record.command),
        "program": program_of(record),
        "compiler": compiler,
        **build.options,
    }
    return [[name, value] for name, value in rows.items() if value]


def _environment_rows(record: Record[Any]) -> list[list[Cell]]:
    """The command has a row of its own."""
    leaves = filled_leaves_of(record.environment)
    return [[_name(leaf), _value(leaf)] for leaf in leaves if not leaf.path.startswith("command")]


def _name(leaf: Leaf) -> str:
    return leaf.path.replace("_", " ").replace(".", " · ")


_CAPTURED = "captured"
"""The moment of the environment, which is that of its first measurement."""


def _value(leaf: Leaf) -> Cell:
    """Numbers of the environment have their unit in the name of the field."""
    path, value = leaf
    if isinstance(value, str):
        return format_time(value) if path == _CAPTURED else value
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return value
    if path.endswith("_bytes"):
        return format_value(value, "B")
    return format_value(value, "Hz") if re.search(r"frequency\.(min|max)$", path) else value
