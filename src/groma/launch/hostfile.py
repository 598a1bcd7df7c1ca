"""Files of hosts, read and checked before a launcher reads them: launchers pass over what they do not know.

Open MPI writes `h1 slots=2`, MPICH `h1:2`; neither takes the other's. What they really take was tried with
Open MPI 4.1 and MPICH 4.0.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import msgspec

from groma.errors import GromaError
from groma.host.jobs import granted_hosts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MOST_BYTES = 16 << 20
MOST_SLOTS = 1 << 20


class NamedHost(msgspec.Struct, frozen=True, kw_only=True):
    """A machine to start on: `name` as the launcher knows it, `slots` where the file says how many; `line` is
    the first that names it.

    `granted`: the file is one of Grid Engine, which no launcher takes for a file of hosts.
    """

    name: str
    line: int
    slots: int | None = None
    granted: bool = False


class Dialect(NamedTuple):
    """How a launcher writes its files: `example` has a count, `keys` are those that it knows.

    `bare_comment` is whether a comment may stand behind a host without a count.
    """

    title: str
    example: str
    keys: frozenset[str]
    comments: tuple[str, ...] = ("#",)
    bare_comment: bool = True


_SLOTS = {"slots", "cpu", "count"}
_MOST = {"max_slots", "max-slots"}

DIALECTS = {
    "slots": Dialect(
        "Open MPI", "{host} slots={slots}", frozenset(_SLOTS | _MOST | {"user", "username"}), ("#", "//")
    ),
    "colon": Dialect("MPICH", "{host}:{slots}", frozenset({"user", "binding"}), bare_comment=False),
}
"""By Launcher.hosts. Where it is empty any of them will do."""

_ANY = Dialect("", "", frozenset().union(*(one.keys for one in DIALECTS.values())), ("#", "//"))


def read_hosts(path: str, dialect: str = "") -> tuple[NamedHost, ...]:
    """The hosts that a file names, in their order, at least one. One that stands on several lines, as in
    $PBS_NODEFILE, has the slots of all of them.

    Raises GromaError (exit code 2) that names the file and, where it has one, the line.
    """
    content = _content(path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse(path, content[: error.start].count(b"\n") + 1, "this is not text")
    return parse_hosts(text, path, dialect)


def parse_hosts(text: str, path: str, dialect: str = "") -> tuple[NamedHost, ...]:
    """As `read_hosts`, of a text; `path` is what messages call it."""
    reader = _Reader(path, DIALECTS.get(dialect, _ANY))
    hosts = tuple(reader.granted(text) if _is_of_grid_engine(text) else _merged(list(reader.hosts(text))))
    if not hosts:
        raise GromaError(f"{path} names no host", "write one host per line")
    return hosts


def _merged(lines: Sequence[NamedHost]) -> Iterator[NamedHost]:
    """One for each name. Where a name without slots is repeated, each line without slots stands for one."""
    count = Counter(one.name for one in lines)
    per_slot = any(one.slots is None and count[one.name] > 1 for one in lines)
    slots: dict[str, int | None] = {}
    for one in lines:
        own = 1 if one.slots is None and per_slot else one.slots
        slots[one.name] = own if own is None else own + (slots.get(one.name) or 0)
    first = {one.name: one.line for one in reversed(lines)}
    return (NamedHost(name=name, slots=total, line=first[name]) for name, total in slots.items())


def in_one_word(slots: Mapping[str, int]) -> str:
    """Hosts with their slots as Open MPI and Hydra take them on the command line."""
    return ",".join(f"{name}:{count}" for name, count in slots.items())


# Host, slots, queue, range of processors.
_GRANTED = re.compile(r"\S+[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]*", re.ASCII)


def _is_of_grid_engine(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and all(_GRANTED.fullmatch(line) for line in lines)


def fewest_slots(hosts: Iterable[NamedHost]) -> int | None:
    """Of the host that has the fewest; None where no line gives any."""
    return min((one.slots for one in hosts if one.slots is not None), default=None)


def _content(path: str) -> bytes:
    """Only of regular files: the launcher reads them again."""
    if not path:
        raise GromaError("the host file has no name", "name it with --hostfile, or omit the option")
    try:
        about = Path(path).stat()
        if not stat.S_ISREG(about.st_mode):
            raise GromaError(f"{path} is not a regular file", "write the hosts to a file, one per line")
        if about.st_size > MOST_BYTES:
            raise GromaError(f"{path} is larger than {MOST_BYTES >> 20} MiB", "write one host per line")
        return Path(path).read_bytes()
    except OSError as error:
        cause = os.strerror(error.errno).lower() if error.errno else str(error)
        raise GromaError(f"{path}: {cause}", "name the host file with --hostfile") from None


def _refuse(path: str, line: int, what: str, step: str = "write one host per line") -> NoReturn:
    raise GromaError(f"{path}, line {line}: {what}", step)


# Names are passed on to a remote shell. +n0 is the first node of a job of Open MPI.
_NAME = re.compile(r"\+?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.$-]*", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,7}", re.ASCII)
# "h1:ppn=4" of Torque, "h1*4" of LSF and Globus, "h1/4" of PBS.
_OTHER_COUNT = re.compile(r"(?P<name>[^:*/]+)(?::ppn=|\*|/)(?P<slots>[1-9][0-9]{0,6})", re.ASCII)
# "rank 0=h1 slot=0" of Open MPI.
_PLACED_RANK = re.compile(r"rank\s+[0-9]+\s*=", re.ASCII)
_SHOWN = 40


class _Reader:
    """Takes the lines of one file."""

    def __init__(self, path: str, dialect: Dialect) -> None:
        self.path = path
        self.dialect = dialect
        self.seen: dict[str, int] = {}
        self.spelled: dict[str, NamedHost] = {}
        self.number = 0

    def hosts(self, text: str) -> Iterator[NamedHost]:
        for self.number, raw in enumerate(text.split("\n"), start=1):
            self._check_characters(raw)
            line, comment = self._without_comment(raw)
            if line:
                self._refuse_placed_rank(line)
                host = self._host(re.sub(r"\s*=\s*", "=", line).split(), has_comment=comment)
                self._check_spelling(host)
                yield host

    def granted(self, text: str) -> Iterator[NamedHost]:
        """A host that has slots in several queues has a line for each of them."""
        slots: dict[str, int] = {}
        for self.number, word, count in granted_hosts(text):
            name, _none = self._name(word)
            self.seen.setdefault(name, self.number)
            slots[name] = slots.get(name, 0) + self._slots(count, count)
        for name, total in slots.items():
            yield NamedHost(name=name, slots=total, line=self.seen[name], granted=True)

    def refuse(self, what: str, step: str = "write one host per line") -> NoReturn:
        _refuse(self.path, self.number, what, step)

    def _check_characters(self, raw: str) -> None:
        if raw.startswith("\ufeff"):
            step = rf"remove it: sed -i '1s/^\xEF\xBB\xBF//' {self.path}"
            self.refuse("it begins with a byte order mark", step)
        if raw.endswith("\r"):
            self.refuse("it ends with CR LF", f"remove the CR: sed -i 's/\\r$//' {self.path}")
        if any(not (letter.isprintable() or letter == "\t") for letter in raw):
            self.refuse("this is not text")

    def _without_comment(self, raw: str) -> tuple[str, bool]:
        places = [at for mark in self.dialect.comments if (at := raw.find(mark)) >= 0]
        return (raw[: min(places)].strip(), True) if places else (raw.strip(), False)

    def _refuse_placed_rank(self, line: str) -> None:
        if _PLACED_RANK.match(line):
            self.refuse(
                f"{_shown(line)} is of a rank file, not of a host file",
                "list the hosts, one per line: groma places the ranks",
            )

    def _host(self, words: list[str], *, has_comment: bool) -> NamedHost:
        name, slots = self._name(words[0])
        given = [self._pair(word) for word in words[1:]]
        for key, value in given:
            if key in _SLOTS:
                slots = self._slots(value, f"{key}={value}")
        for key, value in given:
            if key in _MOST and self._slots(value, f"{key}={value}") < (slots or 1):
                self.refuse(f"{key}={value} is less than its {slots} slots", "give at least as many")
        if has_comment and slots is None and not self.dialect.bare_comment:
            step = f"put the comment on its own line, or write {self._example(name, 2)}"
            self.refuse(f"{self.dialect.title} takes no comment after a host without slots", step)
        return NamedHost(name=name, slots=slots, line=self.number)

    def _name(self, word: str) -> tuple[str, int | None]:
        user, at, place = word.rpartition("@")
        if at and not _USER.fullmatch(user):
            self.refuse(f"{_shown(user)} is not a valid user name")
        self._refuse_other_forms(place)
        name, colon, count = place.partition(":")
        if not _NAME.fullmatch(name):
            self.refuse(f"{_shown(name)} is not a valid host name")
        if not colon:
            return f"{user}{at}{name}", None
        slots = self._slots(count, place)
        if self.dialect.title and ":" not in self.dialect.example:
            self.refuse(f"{self.dialect.title} does not read {place}", f"write {self._example(name, slots)}")
        return f"{user}{at}{name}", slots

    def _refuse_other_forms(self, place: str) -> None:
        other = _OTHER_COUNT.fullmatch(place)
        if other is not None:
            step = f"write {self._example(other['name'], int(other['slots']))}"
            self.refuse(f"{_shown(place)} is no way to give slots in a host file", step)
        if place.count(":") > 1:
            self.refuse(
                f"{_shown(place)} is an IPv6 address, which launchers do not accept",
                "give the host a name in /etc/hosts, or use its IPv4 address",
            )
        if "[" in place:
            self.refuse(
                f"{_shown(place)} names several hosts",
                f"write one per line: scontrol show hostnames '{place}'",
            )

    def _pair(self, word: str) -> tuple[str, str]:
        key, equals, value = word.partition("=")
        if not equals:
            self.refuse(f"{_shown(word)} after a host has no meaning", f"write {self._example('host', 2)}")
        if key not in self.dialect.keys:
            whose = f" of {self.dialect.title}" if self.dialect.title else ""
            self.refuse(f"unknown key {_shown(key)}{whose}", f"write {self._example('host', 2)}")
        return key, value

    def _slots(self, text: str, shown: str) -> int:
        if not _COUNT.fullmatch(text) or not 1 <= int(text) <= MOST_SLOTS:
            self.refuse(
                f"{_shown(shown)} is not a valid number of slots",
                "give 1 or more; leave out hosts that should not be used",
            )
        return int(text)

    def _example(self, name: str, slots: int) -> str:
        return (self.dialect.example or DIALECTS["slots"].example).format(host=name, slots=slots)

    def _check_spelling(self, host: NamedHost) -> None:
        """Launchers take other spellings of a host for other hosts."""
        key = host.name.rpartition("@")[2].lower().rstrip(".")
        before = self.spelled.setdefault(key, host)
        if before.name != host.name:
            self.refuse(
                f"{host.name} is already in line {before.line}, but as {before.name}",
                "write it the same way in all lines",
            )


def _shown(word: str) -> str:
    return repr(word if len(word) <= _SHOWN else f"{word[:_SHOWN]}…")
