"""Many hosts on one line."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_LINE = 96
"""Letters of all groups of hosts."""
LONGEST_GROUP = 40


class _Name(NamedTuple):
    """A name as `node` with number 7 of two digits and `-ib`; without a number it is all `before`."""

    before: str
    digits: str
    after: str

    @property
    def number(self) -> int:
        return int(self.digits or 0)

    @property
    def family(self) -> tuple[str, bool, str]:
        """Names of one family differ by their numbers alone."""
        return self.before, bool(self.digits), self.after

    def is_next(self, last: _Name) -> bool:
        """Whether counting on from the last number, with its padding, gives this one."""
        return self.digits == str(last.number + 1).zfill(len(last.digits))


def folded(names: Sequence[str]) -> str:
    """`node[01-04,07] login`: names that differ by a number alone are together, in their order."""
    return _folded([_parts(name) for name in names])


def _folded(parts: Sequence[_Name]) -> str:
    return " ".join(_family(list(same)) for _, same in groupby(parts, key=lambda one: one.family))


def groups_of_hosts(groups: Sequence[Sequence[str]]) -> str:
    """`node[01-04]; node[05-08]; 6 more`: as many groups as fit a line, at least one."""
    shown: list[str] = []
    for names in groups:
        text = _cut(names)
        if shown and sum(map(len, shown)) + 2 * len(shown) + len(text) > LONGEST_LINE:
            break
        shown.append(text)
    left = len(groups) - len(shown)
    return "; ".join([*shown, *([f"{left:,} more"] if left else [])])


def _cut(names: Sequence[str]) -> str:
    """As many of the names as fit, at least the first one. With each name the text only becomes longer."""
    parts = [_parts(name) for name in names]
    if len(whole := _folded(parts)) <= LONGEST_GROUP:
        return whole
    counts = range(1, len(parts))
    fitting = max(1, bisect_right(counts, LONGEST_GROUP, key=lambda count: len(_folded(parts[:count]))))
    return f"{_folded(parts[:fitting])} and {len(parts) - fitting:,} more"


def _parts(name: str) -> _Name:
    """The last number of the host counts, without its domain and not of an address."""
    short = re.sub(r"^([a-z][^.]*)\..*", r"\1", name, flags=re.IGNORECASE)
    found = re.fullmatch(r"(.*?)([0-9]{1,9})([^0-9]*)", short)
    if found is None or not re.match(r"[a-z]", short, flags=re.IGNORECASE):
        return _Name(short, "", "")
    return _Name(*found.groups())


def _family(names: list[_Name]) -> str:
    first = names[0]
    if len(names) == 1 or not first.digits:
        return " ".join(f"{one.before}{one.digits}{one.after}" for one in names)
    return f"{first.before}[{','.join(_runs(names))}]{first.after}"


def _runs(names: Sequence[_Name]) -> Iterator[str]:
    start = last = names[0]
    for one in [*names[1:], None]:
        if one is not None and one.is_next(last):
            last = one
            continue
        yield start.digits if start == last else f"{start.digits}-{last.digits}"
        if one is not None:
            start = last = one
