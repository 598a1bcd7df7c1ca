"""A run that was cut short tells how far it came, what is missing, and how to finish it."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.record.partial_file import partial_path
from groma.record.unfinished import Steps, is_partial, output_of, unfinished


def test_what_was_planned_and_is_not_there_is_named() -> None:
    steps = Steps(
        noun="probe", planned=14, done=5, interrupted=["tlb_reach"], failed=["clock"], missing=["a", "b"]
    )
    state = unfinished(steps, "finish it")
    assert state is not None
    assert state.what == "unfinished: 5 of 14 probes done"
    assert state.details == ["interrupted: tlb_reach", "failed: clock", "not measured: a, b"]
    assert (state.planned, state.done, state.next) == (14, 5, "finish it")


@pytest.mark.parametrize(
    ("noun", "planned", "words"),
    [("probe", 1, "0 of 1 probe"), ("launch", 3, "0 of 3 launches"), ("test", 2, "0 of 2 tests")],
)
def test_numbers_and_nouns_agree(noun: str, planned: int, words: str) -> None:
    state = unfinished(Steps(noun=noun, planned=planned, done=0, missing=["a"]), "")
    assert state is not None
    assert words in state.what


def test_a_run_whose_steps_failed_came_to_its_end() -> None:
    assert unfinished(Steps(noun="probe", planned=2, done=1, failed=["clock"]), "") is None


def test_the_output_of_a_partial_record_leads_back_to_it() -> None:
    for output in (Path("p.json"), Path("a.b/c.d.json")):
        assert is_partial(partial_path(output))
        assert output_of(partial_path(output)) == output
    assert not is_partial(Path("p.json"))
