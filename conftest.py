"""What every test needs: no deadlines, and the records that tests read, made once for all workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("no deadline", deadline=None)  # no test asserts a time
settings.load_profile("no deadline")


# Tests of a file share what its fixtures make; those of a bed take turns, wherever they are.
_ONE_AT_A_TIME = Path("tests", "testbed")


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the groups in its own hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Which tests one worker runs, one after the other (pytest-xdist, `--dist loadgroup`)."""
    for item in items:
        folder = item.path.relative_to(item.config.rootpath).parent
        group = str(folder) if folder == _ONE_AT_A_TIME else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        # Where it fails it says so, and only the tests fail that read what is missing.
        subprocess.run([sys.executable, Path(__file__).with_name("tools") / "test_data.py"], check=False)
