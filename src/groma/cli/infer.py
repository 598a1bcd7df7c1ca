"""groma infer: infer facts from recorded samples without measuring."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.frame import Output, VerbGroup, pass_output

if TYPE_CHECKING:
    from groma.report.document import Document


@click.group(cls=VerbGroup, examples=["groma infer caches curve.csv  # cache levels of a latency curve"])
def command() -> None:
    """Infer facts from recorded samples with the same functions that groma survey uses."""


@command.command(
    "caches",
    examples=[
        "groma infer caches curve.csv  # levels with their intervals",
        "groma infer caches curve.csv --json  # the same as JSON",
    ],
)
@click.argument("curve", type=click.Path(path_type=Path))
@pass_output
def caches(output: Output, curve: Path) -> None:
    """Infer cache levels from CURVE, a CSV file of load latency over size.

    The file has comment lines with #, the header size_bytes,latency_ns, and one row for each size.
    """
    from groma.survey.infer.curve import read_curve  # noqa: PLC0415

    points = read_curve(curve)
    from groma.survey.infer.caches import answer, infer_caches  # noqa: PLC0415

    found = answer(infer_caches(points))
    output.show(found, lambda: _document(found))


def _document(found: dict[str, Any]) -> Document:
    import msgspec  # noqa: PLC0415

    from groma.record import Advice  # noqa: PLC0415
    from groma.report.document import Document, Section, Table  # noqa: PLC0415
    from groma.report.terminal import generic_blocks, notes_of, plain_value  # noqa: PLC0415

    rows = [
        [
            f"L{one['level']}",
            *map(plain_value, (one["size"], one["latency"])),
            f"{one['size']['confidence']:.0%}",
        ]
        for one in found["caches"]
    ]
    warnings = msgspec.convert(found.get("warnings", []), list[Advice])
    sections = [
        Section("caches", "Caches", [Table(["level", "size", "latency", ">confidence in size"], rows)]),
        Section("memory", "Memory", generic_blocks(found.get("memory") or {})),
        Section("warnings", "Warnings", notes_of(warnings)),
    ]
    return Document([section for section in sections if section.blocks])
