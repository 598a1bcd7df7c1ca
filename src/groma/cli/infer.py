"""groma infer: infer facts from recorded samples without measuring."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, VerbGroup, pass_output


@click.group(
    cls=VerbGroup,
    examples=[
        "groma infer caches curve.csv  # cache levels of a latency curve",
        "groma infer core-to-core matrix.csv  # layers and groups of cores",
        "groma infer pairs pairs.csv  # layers and structure of ranks or nodes",
    ],
)
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
    """Infer cache levels from CURVE, load latency over size.

    CURVE is a table with the header size_bytes,latency_ns, or with other names and units of sizes and
    latencies, or what lat_mem_rd, tinymembench, ramlat or a program of Google Benchmark printed. With a
    column pages (huge, small, 4K, 2M) and both kinds, the result says which address indexes each level.
    """
    from groma.survey.infer.curve import read_curves  # noqa: PLC0415

    curves = read_curves(curve)
    from groma.report.inferred import caches_document  # noqa: PLC0415
    from groma.survey.infer.caches import answer, infer_caches  # noqa: PLC0415
    from groma.survey.infer.indexing import indexing_of_file  # noqa: PLC0415

    inferred = infer_caches(curves.best)
    found = answer(inferred, indexing_of_file(curves, inferred))
    output.show(found, lambda: caches_document(found))


@command.command(
    "core-to-core",
    examples=[
        "groma infer core-to-core matrix.csv  # layers with their groups of cores",
        "groma infer core-to-core matrix.csv --json  # with every pair, as JSON",
    ],
)
@click.argument("matrix", type=click.Path(path_type=Path))
@pass_output
def core_to_core(output: Output, matrix: Path) -> None:
    """Infer layers of latency and groups of cores from MATRIX.

    The file holds the latencies in ns between all cores, the full matrix or a triangle, with or without the
    numbers of cores above and beside it. Commas, semicolons, tabs or spaces separate the cells. Cells may be
    missing.
    """
    from groma.report.inferred import layers_document  # noqa: PLC0415
    from groma.survey.infer.recorded_pairs import answer, infer_matrix, read_latencies  # noqa: PLC0415

    found = answer(infer_matrix(read_latencies(matrix)))
    output.show(found, lambda: layers_document(found))


@command.command(
    "pairs",
    examples=[
        "groma infer pairs pairs.csv  # layers and structure",
        "groma infer pairs pairs.csv --json  # with every pair, as JSON",
    ],
)
@click.argument("pairs", type=click.Path(path_type=Path))
@pass_output
def pairs(output: Output, pairs: Path) -> None:
    """Infer layers and structure from PAIRS, the latency of each.

    The CSV file has the header a,b,latency_ns and one row for each pair; a column bytes holds message sizes.
    Ends are cores, ranks or nodes, as numbers or names. Repeated rows are samples.
    """
    from groma.report.inferred import layers_document  # noqa: PLC0415
    from groma.survey.infer.pair_file import read_pairs  # noqa: PLC0415
    from groma.survey.infer.recorded_pairs import answer, infer_pairs  # noqa: PLC0415

    found = answer(infer_pairs(read_pairs(pairs)), "ends")
    output.show(found, lambda: layers_document(found, "ends"))
