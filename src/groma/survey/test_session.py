"""What a dry run says of the record that it would resume."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from groma.record import ProbeSamples
from groma.survey import session
from groma.survey.plan import Plan, Step

if TYPE_CHECKING:
    import pytest


def test_a_dry_run_says_what_does_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    done = ProbeSamples(probe="clock", cases=[], values=[], parameters={"depth": "quick"}, ended="stable")
    record = SimpleNamespace(samples={"clock": done})
    monkeypatch.setattr(session, "node_record", lambda *_, **__: SimpleNamespace(record=record))
    steps = tuple(Step(name, name, {"depth": "quick"}, 1.0) for name in ("clock", "tlb_reach"))
    notes = session.resumed_notes(Path("groma-probe"), Plan("quick", steps), Path("r.json"))
    assert notes == ("r.partial.json has 1 of 2 probes, which will not run again: clock",)
    record.samples = {}
    notes = session.resumed_notes(Path("groma-probe"), Plan("quick", steps), Path("r.json"))
    assert notes == ("r.partial.json has 0 of 2 probes",)


def test_seed_is_that_of_the_user_else_of_the_resumed_record_else_a_random_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "random_seed", lambda: 5)
    for recorded, expected in ((77, 77), (None, 5)):
        monkeypatch.setattr(session, "recorded_seed", lambda _, seed=recorded: seed)
        assert session.seed_for(Path("r.json"), None, resume=True) == expected
        assert session.seed_for(Path("r.json"), None, resume=False) == 5
        assert session.seed_for(Path("r.json"), 9, resume=True) == 9
