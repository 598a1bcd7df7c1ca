"""The answers of groma model as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.model.cells import (
    CROSSOVER_COLUMNS,
    MARK,
    OWNER_COLUMNS,
    bound_cells,
    bound_columns,
    crossover_cells,
    owner_cells,
    printed_words,
)
from groma.record.counting import counted
from groma.record.units import format_quantity, format_share, format_value
from groma.report.document import Document, Note, Pairs, Section, StyledText, Table, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.model.limits import Prediction
    from groma.model.local import LocalModel, Reference
    from groma.model.randomaccess import AlgorithmBounds, Bound, CrossoverFound, MachineModel
    from groma.report.document import Block, Cell, Tone

LEFT = {"nodes", "binds", "algorithm", "stated", "agrees", "source"}
"""Columns of words, and that which names a row; numbers are to the right."""


def machine_document(model: MachineModel) -> Document:
    """Table 4 and its neighbours for a known machine."""
    sections = [
        Section("machine", f"RandomAccess on {model.title}, GUP/s", [_legend(model)]),
        *(Section(one.name, f"{one.name}: {one.title}", _blocks(one)) for one in model.algorithms),
        Section("owners", "Node counts that are not powers of two, GUP/s", _owners(model)),
        Section("crossovers", "When the network becomes the limit", _crossovers(model)),
    ]
    return Document([one for one in sections if one.blocks])


def _legend(model: MachineModel) -> Pairs:
    return Pairs(
        [
            (
                "bucket",
                f"updates per bucket, as printed in the paper; {MARK} derived by the rule of the paper",
            ),
            ("t_r", "cycles to receive an update"),
            ("cpu", "upper bound of the cores: equations 1, 6 and 7"),
            ("4B/b", "upper bound of the network: equation 1"),
            ("paper", f"bound printed in the paper; {MARK} does not follow from its formula"),
            ("ratio", "model over measured"),
            *((f"source {name}", title) for name, title in model.papers.items()),
        ]
    )


def _blocks(algorithm: AlgorithmBounds) -> list[Block]:
    if not algorithm.rows:
        return []
    columns = bound_columns(algorithm.rows)
    rows = [[_styled(row, name) for name in columns] for row in algorithm.rows]
    notes = [printed_words(row) for row in algorithm.rows]
    return [
        Table(_aligned(columns), rows),
        *(Note(words, code="model.printed") for words in notes if words),
    ]


def _styled(row: Bound, column: str) -> Cell:
    cell = bound_cells(row)[column]
    return StyledText(cell, "warn") if column == "paper" and row.follows is False else cell


def _aligned(columns: Sequence[str]) -> list[str]:
    return [name if name in LEFT else f">{name}" for name in columns]


def _owners(model: MachineModel) -> list[Block]:
    rows: list[list[Cell]] = [list(owner_cells(row)) for row in model.owners]
    source = f"measured: {model.owners_source}"
    return [Table(_aligned(OWNER_COLUMNS), rows), Text([StyledText(source, "dim")])] if rows else []


def _crossovers(model: MachineModel) -> list[Block]:
    columns = [">nodes" if name == "nodes" else name for name in CROSSOVER_COLUMNS]
    rows = [_crossover_row(one) for one in model.crossovers]
    return [Table(columns, rows)] if rows else []


def _crossover_row(one: CrossoverFound) -> list[Cell]:
    tone: Tone = "good" if one.agrees else "bad"
    cells = zip(CROSSOVER_COLUMNS, crossover_cells(one), strict=True)
    return [StyledText(cell, tone) if name == "agrees" else cell for name, cell in cells]


def local_document(model: LocalModel) -> Document:
    """What binds a surveyed machine, beside a run where there is one."""
    sections = [
        Section("machine", "RandomAccess on this machine", [_circumstances(model)]),
        Section("limits", "Upper bounds", [_limits(model.prediction), *_notes(model)]),
        Section("parts", "Time of an update", _references(model.parts)),
        Section("loads", "Work of each role", _loads(model)),
        Section("references", "Other figures", _references(model.references)),
        Section("scaling", "On several nodes", _scaling(model)),
    ]
    return Document([one for one in sections if one.blocks])


def _circumstances(model: LocalModel) -> Pairs:
    case = model.prediction
    table = "larger than any cache" if model.table_bytes is None else format_value(model.table_bytes, "B")
    items: list[tuple[str, Cell | None]] = [
        ("processor", model.processor),
        ("cores", f"{case.cores} on {counted(case.nodes, 'node')}, {case.exchange}"),
        ("table", table),
        ("in caches", f"{format_share(model.resident)} of the table" if model.resident else None),
        ("updates per message", f"{case.bucket:.1f}" if case.bucket else None),
        ("bound", StyledText(f"{format_quantity(model.bound)}: {model.binds}", "strong")),
        ("measured", format_quantity(model.measured) if model.measured else None),
        ("measured over bound", format_quantity(model.ratio) if model.ratio else None),
    ]
    return Pairs([(name, value) for name, value in items if value is not None])


def _limits(prediction: Prediction) -> Table:
    rows = [[limit.name, format_quantity(limit.rate), limit.formula] for limit in prediction.limits]
    return Table(["resource", "at most", "formula"], rows)


def _notes(model: LocalModel) -> list[Note]:
    return [Note(one.what, one.next, one.code) for one in model.warnings]


def _references(values: Sequence[Reference]) -> list[Block]:
    rows = [[one.name, format_quantity(one.value), one.formula] for one in values]
    return [Table(["what", "value", "formula"], rows)] if rows else []


def _loads(model: LocalModel) -> list[Block]:
    slowest = min(model.loads, key=lambda load: load.rate.value, default=None)
    rows: list[list[Cell]] = [
        [
            load.role,
            "-" if load.ranks is None else str(load.ranks),
            format_quantity(load.work),
            format_share(round(load.busy.value, 2)),
            format_quantity(load.rate),
            StyledText("limit", "warn") if load is slowest else "",
        ]
        for load in model.loads
    ]
    columns = ["role", ">ranks", "work per update", ">busy", "at most (equation 7)", ""]
    return [Table(columns, rows)] if rows else []


def _scaling(model: LocalModel) -> list[Block]:
    rows = [
        [
            str(one.nodes),
            str(one.cores),
            one.exchange,
            f"{one.bucket:.0f}" if one.bucket else "-",
            format_quantity(one.limits[0].rate),
            one.limits[0].name,
        ]
        for one in model.scaling
    ]
    columns = [">nodes", ">cores", "exchange", ">bucket", "at most", "limit"]
    return [Table(columns, rows)] if rows else []
