"""Records of a trace are read whatever libraries say meanwhile. The program is a script here."""

from __future__ import annotations

import signal
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.trace_store import PROGRAM
from groma.trace.rows import TraceRows, rows_of
from scripted import executable

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

CHATTER = "sys.stderr.write('a warning of some library\\n' * 9000); sys.stderr.flush()\n"

TRACE = """
import json, struct
def frame(kind, columns, rows, content):
    sys.stdout.buffer.write(struct.pack("=IIQ", kind, columns, rows) + content)
head = dict(created="", duration=9, nodes=[], objects=[], states=[], types=[])
text = json.dumps(head).encode()
frame(0, 0, len(text), text)
frame(1, 4, 1, struct.pack("=4Q", 0, 1, 2, 3))
"""

WARNING = """
print(json.dumps({"warnings": [{"code": "unsorted", "text": "", "count": 1, "line": 2}]}), file=sys.stderr)
"""


def store(folder: Path, body: str) -> str:
    start = f'#!/bin/sh\n"exec" "{sys.executable}" "$0" "$@"\nimport sys\n'
    executable(folder / PROGRAM, start + body)
    return str(folder)


def test_what_libraries_say_never_keeps_records_from_being_read(tmp_path: Path) -> None:
    folder = store(tmp_path, f"{CHATTER}{TRACE}{CHATTER}{WARNING}")
    with closing(rows_of(tmp_path / "t.prv", folder)) as rows:
        (frame,) = rows
    assert (rows.head.duration, frame.kind, frame.rows.tolist()) == (9, "states", [[0, 1, 2, 3]])
    assert [one.code for one in rows.warnings] == ["unsorted"]


def test_a_trace_that_is_refused_is_refused_in_the_words_of_the_program(tmp_path: Path) -> None:
    folder = store(tmp_path, f"{CHATTER}sys.exit('{PROGRAM}: no trace')")
    with pytest.raises(GromaError) as refused:
        rows_of(tmp_path / "t.prv", folder)
    assert (refused.value.what, refused.value.exit_code) == ("no trace", ExitCode.ENVIRONMENT)


def test_records_that_nobody_reads_any_more_end_the_program(tmp_path: Path) -> None:
    """It ends at what nobody takes."""
    folder = store(tmp_path, f"{TRACE}while True: frame(1, 4, 1, bytes(32))\n")
    rows = rows_of(tmp_path / "t.prv", folder)
    assert next(iter(rows)).kind == "states"
    rows.close()
    assert rows._running.returncode is not None


def test_a_program_of_another_architecture_is_an_environment_error(tmp_path: Path) -> None:
    (tmp_path / PROGRAM).write_bytes(b"\x7fELF\x02\x01\x01\x00garbage")
    (tmp_path / PROGRAM).chmod(0o755)
    with pytest.raises(GromaError, match=f"{PROGRAM} cannot be started: ") as failed:
        rows_of(tmp_path / "t.prv", str(tmp_path))
    assert failed.value.exit_code == ExitCode.ENVIRONMENT


def test_a_program_that_waits_for_a_pipe_ends_where_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def interrupted(rows: TraceRows) -> None:
        started.append(rows._running)
        raise KeyboardInterrupt

    monkeypatch.setattr(TraceRows, "_next", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rows_of(tmp_path / "t.prv", store(tmp_path, "import time; time.sleep(600)\n"))
    assert [one.returncode for one in started] == [-signal.SIGKILL]


def test_a_program_that_waits_amid_a_trace_ends_with_the_last_reader(tmp_path: Path) -> None:
    folder = store(tmp_path, f"{TRACE}sys.stdout.flush(); import time; time.sleep(600)\n")
    rows = rows_of(tmp_path / "t.prv", folder)
    rows.close()
    assert rows._running.returncode == -signal.SIGKILL
