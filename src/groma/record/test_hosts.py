from __future__ import annotations

import pytest

from groma.record.hosts import pattern_of_hosts


@pytest.mark.parametrize(
    ("host", "pattern"),
    [
        ("node17", "node*"),
        ("node17.example.org", "node*"),
        ("node-17", "node-*"),
        ("r1i0n16", "r*i*n*"),
        ("x1000c0s0b0n1", "x*c*s*b*n*"),
        ("ip-10-0-3-44.internal", "ip-*-*-*-*"),
        ("site1n7", "site1n*"),
        ("10.0.3.44", "10.0.3.*"),
        ("login.example.org", "login.example.org"),
        ("", ""),
    ],
)
def test_hosts_of_one_cluster_have_one_pattern(host: str, pattern: str) -> None:
    assert pattern_of_hosts(host) == pattern
