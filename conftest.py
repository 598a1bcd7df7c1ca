"""What every test needs: no deadlines, and the records that tests read, made once for all workers."""

from __future__ import annotations

import os
import shutil
import signal
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
_THREADS = "OPENBLAS_NUM_THREADS"


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


def _import_numpy_for_one_core() -> None:
    """On small matrices a second thread takes as much time again and saves none; programs may have theirs."""
    if _THREADS not in os.environ:
        os.environ[_THREADS] = "1"
        import numpy as np  # noqa: F401, PLC0415 - its BLAS looks once

        del os.environ[_THREADS]


def _heed_signals() -> None:
    """What tests start inherits the signals that nohup, or a shell without job control, has them ignore."""
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    _heed_signals()
    _import_numpy_for_one_core()
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        if folder := polite.preload():
            config.add_cleanup(lambda: shutil.rmtree(folder))
        # Where it fails it says so, and only the tests fail that read what is missing.
        subprocess.run([sys.executable, Path(__file__).with_name("tools") / "test_data.py"], check=False)
