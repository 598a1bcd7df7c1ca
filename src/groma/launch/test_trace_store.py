"""What groma-trace-store says of a trace is understood, whatever libraries say beside it."""

from __future__ import annotations

from groma.launch.trace_store import TraceWarning, warnings_in

SAID = b'{"warnings":[{"code":"unsorted","text":"lines out of order: sorted","count":1200,"line":9}]}\n'


def test_warnings_are_found_among_what_libraries_say() -> None:
    for said in (SAID, b"libgomp: x\n" + SAID, SAID + b"\xff\n"):
        assert warnings_in(said) == [TraceWarning("unsorted", "lines out of order: sorted", 1200, 9)]


def test_a_trace_of_which_nothing_is_said_has_no_warnings() -> None:
    assert warnings_in(b"") == []
    assert warnings_in(b"libgomp: x\n") == []


def test_a_warning_is_shown_with_its_number_and_first_line() -> None:
    (one,) = warnings_in(SAID)
    assert str(one) == "lines out of order: sorted (1,200, first in line 9)"
