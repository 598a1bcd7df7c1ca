"""Where what is measured goes: a partial record while it is being measured, then the record itself.

A measurement may have taken hours. Where its place cannot be written any more, the record goes to the first
of these places that can, and the message names it: beside the output as the partial record, the folder of
groma's state ($XDG_STATE_HOME, ~/.local/state), the folder of temporary files ($TMPDIR, /tmp).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError
from groma.record.io import encoded_record, write_record
from groma.record.unfinished import PARTIAL
from groma.record.writing import is_special, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record.record import Record


def partial_path(output: Path) -> Path:
    """Where what is done waits until all is: beside the output, with the state of groma for a device."""
    folder = state_folder() if is_special(output) else output.parent
    return folder / f"{output.stem}{PARTIAL}"


def keep_partial(output: Path, record: Record[Any]) -> Path:
    """Write what is done, and say where. Raises GromaError (exit code 4) where there is no place at all."""
    return _written_to_first([partial_path(output), *_elsewhere(output, record)], record)


def finish(output: Path, record: Record[Any]) -> None:
    """Write the whole record; the partial one goes.

    Raises GromaError (exit code 4) where it cannot be written, with the place that holds it instead.
    """
    try:
        write_record(output, record)
    except GromaError as problem:
        place = keep_partial(output, record)
        what, step = f"{problem.what}; the whole record is in {place}", f"look at it with: groma show {place}"
        raise GromaError(what, f"{problem.next_step}; {step}", problem.exit_code) from problem
    forget_partial(output, record)


def forget_partial(output: Path, record: Record[Any]) -> None:
    """Remove what `keep_partial` wrote."""
    for place in (partial_path(output), *_elsewhere(output, record)):
        with suppress(OSError):
            place.unlink(missing_ok=True)


def state_folder() -> Path:
    """Of what groma keeps for its user between runs, by the XDG base directory specification."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return Path(base if base.startswith("/") else os.path.expanduser("~/.local/state"), "groma")  # noqa: PTH111 - Path raises


def _elsewhere(output: Path, record: Record[Any]) -> Iterator[Path]:
    """The same name for all parts of one run, another one for every run."""
    moment = "".join(character for character in record.created[:19] if character.isdigit())
    name = f"{output.stem[:100]}-{moment}-{os.getpid()}.json"
    yield state_folder() / name
    yield Path(os.environ.get("TMPDIR") or "/tmp", name)  # noqa: S108 - by a name of its own, never followed


def _written_to_first(places: list[Path], record: Record[Any]) -> Path:
    content = encoded_record(record)
    for place in places:
        with suppress(OSError, ValueError):
            if place.parent == state_folder():
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(place, content)
            return place
    raise GromaError(
        f"the record cannot be written anywhere: {', '.join(map(str, places))}",
        "free some space in one of these folders",
        ExitCode.ENVIRONMENT,
    )
