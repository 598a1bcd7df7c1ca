"""A launch that is killed leaves neither processes nor files, and takes nothing of others."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from groma.run.session import Session, marked, new_mark

if TYPE_CHECKING:
    from pathlib import Path

HOLDING = """
import mmap, os, sys
for name in sys.argv[1:]:
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(fd, 4096)
    mmap.mmap(fd, 4096)
    held = globals().setdefault("held", [])
    held.append(mmap.mmap(fd, 4096))
print("holding", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shm"
    folder.mkdir()
    return folder


def holder(*paths: Path) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDING, *map(str, paths)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"holding\n"
    return child


def ended(session: Session, child: subprocess.Popen[bytes]) -> None:
    session.kill()
    child.communicate()
    session.clear()


def test_what_the_killed_held_is_removed_and_nothing_else(shared: Path, tmp_path: Path) -> None:
    own, common, foreign, idle = (shared / name for name in ("own", "common", "foreign", "idle"))
    idle.write_bytes(b"of somebody who is gone")
    child, other = holder(own, common), holder(common, foreign)
    ended(Session(child.pid, shared, tmp_path), child)
    assert sorted(path.name for path in shared.iterdir()) == ["common", "foreign", "idle"]
    ended(Session(other.pid, shared, tmp_path), other)
    assert [path.name for path in shared.iterdir()] == ["idle"]


def test_the_directory_of_a_killed_open_mpi_goes_with_its_segments(shared: Path, tmp_path: Path) -> None:
    """Also where no rank lives any more that would hold them."""
    base = tmp_path / "ompi.vm.0"
    mine, other = base / "pid.20352" / "pmix_dstor_ds21_20352", base / "pid.20393" / "pmix_dstor_ds21_20393"
    for folder, job in ((mine, 0x237E0001), (other, 0x23570001)):
        folder.mkdir(parents=True)
        (folder / f"smdataseg-{job}-0").touch()
        for rank in (0, 1):
            (shared / f"vader_segment.vm.0.{job:08x}.{rank}").touch()
        (shared / f"osc_sm.vm.{job:08x}.0.3").touch()
    Session(20352, shared, tmp_path).clear()
    assert [path.name for path in base.iterdir()] == ["pid.20393"]
    assert len(list(shared.iterdir())) == 3
    assert all("23570001" in path.name for path in shared.iterdir())
    Session(20393, shared, tmp_path).clear()
    assert not base.exists()
    assert not list(shared.iterdir())


@pytest.mark.parametrize("name", ["prte.vm.412.0", "prterun.vm.412.0"])
def test_the_session_directory_of_a_killed_open_mpi_5_goes(shared: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name / "0").mkdir(parents=True)
    (tmp_path / name.replace("412", "4123")).mkdir()
    Session(412, shared, tmp_path).clear()
    assert not (tmp_path / name).exists()
    assert (tmp_path / name.replace("412", "4123")).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_belongs_to_another_user_stays(shared: Path, tmp_path: Path) -> None:
    path = shared / "theirs"
    child = holder(path)
    os.chown(path, 12345, 12345)
    ended(Session(child.pid, shared, tmp_path), child)
    assert path.exists()


def test_a_launcher_that_cleaned_up_leaves_nothing_to_do(shared: Path, tmp_path: Path) -> None:
    Session(412, shared, tmp_path).clear()
    assert not list(shared.iterdir())


def test_a_launch_within_a_launch_bears_both_marks() -> None:
    outer, inner = new_mark(), new_mark()
    (value,) = marked(marked({}, outer), inner).values()
    assert outer in value
    assert inner in value
