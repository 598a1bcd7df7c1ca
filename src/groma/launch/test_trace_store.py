"""What groma-trace-store says of a trace is understood, whatever libraries say beside it."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.trace_store import PROGRAM, TraceWarning, print_trace, warnings_in
from scripted import executable

if TYPE_CHECKING:
    from pathlib import Path

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


CHATTER = "for i in range(9000): print('a warning of some library', file=sys.stderr)\n"


def store(folder: Path, body: str) -> str:
    """A program in place of groma-trace-store, and the folder that it is in."""
    start = f'#!/bin/sh\n"exec" "{sys.executable}" "$0" "$@"\nimport sys\n'
    executable(folder / PROGRAM, start + body)
    return str(folder)


def test_what_libraries_say_never_keeps_a_trace_from_being_printed(tmp_path: Path) -> None:
    body = f"{CHATTER}print('printed')\nsys.stderr.write({SAID.decode()!r})\n"
    printed = io.BytesIO()
    warnings = print_trace("text", tmp_path / "t.prv", printed, store(tmp_path, body))
    assert printed.getvalue() == b"printed\n"
    assert [one.code for one in warnings] == ["unsorted"]


def test_a_failure_is_told_in_the_words_of_the_program_not_of_libraries(tmp_path: Path) -> None:
    body = f"{CHATTER}sys.stderr.write('{PROGRAM}: no trace\\n  name one\\n')\nsys.exit(2)\n"
    with pytest.raises(GromaError) as failed:
        print_trace("text", tmp_path / "t.prv", io.BytesIO(), store(tmp_path, body))
    assert (failed.value.what, failed.value.next_step) == ("no trace", "name one")
    assert failed.value.exit_code == ExitCode.USAGE


def test_a_program_of_another_architecture_is_an_environment_error(tmp_path: Path) -> None:
    (tmp_path / PROGRAM).write_bytes(b"\x7fELF\x02\x01\x01\x00garbage")
    (tmp_path / PROGRAM).chmod(0o755)
    with pytest.raises(GromaError, match=f"{PROGRAM} cannot be started: ") as failed:
        print_trace("text", tmp_path / "t.prv", io.BytesIO(), str(tmp_path))
    assert failed.value.exit_code == ExitCode.ENVIRONMENT
