"""Uniform traffic: what the network takes of what is offered, up to the bound of its bisection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.sim.torus.infer import exact
from groma.sim.torus.studies.network_only import options_of
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.record import Quantity
    from groma.sim.torus.protocol import Run

LOADS = (0.5, 0.8, 0.9, 0.95, 1.0)

TOLERANCE = 0.05


def share(facts: TorusFacts) -> Quantity:
    return exact(facts.values["accepted"][0] / facts.values["bound"][0], "")


def cases(run: Run, quick: bool) -> list[Case]:
    shape = "4x4x4" if quick else "8x8x8"
    return [
        Case(
            "uniform",
            str(load),
            options_of(run, "uniform", shape, f"workload.load={load}", "workload.warm_up=100000"),
            Expected(load, TOLERANCE),
            share,
        )
        for load in LOADS
    ]


STUDY = register(
    Study(
        name="saturation",
        title="Uniform traffic, beside the bound of the bisection",
        headings=[
            Heading(
                "uniform",
                "Uniform traffic, adaptive routing",
                "offered",
                "accepted",
                "of the bound",
                "expected",
                "the bound is 8 links / extent for each node; all that is offered below it should arrive",
            )
        ],
        cases=cases,
    )
)
