"""Facts about finding the owner of a word in RandomAccess. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from groma.facts.kinds import Kind
from groma.record import Quantity


class OwnerLookup(msgspec.Struct, kw_only=True):
    """The cost (s) of finding the owner of a word in `parts` parts of a table.

    `predicted` is None if there are too many parts for one correction (theorem 4.1); `searched` is then the
    cost without a division. `ratio` is division over the faster method, from the rounds that timed both.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("parts",)

    parts: int
    table_words: int
    divided: Quantity
    predicted: Quantity | None = None
    searched: Quantity | None = None
    ratio: Quantity | None = None


class OwnerFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `randomaccess_owner`."""

    lookups: list[OwnerLookup]


KIND = Kind(
    name="randomaccess_owner",
    title="RandomAccess, owners",
    what="lookups of owners in RandomAccess",
    facts=OwnerFacts,
    schema="randomaccess_owner",
    sections="groma.report.kinds.randomaccess_owner:SECTIONS",
)
