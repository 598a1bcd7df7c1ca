"""The answers of groma model as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_quantity, format_value
from groma.report.document import Document, Note, Pairs, Section, Table, Text, Toned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.model.limits import Prediction
    from groma.model.local import LocalModel, Reference
    from groma.model.randomaccess import AlgorithmBounds, Bound, MachineModel
    from groma.report.document import Block, Cell

COLUMNS = ("nodes", ">bucket", ">t_r", ">cpu", ">4B/b", "binds", ">paper", ">measured", ">ratio")
"""Of the table of an algorithm: nine fit a terminal of 80 characters, so the shape of the torus stays out."""

MARK = "*"


def machine_document(model: MachineModel) -> Document:
    """Table 4 and its neighbours for a known machine."""
    sections = [
        Section("machine", f"RandomAccess on {model.title}, GUP/s", [_legend(model)]),
        *(Section(one.name, f"{one.name}: {one.title}", _blocks(one)) for one in model.algorithms),
        Section("owners", "Numbers of nodes that are no power of two, GUP/s", _owners(model)),
        Section("crossovers", "From which nodes on the network binds", _crossovers(model)),
    ]
    return Document([one for one in sections if one.blocks])


def _legend(model: MachineModel) -> Pairs:
    return Pairs(
        [
            ("bucket", f"updates as printed in the paper; {MARK} derived by its rule"),
            ("t_r", "cycles of receiving an update"),
            ("cpu", "upper bound of the cores: equations 1, 6 and 7"),
            ("4B/b", "upper bound of the network: equation 1"),
            ("paper", f"its printed bound; {MARK} does not follow from its formula"),
            ("ratio", "model over measured"),
            *((f"source {name}", title) for name, title in model.papers.items()),
        ]
    )


def _blocks(algorithm: AlgorithmBounds) -> list[Block]:
    if not algorithm.rows:
        return []
    used = [column for column, name in enumerate(COLUMNS) if _is_used(algorithm.rows, name)]
    rows = [[cell for place, cell in enumerate(_row(row)) if place in used] for row in algorithm.rows]
    return [Table([COLUMNS[place] for place in used], rows), *_marked(algorithm)]


def _is_used(rows: Sequence[Bound], column: str) -> bool:
    values = {
        ">t_r": [row.receive_cycles for row in rows],
        ">paper": [row.printed for row in rows],
        ">measured": [row.measured_later or row.measured for row in rows],
        ">ratio": [row.ratio for row in rows],
    }
    return column not in values or any(value is not None for value in values[column])


def _row(row: Bound) -> list[Cell]:
    return [
        str(row.nodes),
        f"{row.bucket}{MARK if row.bucket_from == 'derived' else ''}",
        "-" if row.receive_cycles is None else f"{row.receive_cycles:.1f}",
        rate(row.cpu),
        rate(row.network),
        row.binds,
        _printed(row),
        _measured(row),
        "-" if row.ratio is None else f"{row.ratio:.2f}",
    ]


def rate(gups: float | None) -> str:
    """A rate in GUP/s with two decimals, more where it is small."""
    if gups is None:
        return "-"
    return f"{gups:.2f}" if gups >= 0.1 else f"{gups:.3g}"


def _printed(row: Bound) -> Cell:
    return Toned(f"{rate(row.printed)}{MARK}", "warn") if row.follows is False else rate(row.printed)


def _measured(row: Bound) -> str:
    if row.measured_later is None:
        return rate(row.measured)
    return f"{rate(row.measured)} ({rate(row.measured_later)})"


def _marked(algorithm: AlgorithmBounds) -> list[Block]:
    return [
        Note(
            f"{row.nodes} nodes: printed {rate(row.printed)}, the formula gives {rate(row.cpu)} "
            f"({(row.cpu / row.printed - 1) * 100:+.0f} %)",
            code="model.printed",
        )
        for row in algorithm.rows
        if row.follows is False and row.printed
    ]


def _owners(model: MachineModel) -> list[Block]:
    rows = [
        [
            str(row.nodes),
            rate(row.bound),
            rate(row.prediction),
            f"{row.ratio:.2f} x",
            rate(row.division),
            f"{row.prediction / row.division:.2f} x",
            f"{row.division_cycles:.0f} cycles",
        ]
        for row in model.owners
    ]
    columns = [
        "nodes",
        ">model",
        ">prediction",
        ">model/measured",
        ">division",
        ">gain",
        ">division costs an update",
    ]
    source = f"measured: {model.owners_source}"
    return [Table(columns, rows), Text([Toned(source, "dim")])] if rows else []


def _crossovers(model: MachineModel) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            one.algorithm,
            "never" if one.nodes is None else str(one.nodes),
            one.stated,
            Toned("yes", "good") if one.agrees else Toned("no", "bad"),
            one.source,
        ]
        for one in model.crossovers
    ]
    columns = ["algorithm", ">nodes", "stated", "agrees", "source"]
    return [Table(columns, rows)] if rows else []


def local_document(model: LocalModel) -> Document:
    """What binds a surveyed machine, beside a run where there is one."""
    sections = [
        Section("machine", "RandomAccess on this machine", [_circumstances(model)]),
        Section("limits", "Upper bounds", [_limits(model.prediction), *_notes(model)]),
        Section("parts", "Time of an update", _references(model.parts)),
        Section("loads", "Work of each role", _loads(model)),
        Section("references", "Beside", _references(model.references)),
        Section("scaling", "On several nodes", _scaling(model)),
    ]
    return Document([one for one in sections if one.blocks])


def _circumstances(model: LocalModel) -> Pairs:
    case = model.prediction
    table = "larger than any cache" if model.table_bytes is None else format_value(model.table_bytes, "B")
    items: list[tuple[str, Cell | None]] = [
        ("processor", model.processor),
        ("cores", f"{case.cores} on {case.nodes} node{'s' if case.nodes > 1 else ''}, {case.exchange}"),
        ("table", table),
        ("in caches", f"{model.resident:.1%} of the table" if model.resident else None),
        ("updates in a message", f"{case.bucket:.1f}" if case.bucket else None),
        ("bound", Toned(f"{format_quantity(model.bound)}: {model.binds}", "strong")),
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
            f"{load.busy.value:.0%}",
            format_quantity(load.rate),
            Toned("binds", "warn") if load is slowest else "",
        ]
        for load in model.loads
    ]
    columns = ["role", ">ranks", "work of an update", ">busy", "at most (equation 7)", ""]
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
    columns = [">nodes", ">cores", "exchange", ">bucket", "at most", "binds"]
    return [Table(columns, rows)] if rows else []
