"""Short names for the content of a problem: equal where the same traffic is mapped to the same places."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from groma.map.machine import MatrixMachine

if TYPE_CHECKING:
    from groma.map.matrix import Matrix
    from groma.map.topologies import FoundMachine

_DIGITS = 12


def traffic_digest(matrix: Matrix) -> str:
    """Of the number of ranks and the bytes of each pair, whatever file they are from."""
    hashed = hashlib.sha256(f"{matrix.ranks}\n".encode())
    for one in sorted(matrix.traffic, key=lambda one: (one.source, one.target)):
        if one.bytes > 0:
            hashed.update(f"{one.source} {one.target} {float(one.bytes)!r}\n".encode())
    return hashed.hexdigest()[:_DIGITS]


def machine_digest(found: FoundMachine) -> str:
    """Of the distances of all places, and of those that ranks may use."""
    machine = found.machine
    hashed = hashlib.sha256(np.array(found.allowed, dtype=np.int64).tobytes())
    if isinstance(machine, MatrixMachine):
        hashed.update(machine.distance.ravel().data)
    else:
        hashed.update("\n".join(machine.words()).encode())
    return hashed.hexdigest()[:_DIGITS]
