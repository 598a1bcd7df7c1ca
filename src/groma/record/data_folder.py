"""The folder of what groma keeps for a user, by the XDG base directory specification."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path | None:
    """`groma` in $XDG_DATA_HOME, else in ~/.local/share. Relative folders do not count.

    None where HOME is no folder either. The user database is not asked: libgroma does not ask it.
    """
    data, home = os.environ.get("XDG_DATA_HOME", ""), os.environ.get("HOME", "")
    if data.startswith("/"):
        return Path(data, "groma")
    return Path(home, ".local", "share", "groma") if home.startswith("/") else None
