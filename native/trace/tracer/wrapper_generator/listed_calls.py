"""The calls of mpi_calls.txt, and what the record of each holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE_COUNT = 1000
# In the order in which a record holds them (log/calls.hpp has the same list).
FIELDS = (
    "send_bytes", "destination", "send_tag", "receive_bytes", "source", "receive_tag", "bytes", "target",
    "root", "communicator", "new_communicator", "request", "message", "flag",
)  # fmt: skip
RECEIVED = "receive_bytes"
SENDS = ("send", "isend", "send_init", "partitioned_send_init")
RECEIVES = ("receive", "ireceive", "receive_init", "partitioned_receive_init", "probe", "mprobe", "mreceive",
            "imreceive")  # fmt: skip
MATCHED_RECEIVES = ("mreceive", "imreceive")
# The calls that may change a handle before it is recorded.
CHANGING = {"request": ("start", "cancel", "request_free", "partition"), "message": MATCHED_RECEIVES}
DIRECT = {  # the parameter of a field that is recorded as it is
    "dest": "destination", "source": "source", "stag": "send_tag", "rtag": "receive_tag", "target": "target",
    "root": "root", "comm": "communicator", "newcomm": "new_communicator", "freedcomm": "communicator",
    "request": "request", "message": "message", "flag": "flag",
}  # fmt: skip


def word_of(parameter: str) -> str:
    """A parameter without what follows its name."""
    return re.sub("[^a-z].*", "", parameter)


@dataclass(frozen=True)
class Call:
    """A call of the list."""

    name: str
    value: int
    kind: str
    family: str
    state: str
    parameters: tuple[str, ...]

    @property
    def large(self) -> bool:
        return self.name.endswith("_c")

    def at(self, name: str) -> int | None:
        """The position of a parameter, whatever its suffix."""
        return next((i for i, one in enumerate(self.parameters) if word_of(one) == name), None)

    def is_read_before(self, word: str) -> bool:
        """Whether a handle is read before the call, into a variable of its name."""
        return self.at(word) is not None and self.kind in CHANGING.get(word, ())

    def side(self) -> str:
        """What a count without a side counts."""
        if self.kind in SENDS or self.kind in ("sendrecv", "isendrecv"):
            return "send_bytes"
        return "receive_bytes" if self.kind in RECEIVES else "bytes"

    def field_of(self, parameter: str) -> str | None:
        """The field that a parameter makes."""
        word = word_of(parameter)
        if word == "tag":
            return "send_tag" if self.kind in SENDS else "receive_tag"
        if word == "request" and self.kind == "wait":
            return None
        if word == "type" and self.at("count") is None:
            return self.side()
        if "@" in parameter:
            return "send_bytes"
        counts = {"count": self.side(), "scount": "send_bytes", "rcount": "receive_bytes"}
        return counts.get(word) or DIRECT.get(word)

    def fields(self) -> list[tuple[str, int]]:
        """The fields of its record with the parameters they come from, in the order of the record."""
        made = {self.field_of(one): i for i, one in enumerate(self.parameters)}
        made |= dict.fromkeys((RECEIVED for one in self.parameters if "@" in one), made.get("send_bytes", 0))
        return [(field, made[field]) for field in FIELDS if field in made]


def calls(listed: str) -> Iterator[Call]:
    """The calls of the list, each followed by its large-count variant."""
    section = ("", "", "")
    for line in listed.splitlines():
        if line.startswith("["):
            kind, family, state = line.strip("[]").split()
            section = (kind, family, state)
        elif line and not line.startswith("#"):
            head, _, parameters = line.partition(":")
            name, value = head.split()
            call = Call(name, int(value), *section, tuple(parameters.split()))
            yield call
            if any(re.match("[sr]?count|large", one) for one in call.parameters):
                yield Call(f"{name}_c", int(value) + LARGE_COUNT, *section, call.parameters)
