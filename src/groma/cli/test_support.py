"""What a verb that was run has printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    Captured = pytest.CaptureFixture[str]


def answer(captured: Captured) -> Any:
    """The JSON that was printed."""
    return json.loads(captured.readouterr().out)


def refusal(captured: Captured) -> tuple[str, str]:
    """What is wrong, and the step, after checking that it is one line each."""
    shown = captured.readouterr()
    assert shown.out == ""
    what, step = shown.err.splitlines()
    assert what.startswith("groma: ")
    assert step.startswith("  -> ")
    return what, step
