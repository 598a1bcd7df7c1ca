"""Records of a suite that nobody ran, with the samples that a test gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.hpcc import HpccFacts
from groma.hpcc.infer import facts_of_test
from groma.record import Build, ProbeSamples, Record
from groma.record.launch import Launch

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
    launch = Launch(
        launcher="none",
        command="",
        ranks=around.pop("ranks", 2),
        nodes=1,
        threads=1,
        binding="core",
        inter_node=False,
        mpi=around.pop("mpi", "Open MPI 4"),
        blas="OpenBLAS",
    )
    return Record(
        kind="hpcc",
        created=around.pop("created", "2026-01-01T00:00:00+00:00"),
        command=around.pop("command", ["groma", "hpcc", "--only", "stream"]),
        build=Build(version="1"),
        environment={"host": "node17", "kernel": "6.1", **around},
        parameters={},
        samples={samples.probe: samples},
        facts=HpccFacts(tests=[facts_of_test(samples.probe, "STREAM", [samples], None)], launch=launch),
    )
