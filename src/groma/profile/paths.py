"""The profile that programs use if they name none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

from groma.errors import ExitCode, GromaError
from groma.record.data_folder import data_folder
from groma.record.reading import known

_FILE = "profile.json"
_SITE = "groma"


def default_path() -> Path:
    """$GROMA_PROFILE, else the first of the user's and the site's that exists, else the user's."""
    candidates = list(_candidates())
    return next((path for path in candidates if known(path.exists)), candidates[0])


def own_path() -> Path:
    """Where `groma survey --default` writes: $GROMA_PROFILE, else the user's.

    Raises GromaError (exit code 4) where no folder of the user is known: that of the site serves all users.
    """
    named, own = os.environ.get("GROMA_PROFILE"), data_folder()
    if named:
        return Path(named)
    if own is None:
        raise GromaError(
            "no folder for your profile is known: HOME is not set to one",
            "name a file in GROMA_PROFILE, or write it with -o",
            ExitCode.ENVIRONMENT,
        )
    return own / _FILE


def _candidates() -> Iterator[Path]:
    """The most important one first, by the XDG base directory specification: relative folders do not count.

    Raises GromaError (exit code 4) if there is none.
    """
    named = os.environ.get("GROMA_PROFILE")
    if named:
        yield Path(named)
        return
    folders = [*_folders()]
    if not folders:
        raise GromaError(
            "no folder for a profile is known", "name a file in GROMA_PROFILE", ExitCode.ENVIRONMENT
        )
    yield from (folder / _FILE for folder in folders)


def _folders() -> Iterator[Path]:
    own = data_folder()
    if own is not None:
        yield own
    for folder in (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":"):
        if folder.startswith("/"):
            yield Path(folder, _SITE)
