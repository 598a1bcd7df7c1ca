"""All-to-all on tori with a dimension twice as long as the others, directly and in two phases."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from groma.sim.torus.studies.network_only import options_of, workload_value
from groma.sim.torus.studies.study import Case, Expected, Heading, Study, register

if TYPE_CHECKING:
    from groma.sim.torus.protocol import Run

DIRECT = Expected(min=0.64, max=0.70, wanted="0.64 to 0.70")
SMALLER = Expected(note="the published shares are those of 20,480 and 65,536 nodes; small tori lose less")
TWO_PHASE = Expected(min=0.95, wanted="above 0.95")
SAMPLED = TWO_PHASE._replace(note="to a sample of the nodes; published are 0.99")
OF_SMALL_TORI = ("workload.bytes=2400",)
"""Ten packets for each other node. With one, a small torus takes much of the time to begin and to end."""

OF_512 = ("workload.destinations=512",)
OF_256 = ("workload.destinations=256",)
NEAR_PEAK = Expected(min=0.90, wanted="near peak", note="no figure is published; 0.90 is taken for it")


def cases(run: Run, quick: bool) -> list[Case]:
    cube, long = ("4x4x4", "8x4x4") if quick else ("8x8x8", "16x8x8")
    settings = OF_SMALL_TORI if quick else ()
    planned = [
        ("direct, symmetric", "all-to-all", cube, NEAR_PEAK, settings),
        ("two phases, 2:1:1", "two-phase", long, TWO_PHASE, settings),
        ("direct, 2:1:1", "all-to-all", long, SMALLER, settings),
    ]
    if not quick:
        planned += [
            ("direct, 2:1:1, larger", "all-to-all", "24x12x12", SMALLER, ()),
            ("direct, 2:1:1, largest", "all-to-all", "32x16x16", DIRECT, ()),
            ("two phases, 20,480 nodes", "two-phase", "40x32x16", SAMPLED, OF_512),
            ("two phases, 65,536 nodes", "two-phase", "64x32x32", SAMPLED, OF_256),
        ]
    return [
        Case(
            "all-to-all",
            name,
            options_of(run, workload, shape, *own),
            expected,
            partial(workload_value, name="share_of_peak"),
        )
        for name, workload, shape, expected, own in planned
    ]


STUDY = register(
    Study(
        name="asymmetric",
        title="All-to-all on symmetric and asymmetric tori, beside what was measured on Blue Gene/L",
        headings=[
            Heading(
                "all-to-all",
                "All-to-all, adaptive routing",
                "schedule",
                "rate",
                "of peak",
                "published",
                "Kumar et al., ICPP 2008, abstract: 64 % of peak on 64x32x32, 99 % optimised; "
                "RC24327, abstract: 70 % on 40x32x16",
            )
        ],
        cases=cases,
    )
)
