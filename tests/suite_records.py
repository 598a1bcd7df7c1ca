"""Records of a suite that nobody ran, with the samples that a test gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.hpcc import Figure, HpccFacts, HpccTest
from groma.hpcc.infer import facts_of_test
from groma.record import Build, ProbeSamples, Quantity, Record, SampleSummary
from groma.record.launch import CheckResult, Launch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def stream(series: Mapping[str, Sequence[float]], unit: str = "B/s", mode: str = "star") -> ProbeSamples:
    return ProbeSamples(
        probe="stream",
        cases=[{"unit": unit, "series": name, "mode": mode} for name in series],
        values=[list(values) for values in series.values()],
    )


def suite_record(samples: ProbeSamples, **around: Any) -> Record[HpccFacts]:
    """A run of `samples`; `around` is of the environment, but `ranks` and `mpi` are of the launch."""
    started = launch(around.pop("ranks", 2), mpi=around.pop("mpi", "Open MPI 4"), blas="OpenBLAS")
    return Record(
        kind="hpcc",
        created=around.pop("created", "2026-01-01T00:00:00+00:00"),
        command=around.pop("command", ["groma", "hpcc", "--only", "stream"]),
        build=Build(version="1"),
        environment={"host": "node17", "kernel": "6.1", **around},
        parameters={},
        samples={samples.probe: samples},
        facts=HpccFacts(tests=[facts_of_test(samples.probe, "STREAM", [samples], None)], launch=started),
    )


def measured(value: float, unit: str) -> Quantity:
    low, high = 0.9 * value, 1.1 * value
    samples = SampleSummary(n=5, min=low, p5=low, p50=value, p95=high)
    return Quantity(
        value=value, unit=unit, low=low, high=high, confidence=0.94, method="median", samples=samples
    )


def a_test(name: str, *figures: Figure, checks: list[CheckResult] | None = None) -> HpccTest:
    return HpccTest(name=name, title=name, done=True, figures=list(figures), checks=checks or [])


def check(name: str, *, passed: bool = True) -> CheckResult:
    return CheckResult(name=name, value=0.5, limit=16, passed=passed)


def launch(ranks: int, mpi: str = "", blas: str = "", **more: Any) -> Launch:
    """On one node, unless `more` says otherwise."""
    usual: dict[str, Any] = {
        "launcher": "",
        "command": "",
        "binding": "core",
        "nodes": 1,
        "threads": 1,
        "inter_node": False,
    }
    return Launch(**(usual | {"mpi": mpi, "blas": blas, "ranks": ranks} | more))


FASTER = Figure(series="WR01", mode="mpi", value=measured(5e10, "flop/s"))
HPL = a_test("hpl", Figure(series="WR00", mode="mpi", value=measured(4e10, "flop/s")), FASTER)
PTRANS = a_test("ptrans", Figure(series="ptrans", mode="mpi", value=measured(2e9, "B/s")))
