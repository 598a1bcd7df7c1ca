"""The commented file that `groma config init` writes."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from groma.config.settings import Key, keys
from groma.errors import GromaError
from groma.record.reading import known
from groma.record.writing import make_folder, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OPENING = """\
# Settings of groma. Every line is commented out and shows the built-in value, or an example.
# To print the settings in force and their origins: groma config show --origin
"""


def default_file() -> str:
    """Valid TOML; taking away a `# ` in front of a key sets it to its built-in value, or to an example."""
    return "\n".join([_OPENING, *_sections()])


def _sections() -> Iterator[str]:
    for section, members in groupby(keys().values(), key=lambda key: key.section):
        yield f"[{section}]"
        for key in members:
            yield f"# {key.about}"
            example = "  # an example: there is no built-in value" if key.default is None else ""
            yield f"# {key.key} = {_toml(key)}{example}"
            yield ""


def _toml(key: Key) -> str:
    """The built-in value in TOML, which has no null: an example stands for it."""
    if key.default is None:
        return {"survey.seed": "1", "native.path": '"/opt/groma/bin"'}[key.name]
    return to_toml(key.default)


def to_toml(value: Any) -> str:
    """A setting's value as TOML writes it."""
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML spells as JSON does
    return str(value).lower()


def write_default_file(path: Path, option: str) -> None:
    """Write the commented file; `option` is what names another place.

    Raises GromaError: exit code 2 where `path` exists already, 4 where it cannot be written.
    """
    if known(path.exists):
        raise GromaError(f"{path} exists already", "edit it, or move it first")
    if not known(path.parent.is_dir):
        make_folder(path.parent, option)
    write_atomically(path, default_file().encode(), option)
