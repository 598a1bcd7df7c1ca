"""Which profile programs open that name none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groma.doctor.finding import CheckContext, Finding, check
from groma.errors import GromaError
from groma.facts.opening import records_in
from groma.facts.survey import KIND
from groma.profile.paths import default_path
from groma.record.reading import is_missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GROUP = "Profile for programs"
MAKE = "groma survey --default"
_VARIABLE = "GROMA_PROFILE"


@check(GROUP)
def default_profile(_observed: CheckContext) -> Iterator[Finding]:
    try:
        path = default_path()
    except GromaError as error:
        yield _finding("profile.nowhere", error.what, error.next_step)
        return
    if is_missing(path):
        yield _finding("profile.missing", f"no default profile: {path} does not exist", MAKE)
        return
    yield _of_file(path)


def _of_file(path: Path) -> Finding:
    # A survey would replace what the variable names, and that may be the only copy of something else.
    is_named = bool(os.environ.get(_VARIABLE))
    repair = f"let {_VARIABLE} name a profile, or unset it" if is_named else MAKE
    try:
        record = records_in(path)[0]
    except GromaError as error:
        what = f"programs cannot read the default profile: {error.what}"
        return _finding("profile.unreadable", what, repair)
    if record.kind != KIND.name:
        return _finding("profile.foreign", f"{path} is a record of kind {record.kind}, no profile", repair)
    named = f" (named by {_VARIABLE})" if is_named else ""
    host = record.environment.get("host") or "a machine without a name"
    what = f"{path}{named}, measured on {host}, {record.created[:10]}"
    return Finding(code="profile", severity="ok", what=what)


def _finding(code: str, what: str, repair: str) -> Finding:
    """Measurements do not suffer by it."""
    return Finding(code=code, severity="info", what=what, repair=repair)
