"""What the names of hosts of one cluster have in common. Pure."""

from __future__ import annotations

import re

_PLACE = re.compile(r"(?:(?<![A-Za-z\d])(?:[A-Za-z]\d+){2,}|(?:-\d+){2,}|\d+)$")
"""Rack, chassis and node, an address, or a number, at the end of a name: r1i0n16, ip-10-0-3-44, node17.

Other numbers may be those of a cluster: site1n7.
"""


def pattern_of_hosts(host: str) -> str:
    """`node*` of `node17` and of `node17.example`: one stands for all. Without a place the host itself."""
    is_address = host.replace(".", "").isdecimal()
    name = host if is_address else host.partition(".")[0]
    place = _PLACE.search(name)
    return host if place is None else name[: place.start()] + re.sub(r"\d+", "*", place[0])
