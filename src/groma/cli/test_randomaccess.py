"""What groma randomaccess makes of a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groma.cli.main import run
from groma.cli.test_support import disk_is_full
from groma.errors import ExitCode
from groma.facts.randomaccess_errors import KIND
from groma.randomaccess.infer_errors import error_facts
from groma.run.events import collect_samples
from groma.run.provenance import analysis_record

pytestmark = pytest.mark.usefixtures("nothing_configured")

RECORDED = Path(__file__).parents[3] / "tests" / "data" / "randomaccess" / "errors-2-threads.jsonl"


def test_runs_whose_record_cannot_be_kept_are_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the disk was filled while they ran."""
    facts = error_facts(collect_samples("errors", RECORDED.read_bytes().splitlines(keepends=True)))
    monkeypatch.setattr("groma.randomaccess.run.measure_errors", lambda *_: analysis_record(KIND, facts))
    monkeypatch.setattr("groma.record.partial_file.finish", disk_is_full)
    code = run(["randomaccess", "errors", "-o", "errors.json", "--json"])
    assert code == ExitCode.ENVIRONMENT
    assert json.loads(capsys.readouterr().out)["facts"]["table_words"] == facts.table_words
