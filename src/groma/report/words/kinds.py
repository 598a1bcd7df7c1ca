"""What records of a kind are called."""

from __future__ import annotations

from groma.facts.kinds import kind_named


def kind_title(name: str) -> str:
    """With a capital, as in a heading; a kind that is not known has its own name."""
    kind = kind_named(name)
    title = kind.title if kind else name
    return title[:1].upper() + title[1:]
