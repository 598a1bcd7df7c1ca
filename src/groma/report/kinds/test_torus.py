"""A simulated run on a torus, on the terminal."""

from __future__ import annotations

from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.report.views.test_support import record_of, simulated


def test_packets_and_updates_have_their_thousands_apart() -> None:
    facts = simulated("randomaccess", packets=1234567, packet_hops=2469134, updates=7654321)
    text = plain(document_of(record_of("torus", facts)))
    assert "1,234,567, 2 hops each" in text
    assert "7,654,321" in text
