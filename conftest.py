"""What every test needs: no deadlines, and the records that tests read, made once for all workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

settings.register_profile("no deadline", deadline=None)  # no test asserts a time
settings.load_profile("no deadline")


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        # Where it fails it says so, and only the tests fail that read what is missing.
        subprocess.run([sys.executable, Path(__file__).with_name("tools") / "test_data.py"], check=False)
