"""What was sampled, how often, and what disturbed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.record.units import format_value
from groma.report.blocks import DataTable, table_figure
from groma.report.page_samples import PageSamples, page_samples
from groma.report.views.any.tree import filled_leaves_of
from groma.report.views.registry import view
from groma.report.words.text import ABSENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks

_COLUMNS = ("probe", "ended", "took", "cases", "samples", "rounds", "wall / CPU time", "stolen", "seed")

_TOLD_ELSEWHERE = {"steps", "plan"}
"""Steps of a survey say again what each probe was given; sizes of the suite are facts."""


@view("samples", order=0, of=object)
def probes(record: Record[Any]) -> Blocks:
    found = {name: page_samples(one) for name, one in record.samples.items()}
    return [*_probe_figure(found), *_parameter_figure(record)]


def _probe_figure(samples: Mapping[str, PageSamples]) -> list[Block]:
    return table_figure(
        "samples",
        "Probes",
        "One row per probe. Wall over CPU time is the 95th percentile over the rounds; a value "
        "well above 1 means that other work disturbed the probe. The record file has every "
        "sample.",
        DataTable(columns=_COLUMNS, rows=[_probe_row(one) for one in samples.values()]),
        data=samples,
    )


def _probe_row(one: PageSamples) -> list[Cell]:
    seen = one.disturbance
    return [
        one.probe,
        one.ended,
        format_value(one.elapsed, "s"),
        one.case_count,
        one.sample_count,
        seen.rounds if seen else None,
        format_value(seen.wall_over_cpu.p95, "ratio") if seen else ABSENT,
        format_value(seen.steal, "s") if seen else ABSENT,
        one.seed,
    ]


def _parameter_figure(record: Record[Any]) -> list[Block]:
    own = {name: value for name, value in record.parameters.items() if name not in _TOLD_ELSEWHERE}
    rows = [
        *_parameter_rows("all", own),
        *(row for one in record.samples.values() for row in _parameter_rows(one.probe, one.parameters)),
    ]
    return table_figure(
        "parameters",
        "Parameters",
        "The requested parameters of the measurement.",
        DataTable(columns=["of", "parameter", "value"], rows=rows),
        data=record.parameters,
    )


def _parameter_rows(owner: str, parameters: Mapping[str, Any]) -> list[list[Cell]]:
    return [[owner, path, value] for path, value in filled_leaves_of(parameters)]
