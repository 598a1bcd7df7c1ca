"""What every test needs: no deadlines, and the records that tests read, made once for all workers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

import polite

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

pytest_plugins = ["installed", "traced"]  # their fixtures

settings.register_profile("no deadline", deadline=None)  # no test asserts a time
settings.load_profile("no deadline")


BEDS = "tests/testbed"


class _Scheduling(LoadFileScheduling):
    """Tests of a file share what its fixtures make; those of beds take turns, in whichever file they are."""

    def _split_scope(self, nodeid: str) -> str:
        return BEDS if nodeid.startswith(f"{BEDS}/") else str(super()._split_scope(nodeid))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Beds first: nothing takes as long as their turns, and the others fill the time in which they wait."""
    items.sort(key=lambda item: not item.nodeid.startswith(f"{BEDS}/"))


@pytest.hookimpl(optionalhook=True)  # `-p no:xdist`
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """What one worker runs, one after the other."""
    return _Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        if folder := polite.preload():
            config.add_cleanup(lambda: shutil.rmtree(folder))
        # Where it fails it says so, and only the tests fail that read what is missing.
        subprocess.run([sys.executable, Path(__file__).with_name("tools") / "test_data.py"], check=False)
