import json
from pathlib import Path
from typing import Any

import pytest

from groma.errors import GromaError
from groma.survey.infer.caches import infer_caches
from groma.survey.infer.curve import Curve, read_curve

SIZES = [2**power for power in range(12, 27)]
TITLE = (
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,"
    "error_occurred,error_message\n"
)


def latency(size: int) -> float:
    return next((ns for end, ns in ((2**15, 1.5), (2**20, 5.0)) if size <= end), 90.0)


def benchmark(name: str, ns: float, **fields: Any) -> dict[str, Any]:
    timed = {"name": name, "iterations": 1000, "real_time": ns, "cpu_time": ns, "time_unit": "ns"}
    return {**timed, "run_type": "iteration", **fields}


def read(folder: Path, text: str) -> Curve:
    path = folder / "benchmark.out"
    path.write_text(text)
    return read_curve(path)


def as_json(*benchmarks: dict[str, Any]) -> str:
    return json.dumps({"context": {"num_cpus": 8, "caches": []}, "benchmarks": list(benchmarks)})


WRITTEN = {
    "JSON": as_json(*(benchmark(f"BM_Chase/{size}", latency(size)) for size in SIZES)),
    "options and names of arguments": as_json(
        *(benchmark(f"Chase<Node>/bytes:{size}/iterations:9/real_time", latency(size)) for size in SIZES)
    ),
    "time of a pass, loads as items": as_json(
        *(
            benchmark(f"BM_Chase/{size}", size / 64 * latency(size), items_per_second=1e9 / latency(size))
            for size in SIZES
        )
    ),
    "microseconds": as_json(
        *(benchmark(f"BM_Chase/{size}", latency(size) / 1e3, time_unit="us") for size in SIZES)
    ),
    "repetitions with aggregates": as_json(
        *(
            benchmark(f"BM_Chase/{size}{kind}", ns)
            for size in SIZES
            for kind, ns in (("", latency(size)), ("", latency(size)), ("_mean", 1e3), ("_stddev", 0.1))
        )
    ),
    "aggregates only": as_json(
        *(
            benchmark(f"BM_Chase/{size}{kind}", ns)
            for size in SIZES
            for kind, ns in (("_mean", 1e3), ("_median", latency(size)), ("_cv", 0.1))
        )
    ),
    "CSV": "2026-01-01T00:00:00+00:00\nRunning ./chase\nCPU Caches:\n"
    + TITLE
    + "".join(f'"BM_Chase/{size}",1000,{latency(size)},{latency(size)},ns,,,,,\n' for size in SIZES),
}


WRITTEN["table on the terminal, unit in the name"] = (
    "CPU Caches:\n  L1 Data 32K (x2)\n" + 60 * "-" + "\n"
    "Benchmark                Time       CPU   Iterations      Nodes  Read Rate\n"
    + 60 * "-"
    + "\n"
    + "".join(
        f"list/size KB:{size >> 10}  {latency(size)} ns  {latency(size)} ns  1000  2k 4.3G/s\n"
        for size in SIZES
    )
)
WRITTEN["table with items"] = "Benchmark Time CPU Iterations UserCounters...\n" + "".join(
    f"BM_Chase/{size} {size} us {size} us 1000 items_per_second={1e3 / latency(size):.9g}M/s\n"
    for size in SIZES
)


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN.keys())
def test_output_of_google_benchmark_is_read(tmp_path: Path, text: str) -> None:
    curve = read(tmp_path, text)
    assert curve.size_bytes.tolist() == SIZES
    assert curve.latency.tolist() == pytest.approx([latency(size) for size in SIZES])
    assert [cache.size.value for cache in infer_caches(curve).caches] == [2**15, 2**20]


def test_several_benchmarks_are_refused_by_their_names(tmp_path: Path) -> None:
    both = as_json(*(benchmark(f"{name}/{size}", 1.0) for name in ("Chase", "Stream") for size in SIZES))
    with pytest.raises(GromaError, match="several benchmarks: 'Chase, Stream'"):
        read(tmp_path, both)


@pytest.mark.parametrize("text", ['{"benchmarks": 3}', "{", "[]", '{"benchmarks": [1, {}]}', TITLE])
def test_output_without_a_benchmark_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(GromaError):
        read(tmp_path, text)
