"""Synthetic records of the torus simulator: a run on a small torus, or a study.

    python example_torus.py run|study [--seed 1] > example-torus.json

The loads of links and the progress of updates are made up; one plane of nodes is busier than the others.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import TYPE_CHECKING, Any

import msgspec
from example_run import BUILD, CREATED, environment

from groma.machine.files import find_machine
from groma.record import Record
from groma.sim.torus.infer import facts_of
from groma.sim.torus.protocol import Result, Run
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of
from groma.sim.torus.studies.study import row_of, study_named
from groma.sim.torus.study_run import CompletedRow, StudyRequest, facts_of_study, planned

if TYPE_CHECKING:
    from groma.facts.torus import TorusFacts
    from groma.facts.torus_study import TorusStudyFacts
    from groma.sim.torus.simulation_plan import SimulationPlan

PORTS = 6


def example_run(seed: int = 1) -> Record[TorusFacts]:
    options = SimulationOptions(
        machine=find_machine("bluegene-p"), shape="4x4x4", run=Run(seed=seed, threads=1)
    )
    plan = plan_of(options)
    return _record("torus", facts_of(plan, _result(plan, seed, 0.38)))


def example_study(seed: int = 1) -> Record[TorusStudyFacts]:
    task = StudyRequest("table-4", Run(seed=seed, threads=1), quick=True, only=["multi-core"])
    study = study_named(task.study)
    cases = planned(task, study)
    done = []
    for case in cases:
        plan = plan_of(case.options)
        rate = 1.02 * (case.expected.value or 1.0)
        facts = facts_of(plan, _result(plan, seed, rate))
        done.append(CompletedRow(case, row_of(case, facts), facts.parameters))
    return _record("torus_study", facts_of_study(task, study, cases, done))


def _result(plan: SimulationPlan, seed: int, rate: float) -> Result:
    """Updates follow each other evenly, but for noise; `rate` is that of the whole torus in GUP/s."""
    rng = random.Random(seed)  # noqa: S311 - an example, not a secret
    nodes, updates = plan.extents.nodes, plan.updates
    time = updates / rate * plan.frequency / 1e9
    busy = [rng.uniform(0.3, 0.4) + 0.2 * (node % 4 == 0) for node in range(nodes) for _ in range(PORTS)]
    samples = [[time * at / 100, updates * at / 100 * (1 + rng.uniform(-1, 1) / 400)] for at in range(101)]
    return msgspec.convert(
        {
            "event": "result",
            "finished": True,
            "time": time,
            "packets": updates // 9,
            "packet_hops": updates // 3,
            "bytes": 8.0 * updates,
            "updates": updates,
            "window": {"samples": samples},
            "latency": {"n": 9, "min": 600, "p5": 700, "p50": 900, "p95": 2e3, "max": 5e3, "mean": 1e3},
            "stalls": {"tokens": time, "by_direction": [time / PORTS] * PORTS},
            "links": {
                "busy": {"min": min(busy), "mean": sum(busy) / len(busy), "max": max(busy)},
                "by_direction": [sum(busy[port::PORTS]) / nodes for port in range(PORTS)],
                "values": busy,
                "stalled": [one / 20 for one in busy],
            },
            "loads": [0.71, 0.77, 0.78, 0.94],
            "wall": 1.5,
            "memory_per_node": 9000.0,
        },
        Result,
    )


def _record(kind: str, facts: Any) -> Record[Any]:
    return Record(
        kind=kind,
        created=CREATED,
        command=["groma", "sim", "torus"],
        build=BUILD,
        environment=environment(),
        parameters={},
        samples={},
        facts=facts,
    )


EXAMPLES = {"run": example_run, "study": example_study}


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints a synthetic record of the torus simulator.")
    parser.add_argument("what", choices=EXAMPLES)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    sys.stdout.buffer.write(msgspec.json.encode(EXAMPLES[args.what](args.seed)) + b"\n")


if __name__ == "__main__":
    main()
