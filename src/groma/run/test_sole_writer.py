"""Two runs at the same time never share a partial record."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.record.partial_file import partial_path
from groma.run.interruption import Interruption
from groma.run.sole_writer import sole_writer
from groma.run.test_run import FakeTask, broken, run_of, tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.run.partial import PartialRecord
    from groma.run.run import Follower

HOLDS = """
import sys, time
from pathlib import Path
from typing import TYPE_CHECKING, Any
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


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "groma"


DEVICE = Path("/dev/null")


@pytest.mark.usefixtures("state")
def test_runs_to_one_device_go_on_side_by_side() -> None:
    with sole_writer(DEVICE), sole_writer(DEVICE):
        run_of(DEVICE, tasks()).run(Interruption())


def test_runs_to_one_device_keep_partial_records_of_their_own(state: Path) -> None:
    first = partial_path(DEVICE)

    class Meanwhile(FakeTask):
        def measure(self, *arguments: object) -> None:
            before = first.read_bytes()
            run_of(DEVICE, tasks()).run(Interruption())
            with pytest.raises(GromaError, match="saved in ") as problem:
                run_of(DEVICE, tasks(two=broken("two"))).run(Interruption())
            assert first.read_bytes() == before
            kept.append(Path(problem.value.what.rpartition(" ")[2]))
            super().measure(*arguments)  # type: ignore[arg-type]

    kept: list[Path] = []
    run_of(DEVICE, tasks(two=Meanwhile("two"))).run(Interruption())
    assert list(state.iterdir()) == kept
    assert list(json.loads(kept[0].read_bytes())["samples"]) == ["one"]


def test_a_record_that_a_device_does_not_take_is_kept_beside_that_of_another_run(state: Path) -> None:
    full = Path("/dev/full")

    class Taken(FakeTask):
        """The device takes nothing any more once the run has begun."""

        def measure(self, partial: PartialRecord[Any], follower: Follower) -> None:
            partial.output = full
            super().measure(partial, follower)

    with sole_writer(DEVICE), pytest.raises(GromaError, match="the whole record is in ") as problem:
        run_of(DEVICE, tasks(two=Taken("two"))).run(Interruption())
    assert problem.value.exit_code == ExitCode.ENVIRONMENT
    (whole,) = state.iterdir()
    assert problem.value.what.endswith(str(whole))
    assert json.loads(whole.read_bytes())["facts"] == {"samples": 3}


def test_a_file_system_that_cannot_lock_is_no_reason_to_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", unable)
    run_of(tmp_path / "r.json", tasks()).run(Interruption())
    assert (tmp_path / "r.json").exists()


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder in which every user may write."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@contextmanager
def another_user(*files: Path) -> Iterator[None]:
    """Who may read these files but not write to them; only root can become somebody else."""
    if os.geteuid() == 0:
        os.seteuid(12345)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        before = [file.stat().st_mode for file in files]
        for file in files:
            file.chmod(0o444)
        yield
        for file, mode in zip(files, before, strict=True):
            if file.exists():
                file.chmod(mode)


def lock_of(output: Path) -> Path:
    return output.with_name(f".{partial_path(output).name}.lock")


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_the_run_of_another_user_is_refused_as_well(shared: Path, umask: int) -> None:
    output = shared / "r.json"
    before = os.umask(umask)
    try:
        with sole_writer(output), another_user(lock_of(output)):
            with pytest.raises(GromaError, match=f"process {os.getpid()} on "), sole_writer(output):
                pass
            assert lock_of(output).exists()
    finally:
        os.umask(before)


def test_a_lock_that_another_user_left_behind_is_in_nobodys_way(shared: Path) -> None:
    output = shared / "r.json"
    lock_of(output).write_text("process 1 on walnut\n")
    lock_of(output).chmod(0o644)
    with another_user(lock_of(output)):
        with sole_writer(output), pytest.raises(GromaError, match="another run"), sole_writer(output):
            pass
        assert list(shared.iterdir()) == []


def test_a_lock_of_another_user_that_nobody_may_open_is_a_reason_to_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, *_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    output = tmp_path / "r.json"
    monkeypatch.setattr("groma.run.sole_writer.os.open", refused)
    with sole_writer(output):  # where nobody has a lock, it is the folder that takes none
        pass
    lock_of(output).write_bytes(b"")
    with pytest.raises(GromaError, match="of another user may write") as refusal, sole_writer(output):
        pass
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT
    assert "-o" in refusal.value.next_step


def test_a_lock_of_another_user_that_the_file_system_takes_from_its_owner_only_is_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As NFS does, which locks what is open for writing."""

    def unable(*_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", unable)
    with pytest.raises(GromaError, match="of another user may write"), sole_writer(tmp_path / "r.json"):
        pass
