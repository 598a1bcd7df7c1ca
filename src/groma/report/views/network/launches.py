"""How the ranks of each part of the network survey were started, and where they were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report.blocks import DataTable, Option, chosen_from, table_figure
from groma.report.views.network.registry import network_view
from groma.report.views.run.placement import placement_figure
from groma.report.words.launch import binding_words, label_words, machines_words
from groma.report.words.text import joined

if TYPE_CHECKING:
    from groma.facts.network import NetworkFacts, NetworkLaunch
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks


@network_view(order=10)
def launches(network: NetworkFacts) -> Blocks:
    started = network.launches
    rows: list[list[Cell]] = [
        [
            _purpose(one),
            one.launch.ranks,
            machines_words(one.launch),
            binding_words(one.launch),
            one.launch.mpi,
        ]
        for one in started
    ]
    options = [
        Option(label=_purpose(one), figure=placement_figure(f"network-placement-{number}", one.launch))
        for number, one in enumerate((one for one in started if one.launch.placement), start=1)
    ]
    return [
        *table_figure(
            "network-launches",
            "Launches",
            "How the ranks of each part were started, and where they reported to run.",
            DataTable(columns=["for", "ranks", "machines", "placement", "MPI"], rows=rows),
            data=started,
        ),
        *table_figure(
            "network-launch-lines",
            "Launch lines",
            "Use these commands to start a part again in a shell.",
            DataTable(
                columns=["for", "launch line"], rows=[[_purpose(one), one.launch.command] for one in started]
            ),
            data=[one.launch.command for one in started],
        ),
        *chosen_from("network-placement", "Where the ranks were:", options),
    ]


def _purpose(one: NetworkLaunch) -> str:
    """`net_access, per node 2`."""
    return joined(*one.probes, label_words(one.labels))
