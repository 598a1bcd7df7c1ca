"""From a launcher, a shape and a program to the command line that starts it. Pure: nothing is run here."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.launch.launchers import LAUNCHERS, Launcher, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groma.launch.shape import Shape

_FIELDS = ("n", "nodes", "ppn", "threads", "hostfile", "cmd")

_WHAT_IS_MISSING = {
    "crowded": "{title} cannot start more threads than there are cores",
    "core": "{title} cannot bind ranks",
    "none": "{title} cannot leave ranks unbound",
}


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A launcher as it is here: its `program`, why it was taken, and what else is known of it.

    `extra` are flags that the user gave; `template` replaces everything but the fields in it. `interface` is
    the process management interface that programs are started with, where the launcher has several. `hosts`
    are the names of the machines that it starts on, in their order, where they are known.
    """

    launcher: Launcher
    program: str = ""
    version: str = ""
    reason: str = ""
    extra: Words = ()
    template: str = ""
    hostfile: str | None = None
    interface: str = ""
    hosts: Words = ()


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be started: words, and variables beside those that are set already."""

    words: Words
    variables: dict[str, str] = {}

    def spoken(self) -> str:
        """As one would type it into a shell."""
        given = [f"{name}={shlex.quote(value)}" for name, value in sorted(self.variables.items())]
        return " ".join([*given, shlex.join(self.words)])


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be started: the words of a program, and the family of MPI that it was built for.

    `exported` names variables that ranks on other nodes need, `folder` is where they are to run; both matter
    on several nodes only.
    """

    words: Words
    mpi: str = ""
    as_root: bool = False
    exported: Words = ()
    folder: str | None = None


def command_line(chosen: Chosen, shape: Shape, start: Start) -> Command:
    """The command that starts it in `shape`.

    Raises GromaError (exit code 2) where the launcher cannot do what is asked.
    """
    variables = _variables(chosen, shape, as_root=start.as_root)
    if chosen.template:
        return Command(words=tuple(_from_template(chosen, shape, start.words)), variables=variables)
    if not chosen.program:
        return Command(words=_alone(shape, start.words), variables=variables)
    words = [chosen.program, *_flags(chosen, shape, start.mpi), *chosen.extra]
    if shape.nodes > 1:
        words += _for_other_nodes(chosen.launcher, start.exported, start.folder)
    return Command(words=(*words, *start.words), variables=variables)


def _alone(shape: Shape, words: Words) -> Words:
    if shape.ranks > 1:
        raise GromaError(
            f"{shape.ranks} ranks need a launcher", "leave --launcher alone out, or start one rank: -n 1"
        )
    return words


def _flags(chosen: Chosen, shape: Shape, mpi: str) -> Iterator[str]:
    launcher = chosen.launcher
    if shape.bind not in launcher.placement:
        what = _WHAT_IS_MISSING[shape.bind].format(title=launcher.title)
        raise GromaError(what, "give fewer ranks or threads, or another --launcher")
    start = launcher.start.get(f"{mpi}/{chosen.interface}", ())
    given = chosen.hostfile is not None
    parts = (
        launcher.ranks,
        launcher.nodes,
        launcher.hostfile if given else (),
        launcher.placement[shape.bind],
        start,
    )
    values = _values(shape, chosen.hostfile)
    for words in parts:
        yield from (word.format_map(values) for word in words)


def _values(shape: Shape, hostfile: str | None) -> dict[str, str]:
    return {
        "n": str(shape.ranks),
        "nodes": str(shape.nodes),
        "ppn": str(shape.per_node),
        "threads": str(shape.threads),
        "hostfile": hostfile or "",
    }


def _for_other_nodes(launcher: Launcher, exported: Iterable[str], folder: str | None) -> Iterator[str]:
    if launcher.export:
        for name in exported:
            yield from (word.format(name=name) for word in launcher.export)
    if folder is not None:
        yield from (word.format(folder=folder) for word in launcher.folder)


def _variables(chosen: Chosen, shape: Shape, *, as_root: bool) -> dict[str, str]:
    """Of the launcher; behind a template there may be any, and foreign variables do no harm."""
    behind = LAUNCHERS if chosen.template else (chosen.launcher,)
    variables: dict[str, str] = {}
    for one in behind:
        variables |= one.root_variables if as_root else {}
        variables |= one.crowded_variables if shape.crowded else {}
    return variables


def check_template(template: str) -> None:
    """Raises GromaError (exit code 2) for a template that names an unknown field or no command."""
    try:
        template.format_map(dict.fromkeys(_FIELDS, ""))
        shlex.split(template)
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        known = " ".join(f"{{{name}}}" for name in _FIELDS)
        raise GromaError(f"the launcher {template!r} cannot be read ({error})", f"fields: {known}") from None
    if "{cmd}" not in template:
        raise GromaError(f"the launcher {template!r} has no {{cmd}}", "put {cmd} where the program goes")


def _from_template(chosen: Chosen, shape: Shape, program: Sequence[str]) -> Iterator[str]:
    """Word by word, so that values with spaces stay whole; a {cmd} inside a word becomes one shell word."""
    if "{hostfile}" in chosen.template and chosen.hostfile is None:
        raise GromaError("the launcher asks for a {hostfile}, but there is none", "give one with --hostfile")
    values = {**_values(shape, chosen.hostfile), "cmd": shlex.join(program)}
    for word in shlex.split(chosen.template):
        if word == "{cmd}":
            yield from program
        else:
            yield word.format_map(values)


def name_of(chosen: Chosen) -> str:
    """What the user knows it by."""
    if chosen.template:
        return "the template given"
    version = f" {chosen.version}" if chosen.version else ""
    return f"{chosen.launcher.title}{version} ({Path(chosen.program).name or 'started directly'})"
