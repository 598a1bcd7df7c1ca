"""A simulated run on a torus, on the terminal."""

from __future__ import annotations

from groma.facts.torus import TokenStalls, TorusFacts
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.report.views.test_support import measured, record_of


def test_packets_and_updates_have_their_thousands_apart() -> None:
    facts = TorusFacts(
        machine="bluegene-p",
        title="torus 2x2",
        workload="randomaccess",
        shape=[2, 2],
        closed=[True, True],
        axes=["x", "y"],
        frequency=850e6,
        time=measured(1e-3, "s"),
        packets=1234567,
        packet_hops=2469134,
        updates=7654321,
        stalls=TokenStalls(cycles=0.0, share=0.0),
    )
    text = plain(document_of(record_of("torus", facts)))
    assert "1,234,567, 2 hops each" in text
    assert "7,654,321" in text
