from __future__ import annotations

from pathlib import Path

import pytest

from groma.record.data_folder import data_folder


@pytest.mark.parametrize(
    ("data", "home", "expected"),
    [
        ("/data", "/home/a", "/data/groma"),
        ("", "/home/a", "/home/a/.local/share/groma"),
        ("data", "/home/a", "/home/a/.local/share/groma"),
        (None, "/", "/.local/share/groma"),
        ("data", "a", None),
        ("", "", None),
        (None, None, None),
    ],
)
def test_the_folder_is_that_of_the_variable_else_of_the_home(
    data: str | None, home: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("XDG_DATA_HOME", data), ("HOME", home)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert data_folder() == (expected and Path(expected))
