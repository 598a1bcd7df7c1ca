"""groma sim torus study as its users type it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.cli.main import run
from groma.cli.test_support import answer, refusal
from groma.errors import ExitCode
from groma.facts.opening import records_in
from groma.report.blocks import Figure, LineChart, Tiles
from groma.report.views.registry import sections_of
from groma.sim.torus.conftest import FakeTorus, result, torus_program

if TYPE_CHECKING:
    from pathlib import Path

    Captured = pytest.CaptureFixture[str]

__all__ = ["torus_program"]


pytestmark = pytest.mark.usefixtures("nothing_configured")


def test_studies_are_listed_where_none_is_named(capsys: Captured) -> None:
    assert run(["sim", "torus", "study", "--json"]) == ExitCode.OK
    assert {one["name"] for one in answer(capsys)} >= {"latency", "table-3", "table-4"}


@pytest.mark.parametrize(
    ("words", "what", "step"),
    [
        (["tabel-4"], "unknown study", "did you mean table-4?"),
        (["table-4", "--only", "multicore"], "no table or row 'multicore'", "did you mean multi-core?"),
        (["table-4", "--time-limit", "soon"], "is not a time", "2m"),
    ],
)
def test_wrong_studies_are_refused_before_anything_runs(
    words: list[str], what: str, step: str, torus_program: FakeTorus, capsys: Captured
) -> None:
    assert run(["sim", "torus", "study", *words]) == ExitCode.USAGE
    said = refusal(capsys)
    assert what in said[0]
    assert step in said[1]
    assert not torus_program.was_started


def test_a_study_prints_paper_simulation_and_difference(
    torus_program: FakeTorus, tmp_path: Path, capsys: Captured
) -> None:
    given = ["sim", "torus", "study", "table-4", "--only", "multi-core", "--only", "64", "-o", "study.json"]
    assert run(given) == ExitCode.OK
    shown = capsys.readouterr()
    line = next(line for line in shown.out.splitlines() if line.split()[:2] == ["64", "4x4x4"])
    assert line.split()[2:5] == ["30", "0.380", "2.62"]
    assert line.endswith("differs")
    assert "outside the tolerance: multi-core 64 [torus.differs]" in shown.out
    assert shown.err.startswith("1 of 1: multi-core, 64: 2.62 GUP/s")
    assert run(["show", str(tmp_path / "study.json"), "assumed"]) == ExitCode.OK
    assert "network.hop_latency" in capsys.readouterr().out


def test_a_study_becomes_a_page(torus_program: FakeTorus, tmp_path: Path, capsys: Captured) -> None:
    given = ["sim", "torus", "study", "table-3", "--only", "prediction", "-o", "study.json"]
    assert run(given) == ExitCode.OK
    (record,) = records_in(tmp_path / "study.json")
    sections = {one.id: one.blocks for one in sections_of(record)}
    (tiles,) = (one for one in sections["verdict"] if isinstance(one, Tiles))
    assert [(one.value, one.unit) for one in tiles.tiles] == [("0 of 4", "rows agree")]
    figure = sections["results"][0]
    assert isinstance(figure, Figure)
    assert isinstance(figure.drawing, LineChart)
    assert [line.name for line in figure.drawing.series] == ["measured", "simulated"]
    assert [point.x for point in figure.drawing.series[0].points] == [96, 192, 384, 768]
    assert figure.table is not None
    assert [row[0] for row in figure.table.rows] == ["96", "192", "384", "768"]


def test_a_page_of_a_study_judges_the_rows_that_came_to_their_end(
    torus_program: FakeTorus, tmp_path: Path
) -> None:
    torus_program.answers(result(finished=False))
    given = ["sim", "torus", "study", "table-3", "--only", "prediction", "-o", "study.json"]
    assert run(given) == ExitCode.OK
    (record,) = records_in(tmp_path / "study.json")
    (tiles,) = (one for part in sections_of(record) for one in part.blocks if isinstance(one, Tiles))
    assert [(one.value, one.lines) for one in tiles.tiles] == [("0 of 0", ["4 rows cut short"])]
