"""No number that a user can set makes a simulation crash, hang, or tell what cannot be."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groma.errors import GromaError
from groma.machine.files import find_machine
from groma.sim.torus.protocol import Run
from groma.sim.torus.simulation_plan import SimulationOptions, SimulationPlan, plan_of
from groma.sim.torus.workloads import WORKLOADS

PROGRAM = Path(__file__).parents[2] / "build/default/native/groma-torus"
pytestmark = pytest.mark.skipif(not PROGRAM.is_file(), reason="groma-torus is not built")

MACHINE = find_machine("bluegene-p")
VALUES = ["-1", "0", "1", "0.5", "1e-30", "1e9", "1e18", "1e300"]
TIME_LIMIT = 0.1  # s
HANGS = 60.0  # s
DONE, REFUSED = 0, 2
"""Exit codes; a run that was stopped or is stuck is done."""


def asked(workload: str, *settings: str) -> SimulationPlan:
    options = SimulationOptions(
        machine=MACHINE,
        workload=workload,
        shape="3x2",
        updates=50 if workload == "randomaccess" else None,
        settings=settings,
        run=Run(time_limit=TIME_LIMIT),
    )
    return plan_of(options)


def numbers_of(workload: str) -> list[str]:
    return [one.name for one in asked(workload).parameters if not isinstance(one.value, str)]


ONE_OF_EACH_KIND = {"randomaccess", "uniform", "halo"}
"""Of updates, packets and messages; the others of a kind read the same numbers of the machine."""
CASES = [
    (workload, name)
    for workload in WORKLOADS
    if workload not in {"replay", "transpose", "bit-reverse"}  # which need a trace, and other shapes
    for name in numbers_of(workload)
    if name.startswith("workload.") or workload in ONE_OF_EACH_KIND
]


def impossible(value: Any, place: str = "") -> list[str]:
    """Where a result has a number below 0 or none."""
    match value:
        case dict():
            return [bad for name, one in value.items() for bad in impossible(one, f"{place}.{name}")]
        case list():
            return [bad for i, one in enumerate(value) for bad in impossible(one, f"{place}.{i}")]
        case float() | int():
            return [] if math.isfinite(value) and value >= 0 else [f"{place} = {value}"]
        case _:
            return []


@pytest.mark.parametrize(("workload", "name"), CASES, ids=str)
def test_any_number_is_simulated_or_refused(workload: str, name: str) -> None:
    for value in VALUES:
        try:
            plan = asked(workload, f"{name}={value}")
        except GromaError:
            continue
        done = subprocess.run(
            [PROGRAM],
            input=msgspec.json.encode(plan.request),
            capture_output=True,
            timeout=HANGS,
            check=False,
        )
        assert done.returncode in {DONE, REFUSED}, (value, done.stderr)
        if done.returncode == DONE:
            result = json.loads(done.stdout.splitlines()[-1])
            assert not impossible(result), value
