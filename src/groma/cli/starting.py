"""A signal that comes while the command line is still imported.

Until this module is imported Python answers it, with the trace of some import: so it comes first, and imports
little.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from groma.run.signals import handle, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_PROGRAMS = ("/groma", "/groma/__main__.py")


def protect_start() -> None:
    """Until `groma.cli.ending` takes over, nothing has begun: end at once.

    Only in a process that is the command line; whoever imports a part of it keeps its signals.
    """
    if os.path.abspath(sys.argv[0]).endswith(_PROGRAMS):  # noqa: PTH100 - pathlib is slow to import
        handle(_end_at_once)


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, f"groma: interrupted{named(number)}\n".encode())
    os._exit(130)
