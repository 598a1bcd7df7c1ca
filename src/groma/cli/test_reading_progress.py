"""Who waits for many files sees how many are read."""

from __future__ import annotations

from groma.cli.reading_progress import ReadingProgress


def lines(*reported: tuple[float, int]) -> list[str]:
    """What is said of 3,000 files, of which so many are read at these times."""
    said: list[str] = []
    times = iter([0.0, *(now for now, _ in reported)])
    progress = ReadingProgress(said.append, clock=lambda: next(times))
    for _, done in reported:
        progress(done, 3000)
    return said


def test_a_line_comes_now_and_then() -> None:
    assert lines((1.0, 500), (3.0, 1000), (5.9, 1500), (6.1, 2000)) == [
        "1,000 of 3,000 files read",
        "2,000 of 3,000 files read",
    ]


def test_what_takes_no_time_or_is_done_needs_no_line() -> None:
    assert lines((0.1, 1000), (2.0, 2000)) == []
    assert lines((9.0, 3000)) == []
