"""unity_groups.py [--most N] FILE…: which sources can be compiled as one, a line `GROUP<tab>FILE` for each.

Sources of a group define no name twice, as probes that register themselves do, and none that another one of
them takes from elsewhere. A source that includes code for one instruction set, sets options of the compiler,
or takes all names of a namespace stands alone and is not listed.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

# clang-format puts what a namespace holds at the first column.
_TYPE = re.compile(r"(?:struct|class|enum class|enum|union|using)\s+(\w+)")
_OTHER = re.compile(r"(?<![\w:])(\w+)\s*(?:\(|=|\{|\[|;)")
_IMPORT = re.compile(r"using\s+((?:\w+::)+(\w+))\s*;")
_USED = re.compile(r"(?<![\w.:>])([A-Za-z_]\w*)")
_NOT_CODE = re.compile(r'//.*|"(?:[^"\\]|\\.)*"')
_MACRO = re.compile(r"#\s*define\s+(\w+)")
_ALONE = re.compile(
    r'^(?:\s*#\s*(?:include\s*"[^"]+\.inc"|pragma|define GROMA_TARGET)|using namespace\b)', re.MULTILINE
)
_ROOM = re.compile(r"^using namespace (?!groma\b)", re.MULTILINE)
_NO_NAME = re.compile(r"[\s/})#]|namespace\b|TEST|template\b|INSTANTIATE|ALL_ON_ONE_THREAD|extern\b|$")

# What may stand before a bracket where a line defines no name of its own. `groma` means the same to all.
_NAMES_OF_NOBODY = frozenset({"bool", "const", "groma", "int", "noexcept", "operator", "override", "void"})

_USUAL = 12
"""Sources of a group, unless --most says: larger ones save little and keep a core busy at the end."""


def names_in(text: str) -> set[str]:
    """Those that it defines at the scope of a namespace, and the namespaces that it takes names from: another
    source may mean another one by `testing`.
    """
    found = set(_MACRO.findall(text))
    for line in text.splitlines():
        if _NO_NAME.match(line):
            continue
        if match := _TYPE.match(line) or _OTHER.search(line):
            found.add(match[1])
    return found - _NAMES_OF_NOBODY


def imports_in(text: str) -> dict[str, str]:
    """Names that it takes from other namespaces for all of its own, with their whole names."""
    return {match[2]: match[1] for match in map(_IMPORT.match, text.splitlines()) if match}


@dataclass(frozen=True)
class Source:
    file: str
    names: set[str]
    used: set[str]
    imports: dict[str, str]


def can_join(text: str) -> bool:
    """Whether others may follow it."""
    return not _ALONE.search(text)


def can_end(text: str) -> bool:
    """Whether it may follow others: a name of the room that it opens may be one of their headers, too."""
    return not _ROOM.search(text)


def source_of(file: str, text: str) -> Source:
    return Source(file, names_in(text), set(_USED.findall(_NOT_CODE.sub("", text))), imports_in(text))


class Group:
    def __init__(self) -> None:
        self.files: list[str] = []
        self.names: set[str] = set()
        self.used: set[str] = set()
        self.imports: dict[str, str] = {}

    def takes_last(self, source: Source) -> bool:
        """Whether it may follow those that are here."""
        return not (self.names & source.used or _differ(self.imports, source))

    def takes(self, source: Source) -> bool:
        """Whether it may stand anywhere among them."""
        return self.takes_last(source) and not (self.used & source.names or _differ(source.imports, self))

    def add(self, source: Source) -> None:
        self.files.append(source.file)
        self.names |= source.names
        self.used |= source.used
        self.imports |= source.imports


def _differ(imports: dict[str, str], other: Source | Group) -> bool:
    """Whether the other one means something else by an imported name."""
    return any(name in other.used and other.imports.get(name) != path for name, path in imports.items())


def groups_of(sources: list[Source], most: int = _USUAL) -> list[Group]:
    """Each in the smallest group that takes it; those with the most names choose first."""
    groups = [Group() for _ in range(-(-len(sources) // most))]
    for source in sorted(sources, key=lambda one: -len(one.names)):
        free = [one for one in groups if one.takes(source)]
        if not free:
            groups.append(Group())
            free = groups[-1:]
        min(free, key=lambda one: len(one.files)).add(source)
    return groups


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=_USUAL)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    texts = {file: Path(file).read_text(encoding="utf-8") for file in args.files}
    sources = [source_of(file, text) for file, text in texts.items() if can_join(text)]
    for number, group in enumerate(groups_of(sources, args.most)):
        for file in group.files:
            print(f"{number}\t{file}")


if __name__ == "__main__":
    main()
