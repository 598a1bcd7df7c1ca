"""Remove host and user names from a record, so that anybody may see it."""

from __future__ import annotations

import getpass
import re
from typing import TYPE_CHECKING, Any

import msgspec

from groma.record.io import decode, encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groma.record.record import Record

_USER = "user"

_NUMBERED = re.compile(r"\bhost-([0-9]+)\b")  # what stands for a host

# Fields of facts that name hosts, such as `planned_host` or `hosts`: a text, texts, or values with a `name`.
_HOST_FIELD = re.compile(r"(.*_)?hosts?")

# An address has no domain, and a part of it names nothing.
_ADDRESS = re.compile(r"[0-9.]+\.[0-9]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")

# A folder below one of these bears the name of a user.
_HOMES = re.compile(r"(?P<base>/(?:home|users|Users|u)/)(?P<name>[^/\s:,;\"']+)")

# `groma history --add` puts the host, or the first letters of many hosts, into the name of a file.
_KEPT = re.compile(r"_(?P<name>[A-Za-z0-9.-]+)(?=_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9-]{8}_[0-9a-f]{8}\.)")
_KEPT_HOST = "host"

# Variables that name hosts, users and accounts; their values are removed as a whole.
_IDENTIFYING = re.compile(
    r"HOST|NODE_?LIST|NODENAME|NODE_ALIASES|ADDR|USER|LOGNAME|ACCOUNT|MAIL|_UID|_GID", re.IGNORECASE
)
_HOST_VARIABLES = re.compile(r"HOST|NODE_?LIST|NODENAME", re.IGNORECASE)
_USER_VARIABLES = re.compile(r"(USER|LOGNAME|ACCOUNT)$")

# Words of the record's own language: a host called "data" must not change the kind of a cache.
_OWN_WORDS = frozenset({"schema", "kind", "unit", "method", "ended", "probe", "code", "over"})

# A declared topology comes from a library or the kernel; any other source may be a file.
_TOPOLOGY = frozenset({"source", "cores", "caches", "numa", "allowed"})
_WORDS_OF_TOPOLOGY = _OWN_WORDS | {"source"}

REMOVED = "removed"

_UNKNOWN = "unknown"

_NUMBER = re.compile(r"[0-9]{1,9}")
_MOST_HOSTS = 10_000


def redacted(record: Record[Any], hosts: Iterable[str] = (), users: Iterable[str] = ()) -> Record[Any]:
    """The record without host and user names, also in paths, command lines, variables and node lists.

    The names are those in the record and those given. Each host gets a number (host-1, host-2), so that
    results between nodes stay readable; a record that was redacted before keeps its numbers.
    """
    text = encoded(record)
    plain = msgspec.json.decode(text)  # lists for tuples, as they will be read
    names = _names(plain["environment"], text.decode(), [*_hosts_named(plain), *hosts], users)
    plain["environment"] = _without_identifying_values(plain["environment"], has_hosts=names.has_hosts)
    _number_kernels(_placement_in(plain["facts"]))
    return decode(encoded(_cleaned(plain, names)), "the redacted record", lambda _kind: type(record.facts))


def hosts_named_in(record: Record[Any]) -> list[str]:
    """Hosts that the environment and the facts name: none in a record that is redacted."""
    is_redacted = record.environment.get("redacted")
    return [] if is_redacted else list(_hosts_named(msgspec.json.decode(encoded(record))))


def redacted_here(record: Record[Any], hosts: Iterable[str] = ()) -> Record[Any]:
    """As `redacted`, with the name of the user who runs this program."""
    return redacted(record, hosts, _this_user())


def _this_user() -> list[str]:
    """None where this process has no user by name."""
    try:
        return [getpass.getuser()]
    except (OSError, KeyError):
        return []


def redacted_findings(record: Record[Any], hosts: Iterable[str] = ()) -> Record[Any]:
    """What was found in redacted records. Hosts have numbers there; the command and paths may have names,
    also of the `hosts` in these records.
    """
    command = [redacted_path(word, hosts) for word in record.command]
    environment = {**record.environment, "redacted": True}
    return redacted_here(msgspec.structs.replace(record, environment=environment, command=command))


def redacted_path(path: str, hosts: Iterable[str]) -> str:
    """A path without the names of hosts, users and this user: `host-1/hpcc_host-1.json`. The numbers of hosts
    are those of records that are redacted with the same hosts.
    """
    names = _Names(filter(_tells_something, hosts), _this_user())
    return names.clean_path(path)


class Words:
    """Replaces names that stand as whole words, the longest first. `inside` matches a character of a word.

    Names are looked up: a pattern of all names would be tried name by name at each word of a large record.
    """

    def __init__(self, replacements: Mapping[str, str], inside: str) -> None:
        self._replacements = replacements
        self._pieces = re.compile(rf"{inside}+|(?s:.)")
        self._inside = re.compile(inside)
        self._counts: dict[str, list[int]] = {}
        for name in filter(None, replacements):
            first, *others = self._pieces.findall(name)
            counts = self._counts.setdefault(first, [])
            if 1 + len(others) not in counts:
                counts.append(1 + len(others))
        for counts in self._counts.values():
            counts.sort(reverse=True)

    def replaced(self, text: str) -> str:
        pieces = self._pieces.findall(text)
        cleaned: list[str] = []
        at = 0
        while at < len(pieces):
            count = self._pieces_of_name(pieces, at)
            cleaned.append(self._replacements["".join(pieces[at : at + count])] if count else pieces[at])
            at += count or 1
        return "".join(cleaned)

    def _pieces_of_name(self, pieces: list[str], at: int) -> int:
        """The number of pieces of the name that begins there; 0 where none does."""
        for count in self._counts.get(pieces[at], ()):
            end = at + count
            if (
                end <= len(pieces)
                and not self._is_word(pieces, at - 1)
                and not self._is_word(pieces, end)
                and "".join(pieces[at:end]) in self._replacements
            ):
                return count
        return 0

    def _is_word(self, pieces: list[str], at: int) -> bool:
        return 0 <= at < len(pieces) and self._inside.match(pieces[at]) is not None


class _Names:
    """Replaces names that stand as whole words. The numbers of hosts begin with `first`."""

    def __init__(self, hosts: Iterable[str], users: Iterable[str], first: int = 1) -> None:
        self.replacements: dict[str, str] = {}
        full_names = sorted(set(hosts), key=lambda host: (-len(host), host))
        numbers: dict[str, int] = {}
        for host in full_names:
            short = _without_domain(host)
            number = numbers.setdefault(short, len(numbers) + first)
            for name in (host, short):
                self.replacements.setdefault(name, f"host-{number}")
        self.has_hosts = bool(numbers)
        for user in users:
            self.replacements.setdefault(user, _USER)
        self.words = Words(self.replacements, r"\w")

    def clean_path(self, path: str) -> str:
        """A name of a file has several words, often with underscores between them."""
        return self.clean(Words(self.replacements, r"[^\W_]").replaced(path))

    def clean(self, text: str) -> str:
        text = self.words.replaced(text)
        text = _KEPT.sub(lambda match: f"_{self.replacements.get(match['name'], _KEPT_HOST)}", text)
        return _HOMES.sub(rf"\g<base>{_USER}", text)


def _names(environment: dict[str, Any], text: str, hosts: Iterable[str], users: Iterable[str]) -> _Names:
    """`text` is that of the record. What stands for a host there, of an earlier redaction, is no name."""
    new_hosts = [host for host in hosts if _tells_something(host)]
    found_users = [*_users_in(environment, text), *users]
    if not environment.get("redacted"):
        return _Names(new_hosts, found_users)
    taken = max(map(int, _NUMBERED.findall(text)), default=0)
    new_hosts = [host for host in new_hosts if not _NUMBERED.fullmatch(host)]
    return _Names(new_hosts, found_users, taken + 1)


def _tells_something(host: str) -> bool:
    return bool(_ADDRESS.fullmatch(host)) or any(map(str.isalpha, host))


def _without_domain(host: str) -> str:
    return host if _ADDRESS.fullmatch(host) else host.partition(".")[0]


def _cleaned(value: Any, names: _Names, *, is_own: bool = False) -> Any:
    if isinstance(value, str):
        return value if is_own else names.clean(value)
    if isinstance(value, list):
        return [_cleaned(inner, names, is_own=is_own) for inner in value]
    if isinstance(value, dict):
        own = _WORDS_OF_TOPOLOGY if value.keys() >= _TOPOLOGY else _OWN_WORDS
        # A name may be a key as well (results by node), the fields of the record may not change.
        return {
            names.replacements.get(k, k) if _may_be_name(k) else k: _cleaned(v, names, is_own=k in own)
            for k, v in value.items()
        }
    return value


def _may_be_name(key: str) -> bool:
    return any(character.isdigit() or character in ".-" for character in key)


def _without_identifying_values(environment: dict[str, Any], *, has_hosts: bool) -> dict[str, Any]:
    variables, scheduler = (_table(environment, name) for name in ("variables", "scheduler"))
    kept = {name: REMOVED if _IDENTIFYING.search(name) else value for name, value in variables.items()}
    changed: dict[str, Any] = {"variables": kept} if variables else {}
    if scheduler:
        changed["scheduler"] = {**scheduler, "nodes": REMOVED}
    if environment.get("host") or has_hosts:
        changed["redacted"] = True
    return {**environment, **changed}


def _table(environment: dict[str, Any], name: str) -> dict[str, Any]:
    """A table of the environment; empty where the record, which may be damaged, has none."""
    value = environment.get(name)
    return value if isinstance(value, dict) else {}


def _objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """All objects of JSON within a value, the outer ones first."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _objects_in(inner)


def _placement_in(facts: Any) -> Iterator[dict[str, Any]]:
    """Where ranks ran, wherever the facts of a kind hold it."""
    return (one for one in _objects_in(facts) if {"host", "boot_id"} <= one.keys())


def _hosts_in_facts(facts: Any) -> Iterator[str]:
    """Every host that a field names, wherever the facts of a kind hold it."""
    for one in _objects_in(facts):
        for key, value in one.items():
            if _HOST_FIELD.fullmatch(key):
                yield from _named_hosts(value)
        if {"machine", "points"} <= one.keys():  # a trend
            yield from _machine_of_trend(one["machine"])


def _machine_of_trend(machine: Any) -> Iterator[str]:
    """A host, a cluster, or `node*` for many hosts; where the host is unknown, the model of a processor."""
    if isinstance(machine, str) and machine != _UNKNOWN and not re.search(r"\s", machine):
        yield machine


def _named_hosts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from expand_nodes(value)
    elif isinstance(value, dict):
        yield from _named_hosts(value.get("name"))
    elif isinstance(value, list):
        for inner in value:
            yield from _named_hosts(inner)


def _number_kernels(placement: Iterable[dict[str, Any]]) -> None:
    """A boot id identifies a machine. A number in its place still shows which ranks share one."""
    numbers: dict[str, str] = {}
    for one in placement:
        if one.get("boot_id"):
            one["boot_id"] = numbers.setdefault(one["boot_id"], f"boot-{len(numbers) + 1}")


def _hosts_named(plain: dict[str, Any]) -> Iterator[str]:
    yield from _hosts_in(plain["environment"])
    yield from _hosts_in_facts(plain["facts"])


def _hosts_in(environment: dict[str, Any]) -> Iterator[str]:
    yield from _texts_in(environment.get("host"))
    nodes = _table(environment, "scheduler").get("nodes")
    for text in (*_texts_in(nodes), *_values_of(environment, _HOST_VARIABLES)):
        yield from (host for host in expand_nodes(text) if _looks_like_host(host))
        yield from (part for part in text.split() if "[" in part)  # the list as it stands in a command line


def _looks_like_host(word: str) -> bool:
    """Such variables also hold counts and paths."""
    return bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9.-]*", word)) and len(word) > 1 and word != REMOVED


def _users_in(environment: dict[str, Any], text: str) -> Iterator[str]:
    yield from (user for user in _values_of(environment, _USER_VARIABLES) if user != REMOVED)
    yield from (match["name"] for match in _HOMES.finditer(text))


def _values_of(environment: dict[str, Any], names: re.Pattern[str]) -> Iterator[str]:
    named = [value for name, value in _table(environment, "variables").items() if names.search(name)]
    return _texts_in(named)


def _texts_in(value: Any) -> Iterator[str]:
    """A text, or those of a list; a damaged record may hold anything."""
    return (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def expand_nodes(text: str) -> Iterator[str]:
    """The hosts of a node list such as `n[001-003,7],login1`."""
    for prefix, ranges, suffix in re.findall(r"([^\s,\[\]]+)(?:\[([\d,-]+)\])?([^\s,\[\]]*)", text):
        if not ranges:
            yield prefix + suffix
            continue
        for part in ranges.split(","):
            yield from (f"{prefix}{number}{suffix}" for number in _numbers(part))


def _numbers(part: str) -> Iterator[str]:
    """`008-010` keeps its leading zeros."""
    first, _, last = part.partition("-")
    if not _NUMBER.fullmatch(first) or (last and not _NUMBER.fullmatch(last)):
        return
    lowest, highest = int(first), int(last or first)
    for number in range(lowest, min(highest, lowest + _MOST_HOSTS) + 1):
        yield str(number).zfill(len(first))
