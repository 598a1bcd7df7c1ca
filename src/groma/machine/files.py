"""Machine files: those that come with groma and those of a user, refused by place where they are broken."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

import groma
from groma.errors import GromaError
from groma.machine.allowed import keys_at, places, words_at
from groma.machine.description import Machine
from groma.record.reading import read_toml
from groma.spelling import did_you_mean

EXTENDS = "extends"
"""Key of a file that says only in what it differs from a known machine; `without` lists what that has not."""

WITHOUT = "without"

_UNKNOWN_KEY = re.compile(r"unknown field `(?P<key>[^`]*)`(?: - at `\$(?P<path>.*)`)?$")

_BARE = re.compile(r"Expected `object`, got `\w+` - at `\$(?P<path>.*\.(?P<key>\w+))`$")

_UNKNOWN_WORD = re.compile(r"Invalid (?:enum )?value '(?P<word>.*)' - at `\$(?P<path>.*)\.(?P<key>\w+)`$")


class Extension(msgspec.Struct, frozen=True):
    """What a file says of the machine that it differs from; its other keys are those of a machine."""

    extends: str
    without: list[str] = []


def machines_folder() -> Path:
    """The files that come with groma: inside the installed package, or at the root of its source tree."""
    package = Path(groma.__file__).parent
    inside = package / "machines"
    return inside if inside.is_dir() else package.parents[1] / "machines"


def known_machines(folder: Path | None = None) -> list[str]:
    return sorted(file.stem for file in (folder or machines_folder()).glob("*.toml"))


def find_machine(name: str) -> Machine:
    """The machine that comes with groma under that name, or that of a file: NAME.toml, or a path.

    Raises GromaError (exit code 2) for an unknown name or a file that does not hold a machine.
    """
    if name.endswith(".toml") or "/" in name:
        return read_machine(Path(name))
    return read_machine(_known_file(name))


def _known_file(name: str) -> Path:
    known = known_machines()
    if name not in known:
        raise GromaError(
            f"unknown machine {name!r}",
            f"{did_you_mean(name, known)}known machines: {', '.join(known)}; or give FILE.toml",
        )
    return machines_folder() / f"{name}.toml"


def read_machine(path: Path) -> Machine:
    """The machine in a file. Raises GromaError (exit code 2) that names the file and the place in it."""
    return machine_of(read_toml(path, "check the path, or name a known machine"), str(path))


def machine_of(document: dict[str, Any], name: str) -> Machine:
    """The machine in a parsed TOML document; `name` is how the messages call it. Raises GromaError."""
    try:
        return msgspec.convert(_whole(document, name), Machine)
    except msgspec.ValidationError as error:
        example = f"an example is {machines_folder() / 'bluegene-p.toml'}"
        hint = _known_keys(str(error)) or _allowed_words(str(error)) or _sourced_form(str(error))
        raise GromaError(f"{name} is not a machine file: {error}", f"{hint}{example}") from None


def _whole(document: dict[str, Any], name: str) -> dict[str, Any]:
    """The document laid over the machine that it extends, if it names one; `name` is that of its file."""
    if EXTENDS not in document:
        return document
    extension = msgspec.convert(document, Extension)
    if extension.extends not in known_machines():
        known = ", ".join(known_machines())
        what = f"{name}: {EXTENDS}: {extension.extends!r} is not a machine that comes with groma"
        raise GromaError(what, f"name one of {known}")
    file = _known_file(extension.extends)
    base = _whole(read_toml(file, "name a known machine"), str(file))
    for key in extension.without:
        if key not in base:
            known = ", ".join(key for key, value in base.items() if isinstance(value, dict))
            what = f"{name}: {WITHOUT}: {extension.extends} has no {key!r}"
            raise GromaError(what, f"it has {known}")
    own = {key: value for key, value in document.items() if key not in {EXTENDS, WITHOUT}}
    return _laid_over({key: value for key, value in base.items() if key not in extension.without}, own)


def _laid_over(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Tables are merged key by key, but for a number with its unit and source, which is replaced as one."""
    merged = dict(base)
    for key, value in own.items():
        before = base.get(key)
        both = isinstance(before, dict) and isinstance(value, dict) and "value" not in value
        merged[key] = _laid_over(before, value) if both and before is not None else value
    return merged


def _known_keys(problem: str) -> str:
    """The key that was meant, or all that are known at the place of the unknown one."""
    found = _UNKNOWN_KEY.search(problem)
    if found is None:
        return ""
    path = found["path"] or ""
    known = {key for one in places(Machine, path) for key in keys_at(one)}
    if not path:
        known |= {EXTENDS, WITHOUT}
    return did_you_mean(found["key"], sorted(known)) or f"known there: {', '.join(sorted(known))}; "


def _allowed_words(problem: str) -> str:
    """What may stand in the place of an unknown word, such as a unit."""
    found = _UNKNOWN_WORD.search(problem)
    if found is None:
        return ""
    words = [word for one in places(Machine, found["path"]) for word in words_at(one, found["key"])]
    return f"it must be {' or '.join(dict.fromkeys(words))}; " if words else ""


def _sourced_form(problem: str) -> str:
    """How a value is written with its unit and source, where it stands alone."""
    found = _BARE.search(problem)
    if found is None:
        return ""
    for one in places(Machine, found["path"]):
        if {"value", "source"} <= keys_at(one):
            unit = "".join(f', unit = "{word}"' for word in words_at(one, "unit"))
            return f'write {found["key"]} = {{ value = ...{unit}, source = "..." }}; '
    return ""
