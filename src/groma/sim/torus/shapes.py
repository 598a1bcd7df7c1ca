"""The shape of a simulated torus as it is typed: 8x8x8, and the dimensions whose ends are not joined."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.record.counting import counted

if TYPE_CHECKING:
    from groma.interconnect.lattice import Shape

MOST_DIMENSIONS = 6
MOST_NODES = 1 << 20
MOST_EXTENT = 1 << 14

AXES = ("x", "y", "z", "a", "b", "c")
"""Names of the dimensions."""


class Extents(NamedTuple):
    """`closed` says for each dimension whether its ends are joined."""

    shape: Shape
    closed: tuple[bool, ...]

    @property
    def nodes(self) -> int:
        return math.prod(self.shape)

    @property
    def title(self) -> str:
        """E.g. "torus 8x8x8", "mesh 4x4", "torus 4x4x2, z open"."""
        extents = "x".join(map(str, self.shape))
        if not any(self.closed):
            return f"mesh {extents}"
        opened = [axis for axis, closed in zip(AXES, self.closed, strict=False) if not closed]
        return f"torus {extents}" + (f", {', '.join(opened)} open" if opened else "")


def extents_of(shape: str, mesh: str = "") -> Extents:
    """`mesh` names the dimensions whose ends are open, such as "xy". Raises GromaError (exit code 2)."""
    found = _shape(shape)
    opened = _axes(mesh, len(found))
    return Extents(found, tuple(axis not in opened for axis in AXES[: len(found)]))


def _shape(text: str) -> Shape:
    step = f"give 1 to {MOST_DIMENSIONS} sizes of at least 1, such as 8x8x8"
    words = text.strip().lower().split("x")
    if not all(re.fullmatch(r"-?[0-9]{1,9}", word) for word in words):
        raise GromaError(f"--shape {text}: this is not a shape", step)
    shape = tuple(int(word) for word in words)
    if len(shape) > MOST_DIMENSIONS:
        raise GromaError(f"--shape {text}: {len(shape)} dimensions are too many", step)
    for size in shape:
        if not 1 <= size <= MOST_EXTENT:
            raise GromaError(f"--shape {text}: the size {size} is not between 1 and {MOST_EXTENT}", step)
    if not 2 <= math.prod(shape) <= MOST_NODES:
        raise GromaError(
            f"--shape {text}: it has {counted(math.prod(shape), 'node')}, not 2 to {MOST_NODES}", step
        )
    return shape


def _axes(text: str, dimensions: int) -> set[str]:
    known = AXES[:dimensions]
    for axis in text:
        if axis not in known:
            raise GromaError(
                f"--mesh {text}: {axis!r} is not a dimension", f"name some of {', '.join(known)}"
            )
    return set(text)
