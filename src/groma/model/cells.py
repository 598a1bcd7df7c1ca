"""The rows of the known machines' tables in text, on the terminal and in docs/model/tables.md alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.model.randomaccess import Bound, CrossoverFound, OwnerBound

BOUND_COLUMNS = ("nodes", "bucket", "t_r", "cpu", "4B/b", "binds", "paper", "measured", "ratio")
"""Of the table of an algorithm: nine fit a terminal of 80 characters, so the shape of the torus stays out."""

OWNER_COLUMNS = (
    *("nodes", "model", "prediction", "model/measured"),
    *("division", "gain", "cycles of division"),
)

CROSSOVER_COLUMNS = ("algorithm", "nodes", "stated", "agrees", "source")

MARK = "*"
ABSENT = "-"


def rate_cell(gups: float | None) -> str:
    """A rate in GUP/s with two decimals, more where it is small."""
    if gups is None:
        return ABSENT
    return f"{gups:.2f}" if gups >= 0.1 else f"{gups:.3g}"


def bound_columns(rows: Sequence[Bound]) -> list[str]:
    """Those in which some row has a value."""
    cells = [bound_cells(row) for row in rows]
    return [name for name in BOUND_COLUMNS if any(row[name] != ABSENT for row in cells)]


def bound_cells(row: Bound) -> dict[str, str]:
    """By column. Marked are derived buckets, and printed bounds that their formula does not give."""
    values = (
        str(row.nodes),
        f"{row.bucket}{MARK if row.bucket_from == 'derived' else ''}",
        ABSENT if row.receive_cycles is None else f"{row.receive_cycles:.1f}",
        rate_cell(row.cpu),
        rate_cell(row.network),
        row.binds,
        f"{rate_cell(row.printed)}{MARK if row.follows is False else ''}",
        _measured(row),
        ABSENT if row.ratio is None else f"{row.ratio:.2f}",
    )
    return dict(zip(BOUND_COLUMNS, values, strict=True))


def _measured(row: Bound) -> str:
    if row.measured_later is None:
        return rate_cell(row.measured)
    later = f"({rate_cell(row.measured_later)})"
    return later if row.measured is None else f"{rate_cell(row.measured)} {later}"


def printed_words(row: Bound) -> str | None:
    """How far a printed bound is from its formula; None if it follows."""
    if row.follows is not False or not row.printed:
        return None
    return (
        f"{row.nodes} nodes: printed {rate_cell(row.printed)}, the formula gives {rate_cell(row.cpu)} "
        f"({(row.cpu / row.printed - 1) * 100:+.0f} %)"
    )


def owner_cells(row: OwnerBound) -> list[str]:
    return [
        str(row.nodes),
        rate_cell(row.bound),
        rate_cell(row.prediction),
        f"{row.ratio:.2f} x",
        rate_cell(row.division),
        f"{row.prediction / row.division:.2f} x",
        f"{row.division_cycles:.0f} cycles",
    ]


def crossover_cells(one: CrossoverFound) -> list[str]:
    nodes = "never" if one.nodes is None else str(one.nodes)
    return [one.algorithm, nodes, one.stated, "yes" if one.agrees else "no", one.source]
