"""What tests of verbs share: what a verb printed, and what may happen to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from pathlib import Path

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


def disk_is_full(path: Path, _record: object) -> None:
    """In the place of what writes a record."""
    raise GromaError(f"cannot write {path}", "free some space", ExitCode.ENVIRONMENT)
