"""Where cores lie, for drawings of matrices over cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.survey import Core


def package_borders(cores: Sequence[int], known: Sequence[Core]) -> list[int]:
    """Indices at which the package changes from one core of the list to the next."""
    packages = {core.logical: core.package for core in known}
    homes = [packages.get(core) for core in cores]
    return [number for number in range(1, len(homes)) if homes[number] != homes[number - 1]]
