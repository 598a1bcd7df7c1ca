"""Warnings in an order and a number that somebody reads on a terminal; the page folds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record import Advice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_ALIKE = 5
"""A hundred systems have one and the same warning: the first tell it, the record has all."""


def grouped(advice: Iterable[Advice]) -> list[list[Advice]]:
    """What is the same finding stands together, of many the first and how many more there are."""
    groups: dict[tuple[str, str], list[Advice]] = {}
    for one in advice:
        groups.setdefault((one.code, one.next), []).append(one)
    return [_shortened(group) for group in groups.values()]


def _shortened(group: Sequence[Advice]) -> list[Advice]:
    if len(group) <= MOST_ALIKE:
        return list(group)
    last, left = group[-1], len(group) - MOST_ALIKE + 1
    rest = Advice(code=last.code, what=f"and {left} more of this kind (--json has them)", next=last.next)
    return [*group[: MOST_ALIKE - 1], rest]
