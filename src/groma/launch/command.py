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
    "oversubscribed": "{title} cannot start more threads than cores",
    "core": "{title} cannot bind ranks",
    "none": "{title} cannot leave ranks unbound",
}


class SelectedLauncher(msgspec.Struct, frozen=True, kw_only=True):
    """A launcher as it is here: its `program`, why it was taken, and what else is known of it.

    `extra` are flags that the user gave; `template` replaces everything but the fields in it. `interface` is
    the process management interface that programs are started with, where the launcher has several. `hosts`
    are the names of the machines that it starts on, in their order, where they are known; `slots` names them
    with their slots in one word, where no file does.
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
    slots: str = ""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be started: words, and variables in addition to those that are set already."""

    words: Words
    variables: dict[str, str] = {}

    def shell_line(self) -> str:
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


def command_line(selected: SelectedLauncher, shape: Shape, start: Start) -> Command:
    """The command that starts it in `shape`.

    Raises GromaError (exit code 2) where the launcher cannot do what is asked.
    """
    variables = _variables(selected, shape, as_root=start.as_root)
    if selected.template:
        return Command(words=tuple(_from_template(selected, shape, start.words)), variables=variables)
    if not selected.program:
        return Command(words=_alone(shape, start.words), variables=variables)
    words = [selected.program, *_flags(selected, shape, start.mpi), *selected.extra]
    if shape.nodes > 1:
        words += _for_other_nodes(selected.launcher, start.exported, start.folder)
    return Command(words=(*words, *start.words), variables=variables)


def _alone(shape: Shape, words: Words) -> Words:
    if shape.ranks > 1:
        raise GromaError(
            f"{shape.ranks} ranks need a launcher", "omit --launcher alone, or start one rank: -n 1"
        )
    return words


def _flags(selected: SelectedLauncher, shape: Shape, mpi: str) -> Iterator[str]:
    launcher = selected.launcher
    if shape.bind not in launcher.placement:
        what = _WHAT_IS_MISSING[shape.bind].format(title=launcher.title)
        raise GromaError(what, "use fewer ranks or threads, or another --launcher")
    start = launcher.start.get(f"{mpi}/{selected.interface}", ())
    given = selected.hostfile is not None
    parts = (
        launcher.ranks,
        launcher.nodes,
        launcher.hostfile if given else launcher.slots if selected.slots else (),
        launcher.placement[shape.bind],
        start,
    )
    values = _values(shape, selected.hostfile) | {"slots": selected.slots}
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


def _variables(selected: SelectedLauncher, shape: Shape, *, as_root: bool) -> dict[str, str]:
    """Of the launcher; behind a template there may be any, and foreign variables do no harm."""
    behind = LAUNCHERS if selected.template else (selected.launcher,)
    variables: dict[str, str] = {}
    for one in behind:
        variables |= one.root_variables if as_root else {}
        variables |= one.oversubscribed_variables if shape.oversubscribed else {}
    return variables


def check_template(template: str) -> None:
    """Raises GromaError (exit code 2) for a template that names an unknown field or no command."""
    try:
        template.format_map(dict.fromkeys(_FIELDS, ""))
        shlex.split(template)
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        known = " ".join(f"{{{name}}}" for name in _FIELDS)
        raise GromaError(f"the launcher {template!r} is invalid ({error})", f"fields: {known}") from None
    if "{cmd}" not in template:
        raise GromaError(f"the launcher {template!r} has no {{cmd}}", "put {cmd} in the place of the program")


def _from_template(selected: SelectedLauncher, shape: Shape, program: Sequence[str]) -> Iterator[str]:
    """Word by word, so that values with spaces stay whole; a {cmd} inside a word becomes one shell word."""
    if "{hostfile}" in selected.template and selected.hostfile is None:
        raise GromaError("the launcher needs a {hostfile}, but there is none", "name one with --hostfile")
    values = {**_values(shape, selected.hostfile), "cmd": shlex.join(program)}
    for word in shlex.split(selected.template):
        if word == "{cmd}":
            yield from program
        else:
            yield word.format_map(values)


def name_of(selected: SelectedLauncher) -> str:
    """What the user knows it by."""
    if selected.template:
        return "the given template"
    version = f" {selected.version}" if selected.version else ""
    return f"{selected.launcher.title}{version} ({Path(selected.program).name or 'started directly'})"
