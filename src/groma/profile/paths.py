"""The profile that programs use if they name none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

from groma.errors import ExitCode, GromaError
from groma.record.reading import known

_FILE = "groma/profile.json"


def default_path() -> Path:
    """$GROMA_PROFILE, else the first of the user's and the site's that exists, else the user's."""
    candidates = list(_candidates())
    return next((path for path in candidates if known(path.exists)), candidates[0])


def own_path() -> Path:
    """Where `groma survey --default` writes: $GROMA_PROFILE, else the user's.

    Raises GromaError (exit code 4) where no folder of the user is known: that of the site serves all users.
    """
    named, own = os.environ.get("GROMA_PROFILE"), _own_folder()
    if not named and not own.startswith("/"):
        raise GromaError(
            "no folder for your profile is known: HOME is not set to one",
            "name a file in GROMA_PROFILE, or write it with -o",
            ExitCode.ENVIRONMENT,
        )
    return Path(named or Path(own, _FILE))


def _candidates() -> Iterator[Path]:
    """The most important one first, by the XDG base directory specification: relative folders do not count.

    Raises GromaError (exit code 4) if there is none.
    """
    named = os.environ.get("GROMA_PROFILE")
    if named:
        yield Path(named)
        return
    folders = [folder for folder in _folders() if folder.startswith("/")]
    if not folders:
        raise GromaError(
            "no folder for a profile is known", "name a file in GROMA_PROFILE", ExitCode.ENVIRONMENT
        )
    yield from (Path(folder, _FILE) for folder in folders)


def _own_folder() -> str:
    data = os.environ.get("XDG_DATA_HOME", "")
    home = os.environ.get("HOME", "")
    return data if data.startswith("/") else f"{home}/.local/share" if home else ""


def _folders() -> Iterator[str]:
    yield _own_folder()
    yield from (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
