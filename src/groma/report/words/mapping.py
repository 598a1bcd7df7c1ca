"""What is said of a process mapping, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_ids, format_number, format_value

if TYPE_CHECKING:
    from groma.facts.mapping import MappingFacts

_ROUNDING = 1e-6
"""Relative: loads that differ by less are equal."""


def places_of_ranks(facts: MappingFacts) -> dict[str, list[str]]:
    """What is known of the place of each rank, by the titles of columns. None of them is empty."""
    found = {
        "coordinates": [f"({','.join(map(str, one))})" for one in facts.coordinates],
        "host": [one.host for one in facts.targets],
        "cores": [format_ids(one.cores) or "any" for one in facts.targets],
    }
    ranks = len(facts.mapping)
    padded = {name: [*values, *[""] * ranks][:ranks] for name, values in found.items()}
    return {name: values for name, values in padded.items() if any(values)}


def proof_of(facts: MappingFacts) -> list[str]:
    """What is known of all mappings of these ranks, by the objective."""
    if facts.is_optimal:
        return ["No mapping of these ranks has fewer hop-bytes: this is proven."]
    least, reached = facts.least_congestion, facts.quality.max_congestion
    if least is None or not reached:
        return []
    if reached <= least * (1.0 + _ROUNDING):
        return ["No mapping of these ranks has less on its busiest link: this is proven."]
    bound = f"The busiest link carries at least {format_value(least, 'B')} in every mapping of these ranks"
    return [f"{bound}, here {format_number(reached / least)} times as much. A better mapping may exist."]
