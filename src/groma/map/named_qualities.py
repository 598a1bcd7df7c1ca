"""The figures of a mapping as quantities with names, so that records of mappings can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.mapping import MappingFacts, MappingQuality

_UNITS = {"hop_bytes": "B", "dilation": "ratio", "max_congestion": "B", "modularity": "ratio"}


def named_qualities(facts: MappingFacts) -> Iterator[tuple[tuple[str, ...], Quantity]]:
    """Of the mapping and of its baselines, each with the words of its name. None where no traffic is known:
    a mapping by weights has no baselines.
    """
    if not facts.baselines:
        return
    yield from _figures(("quality",), facts.quality)
    for name, quality in facts.baselines.items():
        yield from _figures(("baselines", name), quality)


def _figures(words: tuple[str, ...], quality: MappingQuality) -> Iterator[tuple[tuple[str, ...], Quantity]]:
    for field, unit in _UNITS.items():
        value = getattr(quality, field)
        if value is not None:
            yield (*words, field), _exact(value, unit)


def _exact(value: float, unit: str) -> Quantity:
    method = "follows from the traffic, the mapping and the distances"
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=1.0, method=method)
