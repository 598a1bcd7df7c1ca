"""Two runs at the same time never share a partial record."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.record.partial_file import partial_path
from groma.run.interruption import Interruption
from groma.run.sole_writer import sole_writer
from groma.run.test_run import FakeTask, broken, run_of, tasks

HOLDS = """
import sys, time
from pathlib import Path
from groma.run.sole_writer import sole_writer
with sole_writer(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_second_run_is_refused_and_names_the_first(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    with sole_writer(output), pytest.raises(GromaError) as refused:
        run_of(output, tasks()).run(Interruption())
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert f"another run of groma writes to {tmp_path / 'r.partial.json'}" in refused.value.what
    assert f"process {os.getpid()} on " in refused.value.what
    assert "-o" in refused.value.next_step


def test_the_partial_record_of_the_first_run_stays_as_it_was(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    partial = partial_path(output)

    class Meanwhile(FakeTask):
        def measure(self, *arguments: object) -> None:
            before = partial.read_bytes()
            with pytest.raises(GromaError, match="another run"):
                run_of(output, tasks()).run(Interruption())
            assert partial.read_bytes() == before
            super().measure(*arguments)  # type: ignore[arg-type]

    record = run_of(output, tasks(two=Meanwhile("two"))).run(Interruption())
    assert record.facts == {"samples": 3}


@pytest.mark.parametrize("name", ["other.json", "r.txt.json"])
def test_runs_with_other_outputs_go_on_side_by_side(name: str, tmp_path: Path) -> None:
    with sole_writer(tmp_path / "r.json"):
        run_of(tmp_path / name, tasks()).run(Interruption())


def test_nothing_is_left_of_a_run_however_it_ends(tmp_path: Path) -> None:
    run_of(tmp_path / "r.json", tasks()).run(Interruption())
    with pytest.raises(GromaError):
        run_of(tmp_path / "s.json", tasks(one=broken("one"))).run(Interruption())
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_a_run_that_was_killed_is_in_nobodys_way(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    words = [sys.executable, "-c", HOLDS, str(output)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(GromaError, match=f"process {first.pid} on "), sole_writer(output):
            pass
        first.send_signal(signal.SIGKILL)
    with sole_writer(output):
        pass
    assert list(tmp_path.iterdir()) == []


def test_devices_are_not_kept_apart() -> None:
    with sole_writer(Path("/dev/null")), sole_writer(Path("/dev/null")):
        pass


def test_a_file_system_that_cannot_lock_is_no_reason_to_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", unable)
    run_of(tmp_path / "r.json", tasks()).run(Interruption())
    assert (tmp_path / "r.json").exists()
