"""A rank is as planned on the host and cores that the mapping gave it, whatever the host is called."""

from __future__ import annotations

import pytest

from groma.facts.placed import PlacedRank


def on(host: str, planned: str) -> bool:
    return PlacedRank(rank=0, host=host, cpus=[], planned_host=planned, planned_cpus=[]).is_as_planned


@pytest.mark.parametrize("host", ["n1", "n1.cluster", "n1.other.domain"])
def test_names_are_compared_without_their_domain(host: str) -> None:
    assert on(host, "n1.cluster")
    assert not on(host, "n2.cluster")


def test_addresses_have_no_domain() -> None:
    assert on("10.0.0.1", "10.0.0.1")
    assert not on("10.0.0.1", "10.0.0.2")
    assert not on("fe80::1", "fe80::2")
