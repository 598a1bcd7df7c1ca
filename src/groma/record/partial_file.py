"""Where measurements are kept: in a partial record during the run, then in the record itself.

A measurement may have taken hours. If its output can no longer be written, the record goes to the first
writable one of these places, and the message names it: the partial record beside the output, groma's state
folder ($XDG_STATE_HOME, ~/.local/state), the folder of temporary files ($TMPDIR, /tmp).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError
from groma.record.io import encoded_record, write_record
from groma.record.unfinished import PARTIAL, command_line
from groma.record.writing import is_special, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groma.record.record import Record


def partial_path(output: Path) -> Path:
    """The place of the partial record: beside the output, or in groma's state folder if that is a device."""
    folder = state_folder() if is_special(output) else output.parent
    return folder / f"{output.stem}{PARTIAL}"


def write_partial(output: Path, record: Record[Any]) -> Path:
    """Write the partial record and return its place. Raises GromaError (exit code 4) if there is none
    at all, or if the record is too large: what was written before stays, and the message names it.
    """
    places = [partial_path(output), *_elsewhere(output, record)]
    try:
        content = encoded_record(record)
    except GromaError as problem:
        raise _beside_former(problem, places) from problem
    return _written_to_first(places, content)


def _beside_former(problem: GromaError, places: Iterable[Path]) -> GromaError:
    """The problem with the place of the part that an earlier step wrote."""
    former = next((place for place in places if place.is_file()), None)
    if former is None:
        return problem
    return problem.saying(f"{problem.what}; what was measured before is in {former}", problem.next_step)


def finish(output: Path, record: Record[Any], kept: Path | None = None) -> None:
    """Write the whole record and remove the partial one: that of `output`, or of the path `kept`.

    Raises GromaError (exit code 4) if it cannot be written, with the place that holds the record instead.
    """
    kept = kept or output
    try:
        write_record(output, record)
    except GromaError as problem:
        place = write_partial(kept, record)
        what = f"{problem.what}; the whole record is in {place}"
        step = f"{problem.next_step}; show it with: {command_line('groma', 'show', str(place))}"
        raise GromaError(what, step, problem.exit_code) from problem
    remove_partial(kept, record)


def remove_partial(output: Path, record: Record[Any]) -> None:
    """Remove what `write_partial` wrote."""
    for place in (partial_path(output), *_elsewhere(output, record)):
        with suppress(OSError):
            place.unlink(missing_ok=True)


def state_folder() -> Path:
    """What groma keeps for its user between runs, by the XDG base directory specification."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return Path(base if base.startswith("/") else os.path.expanduser("~/.local/state"), "groma")  # noqa: PTH111 - Path raises


def _elsewhere(output: Path, record: Record[Any]) -> Iterator[Path]:
    """The name is the same for all parts of one run and differs between runs."""
    moment = "".join(character for character in record.created[:19] if character.isdigit())
    name = f"{output.stem[:100]}-{moment}-{os.getpid()}.json"
    yield state_folder() / name
    yield Path(os.environ.get("TMPDIR") or "/tmp", name)  # noqa: S108 - by a name of its own, never followed


def _written_to_first(places: list[Path], content: bytes) -> Path:
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
