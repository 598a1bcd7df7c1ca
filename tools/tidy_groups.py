"""tidy_groups.py TREE: sources that clang-tidy can read as one, of all targets in TREE/compile_commands.json.

Writes TREE/groups: a file for each group, which includes its sources, and compile commands for these files.
Most of the time of clang-tidy goes into headers, so sources of different targets are read together
(unity_groups.py says which fit). A source that no other may follow ends a group. A group has the macros and
folders of all its sources. A source that fits no other is named as it is.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unity_groups import Group, can_end, can_join, groups_of, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unity_groups import Source

MOST = 40
"""Sources of a group: what two cores read side by side to the end."""

_SWITCHES = {"exceptions": True, "rtti": True}
"""Options that a later one takes back, with what holds where there is none."""

_PLACES = ("-D", "-I", "-isystem")


@dataclass(frozen=True)
class Command:
    """How a source is compiled: `places` are macros and folders, `flags` what else matters to clang-tidy."""

    source: str
    compiler: str
    flags: tuple[str, ...]
    places: tuple[str, ...]


def command_of(entry: dict[str, str]) -> Command:
    compiler, *words = shlex.split(entry["command"])
    on = dict(_SWITCHES)
    flags, places = [], []
    left = iter(words)
    for word in left:
        switch = word.removeprefix("-f").removeprefix("no-")
        if word in ("-o", "-c"):
            next(left)
        elif word == "-isystem":
            places.append(f"-isystem{next(left)}")
        elif word.startswith(_PLACES):
            places.append(word)
        elif switch in on:
            on[switch] = not word.startswith("-fno-")
        elif word not in ("-fPIC", "-fPIE"):
            flags.append(word)
    flags += [f"-fno-{switch}" for switch, usual in _SWITCHES.items() if on[switch] != usual]
    return Command(entry["file"], compiler, tuple(flags), tuple(places))


def joined(places: Iterable[str]) -> list[str]:
    """Each macro and folder once; of two values of a macro the first."""
    found: dict[str, str] = {}
    for place in places:
        found.setdefault(place.partition("=")[0], place)
    return list(found.values())


def grouped(commands: list[Command]) -> list[list[Command]]:
    alike: defaultdict[tuple[str, ...], dict[str, Command]] = defaultdict(dict)
    for command in commands:
        alike[command.flags].setdefault(command.source, command)
    groups = []
    for of_flags in alike.values():
        texts = {source: Path(source).read_text(encoding="utf-8") for source in sorted(of_flags)}
        sources = [source_of(file, text) for file, text in texts.items() if can_join(text)]
        others = {file: text for file, text in texts.items() if not can_join(text)}
        last = [source_of(file, text) for file, text in others.items() if can_end(text)]
        found = ended(groups_of(sources, MOST), last)
        groups += [[of_flags[file] for file in group.files] for group in found]
        groups += [[of_flags[file]] for file, text in others.items() if not can_end(text)]
    return groups


def ended(groups: list[Group], last: list[Source]) -> list[Group]:
    """The groups, each with at most one more source, which no other may follow."""
    left, closed = groups, []
    for source in last:
        free = [one for one in left if one.takes_last(source)]
        group = min(free, key=lambda one: len(one.files), default=Group())
        group.add(source)
        closed.append(group)
        left = [one for one in left if one is not group]
    return closed + left


def written(path: Path, text: str) -> None:
    """As it was where it says the same: what was checked is known by its time."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main() -> None:
    tree = Path(sys.argv[1])
    folder = (tree / "groups").absolute()
    folder.mkdir(exist_ok=True)
    entries = json.loads((tree / "compile_commands.json").read_text(encoding="utf-8"))
    written_by_hand = [entry for entry in entries if not Path(entry["file"]).is_relative_to(tree.absolute())]
    commands = []
    for number, group in enumerate(grouped([command_of(entry) for entry in written_by_hand])):
        file = group[0].source
        if len(group) > 1:
            file = str(folder / f"{number}.cpp")
            written(Path(file), "".join(f'#include "{one.source}"\n' for one in group))
        places = joined(place for one in group for place in one.places)
        words = [group[0].compiler, *group[0].flags, *places, "-c", file]
        commands.append({"directory": str(folder), "file": file, "arguments": words})
    written(folder / "compile_commands.json", json.dumps(commands, indent=0, ensure_ascii=False))


if __name__ == "__main__":
    main()
