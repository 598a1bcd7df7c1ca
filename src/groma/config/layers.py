"""Layers of settings and where each value came from.

Later layers win: built-in, system file, user file, project file, GROMA_* variables, command line.
"""

from __future__ import annotations

import difflib
import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from groma.config.settings import Key, Settings, keys, objection
from groma.errors import ExitCode, GromaError
from groma.record.reading import cause_of, read_toml
from groma.spelling import did_you_mean

USER_FILE = "groma/config.toml"
PROJECT_FILE = "groma.toml"

_ALIKE = 0.7
"""Share of equal letters from which on a variable is taken for a misspelt setting, such as GROMA_DEPTH."""


_LONGEST_SHOWN = 80


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a value was set: `layer` is built-in, system, user, project, environment or command line."""

    layer: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.layer} ({self.place})" if self.place else self.layer


BUILT_IN = Origin(layer="built-in")


class LayerValue(msgspec.Struct, frozen=True):
    """One value of one key as a layer gives it. Text of a variable is not typed yet (`strict` is False)."""

    name: str
    value: Any
    origin: Origin
    strict: bool = True


class Resolved(msgspec.Struct, frozen=True):
    """Settings with the origin of every key, and files that were left unread with the reason."""

    settings: Settings
    origins: dict[str, Origin]
    unread: dict[str, str] = {}

    def values(self) -> dict[str, Any]:
        """The value of every key by its name, such as `survey.depth`."""
        plain = msgspec.to_builtins(self.settings)
        return {name: plain[key.section][key.key] for name, key in keys().items()}


def _working_folder() -> Path:
    """Raises GromaError (exit code 4) where it was removed."""
    try:
        return Path.cwd()
    except OSError as error:
        raise GromaError(
            f"the working folder cannot be used: {cause_of(error)}", "cd to another one", ExitCode.ENVIRONMENT
        ) from error


class ConfigSources(msgspec.Struct, frozen=True):
    """What decides which files and variables are read; tests give their own."""

    variables: Mapping[str, str]
    folder: Path
    home: Path
    user: int

    @classmethod
    def current(cls) -> ConfigSources:
        return cls(os.environ, _working_folder(), Path(os.environ.get("HOME", "")), os.getuid())

    def user_file(self) -> Path | None:
        """None where no folder of the user is known. By the XDG base directory specification relative ones do
        not count: a file in the working folder may be anybody's.
        """
        named = Path(self.variables.get("XDG_CONFIG_HOME", ""))
        base = named if named.is_absolute() else self.home / ".config"
        return base / USER_FILE if base.is_absolute() else None

    def system_files(self) -> list[Path]:
        """The most important one first, as XDG_CONFIG_DIRS is ordered."""
        bases = self.variables.get("XDG_CONFIG_DIRS") or "/etc/xdg"
        return [Path(base) / USER_FILE for base in bases.split(":") if base.startswith("/")]

    def project_file(self) -> Path | None:
        """The nearest groma.toml from here up to the root of the repository, the home or the file system."""
        for folder in (self.folder, *self.folder.parents):
            if os.path.lexists(folder / PROJECT_FILE):
                return folder / PROJECT_FILE
            if folder == self.home or os.path.lexists(folder / ".git"):
                return None
        return None


def load_resolved(
    overrides: Mapping[str, Any] | None = None, sources: ConfigSources | None = None
) -> Resolved:
    """All layers put together. Raises GromaError (exit code 2) for an unknown key or a wrong value.

    `overrides` are the values of the command line, such as {"survey.depth": "quick"}.
    """
    sources = sources or ConfigSources.current()
    unread: dict[str, str] = {}
    given = [*_from_files(sources, unread), *_from_variables(sources.variables)]
    given += [
        LayerValue(name, value, Origin(layer="command line")) for name, value in (overrides or {}).items()
    ]
    return _resolve(given, unread)


def _resolve(given: Iterable[LayerValue], unread: dict[str, str]) -> Resolved:
    known = keys()
    values = {name: key.default for name, key in known.items()}
    origins = dict.fromkeys(known, BUILT_IN)
    for one in given:
        values[one.name] = _converted(one, known)
        origins[one.name] = one.origin
    nested: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        nested.setdefault(known[name].section, {})[known[name].key] = value
    return Resolved(msgspec.convert(nested, Settings), origins, unread)


def _converted(one: LayerValue, known: Mapping[str, Key]) -> Any:
    if one.name not in known:
        raise _unknown_key(one, known)
    key = known[one.name]
    try:
        return msgspec.convert(one.value, key.type, strict=one.strict)
    except (msgspec.ValidationError, UnicodeEncodeError):  # a variable may hold bytes that are no text
        shown = _typed_name(one, key)
        where = f"{one.origin.place}: " if one.origin.place and shown != one.origin.place else ""
        what = f"{where}{shown} = {_shown(one.value)} {objection(one.value, key.type)}"
        raise GromaError(what, f"correct it or leave it out ({key.about.rstrip('.')})") from None


def _typed_name(one: LayerValue, key: Key) -> str:
    """What the user wrote: a variable, an option (all are called like their settings) or a setting."""
    if one.origin.layer == "environment":
        return key.variable
    return f"--{key.key}" if one.origin.layer == "command line" else one.name


def _shown(value: Any) -> str:
    """A value that somebody gave, however long and deep it is."""
    text = reprlib.repr(value) if not isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _unknown_key(one: LayerValue, known: Mapping[str, Key]) -> GromaError:
    is_variable = one.origin.layer == "environment"
    names = [key.variable for key in known.values()] if is_variable else list(known)
    given = one.origin.place if is_variable else one.name
    hint = did_you_mean(given, names)
    where = f"{one.origin.place}: " if one.origin.place != given and one.origin.place else ""
    return GromaError(f"{where}unknown setting {given}", f"{hint}to list all settings: groma config show")


def _from_files(sources: ConfigSources, unread: dict[str, str]) -> Iterator[LayerValue]:
    for path in reversed(sources.system_files()):
        yield from _from_file(path, "system", unread)
    own = sources.user_file()
    if own is not None:
        yield from _from_file(own, "user", unread)
    project = sources.project_file()
    if project is None:
        return
    if not _owners(project) <= {sources.user, 0}:
        # It may name programs to run: in a shared folder anybody could have put it there.
        unread[str(project)] = "it belongs to another user"
        return
    yield from _from_file(project, "project", unread)


def _owners(path: Path) -> set[int]:
    """Of a file, and of the link to it."""
    with suppress(OSError):
        return {path.lstat().st_uid, path.stat().st_uid}
    return {path.lstat().st_uid}


def _is_there(path: Path, unread: dict[str, str]) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:  # a folder above it cannot be searched, so nobody can say what is there
        unread[str(path)] = cause_of(error)
        return False
    return True


def _from_file(path: Path, layer: str, unread: dict[str, str]) -> Iterator[LayerValue]:
    """What is there is read or refused; GromaError (exit code 2)."""
    if not _is_there(path, unread):
        return
    if path.is_fifo():
        raise GromaError(f"{path} is a pipe", "replace it by a file")
    document = read_toml(path, "fix or remove this link")
    origin = Origin(layer=layer, place=str(path))
    for section, content in document.items():
        if not isinstance(content, dict) or not content:
            yield from _without_keys(section, content, origin)
            continue
        for key, value in content.items():
            yield LayerValue(f"{section}.{key}", value, origin)


def _without_keys(section: str, content: Any, origin: Origin) -> Iterator[LayerValue]:
    """A section that is empty sets nothing; anything else is no setting."""
    if content != {} or section not in {key.section for key in keys().values()}:
        yield LayerValue(section, content, origin)


def _from_variables(variables: Mapping[str, str]) -> Iterator[LayerValue]:
    """Variables of settings, and those that look as if they were meant to be; all others are not ours."""
    known = {key.variable: key for key in keys().values()}
    for variable, text in variables.items():
        origin = Origin(layer="environment", place=variable)
        if variable in known:
            yield LayerValue(known[variable].name, _value_of(text, known[variable]), origin, strict=False)
        elif variable.startswith("GROMA_") and _looks_like_a_setting(variable, known):
            yield LayerValue(variable, text, origin)


def _looks_like_a_setting(variable: str, known: Mapping[str, Key]) -> bool:
    """By its section or by its spelling; GROMA_ROOT and such are of the modules of a site."""
    if any(variable.startswith(f"GROMA_{key.section}_".upper()) for key in known.values()):
        return True
    return bool(difflib.get_close_matches(variable, known, n=1, cutoff=_ALIKE))


def _value_of(text: str, key: Key) -> Any:
    """Lists are written with commas; an empty text unsets what may be unset."""
    if isinstance(key.default, tuple):
        return [part.strip() for part in text.split(",") if part.strip()]
    return None if key.default is None and not text else text
