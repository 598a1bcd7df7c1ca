"""Small records for tests, parts as they are wanted and the rest empty; and what is looked for on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from groma.facts.torus import TokenStalls, TorusFacts
from groma.record import Build, ProbeSamples, Quantity, Record, SampleSummary
from groma.record.launch import CheckResult, Launch, RankPlace
from groma.report.blocks import Banner, Choice, Drawing, Figure, HeatMap, Lead, Note, Tiles
from groma.report.views.registry import Named, comparison_of, sections_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.report.blocks import Block, Tile
    from groma.report.views.registry import PageSection

D = TypeVar("D", bound=Drawing)

# ---- records -----------------------------------------------------------------------------------------------


def record_of(kind: str, facts: Any, **changes: Any) -> Record[Any]:
    whole: dict[str, Any] = {
        "kind": kind,
        "created": "2025-03-01T00:00:00+00:00",
        "command": ["groma", kind],
        "build": Build(version="0"),
        "environment": {},
        "parameters": {},
        "samples": {},
        "facts": facts,
    }
    return Record(**{**whole, **changes})


def changed(record: Record[Any], **changes: Any) -> Record[Any]:
    """A record with other facts."""
    return msgspec.structs.replace(record, facts=msgspec.structs.replace(record.facts, **changes))


def measured(value: float, unit: str, **changes: Any) -> Quantity:
    samples = SampleSummary(n=5, min=value * 0.9, p5=value * 0.9, p50=value, p95=value * 1.1)
    bounds = {"low": value * 0.9, "high": value * 1.1, "confidence": 0.94}
    return Quantity(
        **{"value": value, "unit": unit, **bounds, "method": "median", "samples": samples, **changes}
    )


def check_of(name: str, **changes: Any) -> CheckResult:
    return CheckResult(**{"name": name, "value": 0.5, "limit": 16.0, "passed": True, **changes})


def simulated(workload: str, **fields: Any) -> TorusFacts:
    """Of a run on a small torus."""
    usual: dict[str, Any] = {
        "machine": "bluegene-p",
        "title": "torus 2x2",
        "shape": [2, 2],
        "closed": [True, True],
        "axes": ["x", "y"],
        "frequency": 850e6,
        "time": measured(1e-3, "s"),
        "packets": 1,
        "packet_hops": 1,
        "stalls": TokenStalls(cycles=0.0, share=0.0),
    }
    return TorusFacts(workload=workload, **{**usual, **fields})


def placed(rank: int, cpus: Sequence[int], host: str = "one", boot_id: str = "boot") -> RankPlace:
    return RankPlace(rank=rank, host=host, boot_id=boot_id, cpus=list(cpus))


def launch_of(**changes: Any) -> Launch:
    whole: dict[str, Any] = {
        "launcher": "mpirun",
        "command": "mpirun -n 2 groma-hpcc",
        "ranks": 2,
        "nodes": 1,
        "threads": 1,
        "binding": "core",
        "inter_node": False,
        "mpi": "Open MPI 4",
        "blas": "OpenBLAS 0.3",
        "placement": [placed(0, [0]), placed(1, [1])],
    }
    return Launch(**{**whole, **changes})


TWO_MACHINES = [placed(rank, [0], f"node{rank}", str(rank)) for rank in (0, 1)]


def samples_of(probe: str, *sampled: tuple[dict[str, Any], list[float]]) -> dict[str, ProbeSamples]:
    """Samples of a test: the labels of each case with its values."""
    cases, values = [list(some) for some in zip(*sampled, strict=True)] if sampled else ([], [])
    return {probe: ProbeSamples(probe=probe, cases=cases, values=values)}


def of_ranks(labels: dict[str, Any], *by_rank: list[float]) -> list[tuple[dict[str, Any], list[float]]]:
    """A series with one case for each rank."""
    return [({**labels, "rank": rank}, values) for rank, values in enumerate(by_rank)]


# ---- pages -------------------------------------------------------------------------------------------------


def compared(*records: Record[Any]) -> list[PageSection]:
    """Records called "one", "two", "three" beside each other."""
    names = ("one", "two", "three")
    return comparison_of([Named(name, record) for name, record in zip(names, records, strict=False)])


def ids_of(record: Record[Any]) -> list[str]:
    return [section.id for section in sections_of(record)]


def blocks_in(sections: Sequence[PageSection]) -> list[Block]:
    return [block for section in sections for block in section.blocks]


def figures_in(sections: Sequence[PageSection]) -> list[Figure]:
    """All figures, those that can be chosen among them."""
    found = []
    for block in blocks_in(sections):
        if isinstance(block, Figure):
            found.append(block)
        elif isinstance(block, Choice):
            found.extend(option.figure for option in block.options)
    return found


def figure_in(sections: Sequence[PageSection], name: str) -> Figure:
    found = [figure for figure in figures_in(sections) if figure.id == name]
    assert found, f"no figure {name}"
    return found[0]


def drawing_in(sections: Sequence[PageSection], name: str, kind: type[D]) -> D:
    drawing = figure_in(sections, name).drawing
    assert isinstance(drawing, kind)
    return drawing


def rows_in(sections: Sequence[PageSection], name: str) -> list[list[Any]]:
    table = figure_in(sections, name).table
    assert table is not None
    return [list(row) for row in table.rows]


def banner_in(sections: Sequence[PageSection]) -> Banner:
    return next(block for block in blocks_in(sections) if isinstance(block, Banner))


def tiles_in(sections: Sequence[PageSection]) -> list[Tile]:
    return [tile for block in blocks_in(sections) if isinstance(block, Tiles) for tile in block.tiles]


def leads_in(sections: Sequence[PageSection]) -> list[str]:
    return [block.text for block in blocks_in(sections) if isinstance(block, Lead)]


def notes_in(sections: Sequence[PageSection]) -> list[str]:
    return [block.text for block in blocks_in(sections) if isinstance(block, Note)]


def assert_whole(figures: Sequence[Figure]) -> None:
    """Every figure has a name of its own, a caption, and rows as wide as its columns."""
    assert len({figure.id for figure in figures}) == len(figures)
    for figure in figures:
        assert figure.title, figure.id
        assert figure.what, figure.id
        if figure.table is None:
            assert isinstance(figure.drawing, HeatMap), figure.id
            continue
        assert figure.table.rows, figure.id
        widths = {len(row) for row in figure.table.rows}
        assert widths == {len(figure.table.columns)}, figure.id
