"""Ranks side by side: as much work as there are ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.facts.hpcc import HpccFacts
from groma.report.views.run import machines, ranks
from groma.report.views.run.sampled import Member, OverRanks, Spread
from groma.report.views.test_support import launch_of, placed, record_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MACHINES = 200
MOST_WALKS = 10
"""Over all ranks, for whatever is shown of them."""


class Walked(list[Member]):
    """A list that knows how often it was walked through."""

    walks = 0

    def __iter__(self) -> Iterator[Member]:
        self.walks += 1
        return super().__iter__()


@pytest.mark.parametrize("view", [machines, ranks], ids=["machines", "ranks"])
def test_the_ranks_are_not_walked_through_for_each_of_them(
    view: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = Walked(Member(rank, "", Spread(1.0, 1 + rank / MACHINES, 2.0)) for rank in range(MACHINES))
    monkeypatch.setattr(view, "over_ranks", lambda _: [OverRanks("STREAM triad", "B/s", members)])
    placement = [placed(rank, [0], f"node{rank}", f"boot{rank}") for rank in range(MACHINES)]
    record = record_of("hpcc", HpccFacts(tests=[], launch=launch_of(placement=placement)))
    shown = machines.machines(record) if view is machines else ranks.ranks(record)
    assert len(shown) == 1
    assert 0 < members.walks <= MOST_WALKS
