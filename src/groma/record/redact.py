"""Remove host and user names from a record, so that anybody may see it."""

from __future__ import annotations

import getpass
import re
from typing import TYPE_CHECKING, Any

import msgspec

from groma.record.io import decode, encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groma.record.record import Record

_USER = "user"

# A folder below one of these bears the name of a user.
_HOMES = re.compile(r"(?P<base>/(?:home|users|Users|u)/)(?P<name>[^/\s:,;\"']+)")

# Variables that name hosts, users and accounts; their values are removed as a whole.
_IDENTIFYING = re.compile(
    r"HOST|NODE_?LIST|NODENAME|NODE_ALIASES|ADDR|USER|LOGNAME|ACCOUNT|MAIL|_UID|_GID", re.IGNORECASE
)
_HOST_VARIABLES = re.compile(r"HOST|NODE_?LIST|NODENAME", re.IGNORECASE)
_USER_VARIABLES = re.compile(r"(USER|LOGNAME|ACCOUNT)$")

# Words of the record's own language: a host called "data" must not change the kind of a cache.
_OWN_WORDS = frozenset({"schema", "kind", "unit", "method", "ended", "probe", "code", "source", "over"})

REMOVED = "removed"

_NUMBER = re.compile(r"[0-9]{1,9}")
_MOST_HOSTS = 10_000


def redacted(record: Record[Any], hosts: Iterable[str] = (), users: Iterable[str] = ()) -> Record[Any]:
    """The record without host and user names, also in paths, command lines, variables and node lists.

    The names are those in the record and those given. Each host gets a number (host-1, host-2), so that
    results between nodes stay readable.
    """
    plain = msgspec.to_builtins(record)
    placement = list(_placement_in(plain["facts"]))
    reported = [*(str(one["host"] or "") for one in placement), *_hosts_in(plain["environment"])]
    names = _Names([*reported, *hosts], [*_users_in(plain), *users])
    plain["environment"] = _without_identifying_values(plain["environment"])
    _number_kernels(placement)
    cleaned = {key: _cleaned(value, names, key) for key, value in plain.items()}
    return decode(encoded(cleaned), "the redacted record", lambda _kind: type(record.facts))


def redacted_here(record: Record[Any]) -> Record[Any]:
    """As `redacted`, with the name of the user who runs this program."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        return redacted(record)
    return redacted(record, users=[user])


class _Names:
    """Replaces names that stand as whole words."""

    def __init__(self, hosts: Iterable[str], users: Iterable[str]) -> None:
        self.replacements: dict[str, str] = {}
        full_names = sorted({host for host in hosts if host}, key=lambda host: (-len(host), host))
        numbers: dict[str, int] = {}
        for host in full_names:
            short = host.partition(".")[0]
            number = numbers.setdefault(short, len(numbers) + 1)
            for name in (host, short):
                self.replacements.setdefault(name, f"host-{number}")
        for user in users:
            self.replacements.setdefault(user, _USER)
        ordered = sorted(filter(None, self.replacements), key=len, reverse=True)
        words = "|".join(map(re.escape, ordered))
        self.pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)") if words else None

    def clean(self, text: str) -> str:
        if self.pattern is not None:
            text = self.pattern.sub(lambda match: self.replacements[match[0]], text)
        return _HOMES.sub(rf"\g<base>{_USER}", text)


def _cleaned(value: Any, names: _Names, key: str = "") -> Any:
    if isinstance(value, str):
        return value if key in _OWN_WORDS else names.clean(value)
    if isinstance(value, list):
        return [_cleaned(inner, names, key) for inner in value]
    if isinstance(value, dict):
        # A name may be a key as well (results by node), the fields of the record may not change.
        return {
            names.replacements.get(k, k) if _may_be_name(k) else k: _cleaned(v, names, k)
            for k, v in value.items()
        }
    return value


def _may_be_name(key: str) -> bool:
    return any(character.isdigit() or character in ".-" for character in key)


def _without_identifying_values(environment: dict[str, Any]) -> dict[str, Any]:
    variables = environment.get("variables") or {}
    kept = {name: REMOVED if _IDENTIFYING.search(name) else value for name, value in variables.items()}
    changed: dict[str, Any] = {"variables": kept} if variables else {}
    if environment.get("scheduler"):
        changed["scheduler"] = {**environment["scheduler"], "nodes": REMOVED}
    if environment.get("host"):
        changed["redacted"] = True
    return {**environment, **changed}


def _placement_in(value: Any) -> Iterator[dict[str, Any]]:
    """Where ranks ran, wherever the facts of a kind hold it."""
    if isinstance(value, dict):
        if {"host", "boot_id"} <= value.keys():
            yield value
        for inner in value.values():
            yield from _placement_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _placement_in(inner)


def _number_kernels(placement: Iterable[dict[str, Any]]) -> None:
    """A boot id identifies a machine. A number in its place still shows which ranks share one."""
    numbers: dict[str, str] = {}
    for one in placement:
        if one.get("boot_id"):
            one["boot_id"] = numbers.setdefault(one["boot_id"], f"boot-{len(numbers) + 1}")


def _hosts_in(environment: dict[str, Any]) -> Iterator[str]:
    yield environment.get("host") or ""
    lists = [(environment.get("scheduler") or {}).get("nodes") or ""]
    variables = environment.get("variables") or {}
    lists += [value for name, value in variables.items() if _HOST_VARIABLES.search(name)]
    for text in lists:
        yield from (host for host in expand_nodes(text) if _looks_like_host(host))
        yield from (part for part in text.split() if "[" in part)  # the list as it stands in a command line


def _looks_like_host(word: str) -> bool:
    """Such variables also hold counts and paths."""
    return bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9.-]*", word)) and len(word) > 1


def _users_in(plain: dict[str, Any]) -> Iterator[str]:
    variables = plain["environment"].get("variables") or {}
    yield from (value for name, value in variables.items() if _USER_VARIABLES.search(name))
    yield from (match["name"] for match in _HOMES.finditer(encoded(plain).decode()))


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
