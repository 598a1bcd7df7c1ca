"""How the tracer gets into processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.errors import GromaError
from groma.trace.preload import Recording, variables

LOGS = Path("logs")


def of(library: str) -> dict[str, str]:
    return variables(Path(library), LOGS, Recording())


def test_the_library_is_preloaded_before_what_is_preloaded_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    assert of("/a/libgroma-trace.so")["LD_PRELOAD"] == "/a/libgroma-trace.so"
    assert "LD_LIBRARY_PATH" not in of("/a/libgroma-trace.so")
    monkeypatch.setenv("LD_PRELOAD", "/b.so")
    assert of("/a/libgroma-trace.so")["LD_PRELOAD"] == "/a/libgroma-trace.so:/b.so"


def test_a_folder_with_a_space_is_searched_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/lib")
    found = of("/my projects/libgroma-trace.so")
    assert (found["LD_PRELOAD"], found["LD_LIBRARY_PATH"]) == ("libgroma-trace.so", "/my projects:/lib")


def test_a_folder_with_a_colon_is_refused() -> None:
    with pytest.raises(GromaError, match="colon"):
        of("/a:b/libgroma-trace.so")
