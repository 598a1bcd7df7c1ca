"""Who waits for long work sees how far it is."""

from __future__ import annotations

from groma.cli.progress_lines import ProgressLines


def said_of(*reported: tuple[float, str]) -> list[str]:
    """What is said of these lines at these times."""
    said: list[str] = []
    times = iter([0.0, *(now for now, _ in reported)])
    progress = ProgressLines(said.append, silent=3.0, clock=lambda: next(times))
    for _, line in reported:
        progress(line)
    return said


def test_a_line_comes_now_and_then() -> None:
    assert said_of((1.0, "one"), (3.0, "two"), (5.9, "three"), (6.1, "four")) == ["two", "four"]


def test_what_takes_no_time_needs_no_line() -> None:
    assert said_of((0.1, "one"), (2.0, "two")) == []
