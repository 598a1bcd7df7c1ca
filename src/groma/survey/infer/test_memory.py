from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from groma.facts.survey import Memory
from groma.record import ProbeSamples, Topology, TopologyCache, TopologyCore, TopologyNuma
from groma.survey.infer.memory import infer_memory
from groma.survey.infer.registry import Evidence, Inferred, infer_node

READ = {"kernel": "read", "formula": "sum += a", "reads": 1, "writes": 0}
TRIAD = {"kernel": "triad", "formula": "a = b + s c", "reads": 2, "writes": 1}


def noisy(value: float, n: int = 60, *, spread: float = 0.03, outliers: float = 0.0) -> list[float]:
    """Bandwidths around a truth; outliers lost a part of their core."""
    random = np.random.default_rng(int(value) % 1000)
    values = value * (1 + spread * random.standard_normal(n))
    values[random.random(n) < outliers] /= 4
    return [float(one) for one in values]


def stream_case(kernel: dict[str, Any], threads: int) -> dict[str, Any]:
    streams = kernel["reads"] + kernel["writes"]
    return {
        "unit": "B/s",
        **kernel,
        "threads": threads,
        "cores": list(range(threads)),
        "isa": "avx2",
        "strands": 2,
        "flops_per_element": 2,
        "bytes_per_element": 8 * streams,
        "write_allocate_per_element": 8 * kernel["writes"],
        "bytes_per_pass": 8_000_000 * threads,
    }


def streams(curves: dict[str, dict[int, list[float]]]) -> ProbeSamples:
    kernels = {"read": READ, "triad": TRIAD}
    found = [
        (stream_case(kernels[name], threads), values)
        for name, points in curves.items()
        for threads, values in points.items()
    ]
    return ProbeSamples(
        probe="memory_bandwidth", cases=[case for case, _ in found], values=[values for _, values in found]
    )


def loaded(points: dict[tuple[float | None, float], tuple[float, float]], injectors: int = 3) -> ProbeSamples:
    """(read fraction, pace) -> (latency in s, bandwidth in B/s); None stands for the idle memory."""
    cases: list[dict[str, Any]] = []
    values: list[list[float]] = []
    for (share, pace), (latency, moved) in points.items():
        common = {
            "kernel": None if share is None else f"mix{share}",
            "read_fraction": share,
            "pace": pace,
            "injectors": 0 if share is None else injectors,
            "core": 0,
        }
        cases += [
            {"unit": "s", "quantity": "latency", **common},
            {"unit": "B/s", "quantity": "bandwidth", **common},
        ]
        values += [noisy(latency * 1e9), noisy(moved) if moved else [0.0] * 60]
        values[-2] = [one / 1e9 for one in values[-2]]
    return ProbeSamples(probe="loaded_latency", cases=cases, values=values)


def inferred(*probes: ProbeSamples, virtual: bool = False) -> Inferred:
    return infer_memory(Evidence({one.probe: one for one in probes}, virtual=virtual))


def memory_of(*probes: ProbeSamples) -> Memory:
    value = inferred(*probes).value
    assert isinstance(value, Memory)
    return value


def test_bandwidth_is_the_median_with_its_interval() -> None:
    memory = memory_of(streams({"triad": {1: noisy(10e9, outliers=0.3)}}))
    point = memory.bandwidth["triad"][0]
    assert point.value.value == pytest.approx(10e9, rel=0.03)
    assert point.value.low <= point.value.value <= point.value.high
    assert point.value.confidence >= 0.95
    assert point.value.unit == "B/s"


def test_best_stands_beside_the_median_and_not_in_its_place() -> None:
    point = memory_of(streams({"triad": {1: noisy(10e9, spread=0.1)}})).bandwidth["triad"][0]
    assert point.best is not None
    assert point.best.value > point.value.value
    assert point.value.samples is not None
    assert point.best.value == pytest.approx(point.value.samples.p95)


def test_curve_ascends_over_cores_whatever_the_order_of_cases() -> None:
    memory = memory_of(streams({"read": {4: noisy(30e9), 1: noisy(10e9), 2: noisy(19e9)}}))
    assert [point.cores for point in memory.bandwidth["read"]] == [1, 2, 4]
    assert memory.bandwidth["read"][2].placed == [0, 1, 2, 3]


def test_bytes_and_flops_of_a_kernel_are_stated() -> None:
    kernel = memory_of(streams({"triad": {1: noisy(10e9)}})).kernels["triad"]
    assert (kernel.bytes_per_element, kernel.write_allocate_per_element) == (24, 8)
    assert (kernel.formula, kernel.isa, kernel.strands) == ("a = b + s c", "avx2", 2)


def test_cases_without_samples_are_not_measured() -> None:
    memory = memory_of(streams({"triad": {1: noisy(10e9), 2: []}, "read": {1: []}}))
    assert [point.cores for point in memory.bandwidth["triad"]] == [1]
    assert "read" not in memory.bandwidth
    assert "read" not in memory.kernels


def test_one_sample_has_no_confidence() -> None:
    assert memory_of(streams({"triad": {1: [10e9]}})).bandwidth["triad"][0].value.confidence == 0.0


def test_loaded_latency_grows_from_the_idle_memory_along_each_mix() -> None:
    points: dict[tuple[float | None, float], tuple[float, float]] = {(None, 0.0): (90e-9, 0.0)}
    for share in (1.0, 0.5):
        for pace, latency in ((1.0, 300e-9), (0.5, 120e-9), (0.05, 92e-9)):
            points[share, pace] = (latency, 40e9 * pace)
    found = memory_of(loaded(points)).loaded_latency
    assert [one.read_fraction for one in found] == [0.5] * 4 + [1.0] * 4
    for curve in (found[:4], found[4:]):
        assert curve[0].bandwidth.value == 0.0
        assert curve[0].injectors == 0
        assert curve[0].latency.value == pytest.approx(90e-9, rel=0.03)
        assert [one.bandwidth.value for one in curve] == sorted(one.bandwidth.value for one in curve)
        assert curve[-1].latency.value == pytest.approx(300e-9, rel=0.03)


def test_one_core_has_no_latency_under_load_and_says_so() -> None:
    found = inferred(loaded({(None, 0.0): (90e-9, 0.0)}))
    assert found.value is None
    assert [advice.code for advice in found.advice] == ["memory.not_loaded"]


def test_a_latency_without_its_bandwidth_is_left_out() -> None:
    samples = loaded({(None, 0.0): (90e-9, 0.0), (1.0, 0.5): (120e-9, 20e9)})
    samples.values[3] = []
    found = inferred(samples)
    assert found.value is None
    assert found.advice == ()


def test_scattered_samples_are_called_unstable_with_their_spread() -> None:
    steady, wild = noisy(10e9), [4e9, 12e9] * 30
    found = inferred(streams({"triad": {1: steady, 2: wild}}))
    assert [advice.code for advice in found.advice] == ["memory.unstable"]
    assert "triad (cores: 2)" in found.advice[0].what
    assert "100\u00a0%" in found.advice[0].what
    assert "other guests" not in found.advice[0].next


def test_in_a_virtual_machine_neighbours_are_named() -> None:
    found = inferred(streams({"triad": {1: [4e9, 12e9] * 30}}), virtual=True)
    assert "other guests" in found.advice[0].next


def test_steady_samples_need_no_advice() -> None:
    assert inferred(streams({"triad": {1: noisy(10e9)}})).advice == ()


def test_without_samples_nothing_is_known() -> None:
    empty = ProbeSamples(probe="memory_bandwidth", cases=[], values=[])
    assert inferred(empty).value is None


def test_latency_of_the_idle_memory_is_that_beyond_the_last_cache() -> None:
    sizes = [m * 2**e for e in range(9, 24) for m in range(8, 16)]
    cases = [{"unit": "s", "size_bytes": size, "pages": "huge"} for size in sizes]
    steps = ((1 << 15, 1e-9), (1 << 20, 4e-9), (1 << 40, 95e-9))
    values = [
        [one / 1e9 for one in noisy(1e9 * next(t for end, t in steps if size <= end), 20, spread=0.005)]
        for size in sizes
    ]
    memory = memory_of(ProbeSamples(probe="load_latency", cases=cases, values=values))
    assert memory.latency is not None
    assert memory.latency.value == pytest.approx(95e-9, rel=0.05)
    assert memory.bandwidth == {}


def test_memory_is_a_registered_fact() -> None:
    facts, _ = infer_node({"memory_bandwidth": streams({"triad": {1: noisy(10e9)}})}, None)
    assert facts.memory is not None


def curve_up_to(largest: int) -> ProbeSamples:
    """A first level of 32 KiB and something beyond, which may be another cache or the memory."""
    sizes = [m << e for e in range(9, 28) for m in range(8, 16) if m << e <= largest]
    values = [noisy(1.0 if size <= 32 * 1024 else 20.0, spread=0.001) for size in sizes]
    return ProbeSamples(
        probe="load_latency",
        cases=[{"unit": "s", "size_bytes": size, "pages": "huge"} for size in sizes],
        values=[[one * 1e-9 for one in times] for times in values],
    )


def with_last_level(size_bytes: int) -> Topology:
    cache = TopologyCache(
        level=3, kind="unified", size_bytes=size_bytes, line_bytes=64, ways=16, cores=(0, 1)
    )
    return Topology(
        source="test",
        cores=(),
        caches=(cache,),
        numa=(),
        distances=None,
        allowed=(0,),
        page_bytes=4096,
        huge_page_bytes=None,
    )


def test_a_latency_of_sets_that_fit_twice_into_the_last_level_is_not_called_one_of_memory() -> None:
    evidence = Evidence({"load_latency": curve_up_to(8 << 20)}, with_last_level(32 << 20))
    found = infer_memory(evidence)
    assert found.value is None
    (advice,) = found.advice
    assert advice.code == "memory.within_cache"
    assert "64 MiB" in advice.what
    assert "8 MiB was the largest" in advice.what


def test_a_latency_beyond_the_last_level_is_one_of_memory() -> None:
    evidence = Evidence({"load_latency": curve_up_to(64 << 20)}, with_last_level(32 << 20))
    found = infer_memory(evidence)
    assert found.value.latency.value == pytest.approx(20e-9, rel=0.05)
    assert not found.advice


def test_a_largest_size_that_the_user_chose_is_named_as_the_reason() -> None:
    samples = curve_up_to(8 << 20)
    samples.parameters["max_size"] = str(8 << 20)
    (advice,) = infer_memory(Evidence({"load_latency": samples}, with_last_level(32 << 20))).advice
    assert advice.what.endswith("and 8 MiB was the largest that max_size allowed")
    assert advice.next == "omit --set load_latency.max_size, or set it to 64 MiB at least"


MORE_MEMORY = "make 288 MiB of memory available (groma doctor names the limits)"
LARGER_SIZE = "omit --set load_latency.max_size, or set it to 64 MiB at least"


@pytest.mark.parametrize(
    ("asked", "cure"), [(0, MORE_MEMORY), (32 << 20, f"{MORE_MEMORY}, and {LARGER_SIZE}")]
)
def test_memory_that_ended_the_curve_early_is_named_as_the_reason(asked: int, cure: str) -> None:
    samples = curve_up_to(8 << 20)
    samples.parameters["max_size"] = str(asked)
    (advice,) = infer_memory(Evidence({"load_latency": samples}, with_last_level(32 << 20))).advice
    assert advice.what.endswith("and 8 MiB was the largest that the memory allowed")
    assert advice.next == cure


@pytest.mark.parametrize(("mebibytes", "reported"), [(1, False), (63, False), (64, True)])
def test_streams_through_less_than_twice_the_last_level_are_no_figures_of_memory(
    mebibytes: int, reported: bool
) -> None:
    case = {"unit": "B/s", "kernel": "triad", "formula": "", "reads": 2, "writes": 1}
    case |= {"flops_per_element": 2, "bytes_per_element": 24, "write_allocate_per_element": 8}
    case |= {"threads": 1, "isa": "portable", "strands": 1, "ring_bytes": mebibytes << 20}
    streams = ProbeSamples(probe="memory_bandwidth", cases=[case], values=[[8e10] * 9])
    found = infer_memory(Evidence({"memory_bandwidth": streams}, with_last_level(32 << 20)))
    assert (found.value is not None) == reported
    assert [one.code for one in found.advice] == ([] if reported else ["memory.within_cache"])
    if not reported:
        assert f"64 MiB for each core, twice the last-level cache of 32 MiB, and had {mebibytes} MiB" in (
            found.advice[0].what
        )
        assert found.advice[0].next.startswith("omit --set memory_bandwidth.memory")


def test_sizes_that_the_time_did_not_suffice_for_are_named_as_the_reason() -> None:
    samples = curve_up_to(128 << 20)
    samples.values = [
        values if case["size_bytes"] <= 8 << 20 else []
        for case, values in zip(samples.cases, samples.values, strict=True)
    ]
    (advice,) = infer_memory(Evidence({"load_latency": samples}, with_last_level(32 << 20))).advice
    assert advice.what.endswith("and 8 MiB was the largest that was sampled in time")
    assert "--budget" in advice.next


def behind_a_cache_of(size_bytes: int, *, node: int = 0) -> Topology:
    """As KNL's MCDRAM and the HBM of a Xeon Max are in their cache modes; the first core is in node 0."""
    return msgspec.structs.replace(
        with_last_level(32 << 20),
        cores=(TopologyCore(logical=0, physical=0, core=0, package=0, numa=0),),
        numa=tuple(
            TopologyNuma(
                logical=number,
                physical=number,
                memory_bytes=96 << 30,
                memory_side_cache_bytes=size_bytes if number == node else None,
                cores=(number,),
            )
            for number in range(2)
        ),
    )


def test_a_latency_of_sets_that_a_memory_side_cache_holds_is_not_passed_off_as_one_of_memory() -> None:
    found = infer_memory(Evidence({"load_latency": curve_up_to(64 << 20)}, behind_a_cache_of(16 << 30)))
    assert found.value.latency.value == pytest.approx(20e-9, rel=0.05)
    (advice,) = found.advice
    assert advice.code == "memory.side_cache"
    assert "16 GiB" in advice.what


def test_the_memory_of_the_core_that_measured_counts() -> None:
    """`--set load_latency.core` chooses one of the second node, whose memory has a cache in front of it."""
    topology = behind_a_cache_of(16 << 30, node=1)
    second = TopologyCore(logical=1, physical=1, core=1, package=0, numa=1)
    topology = msgspec.structs.replace(topology, cores=(*topology.cores, second), allowed=(0, 1))
    samples = curve_up_to(64 << 20)
    samples.parameters["core"] = "1"
    (advice,) = infer_memory(Evidence({"load_latency": samples}, topology)).advice
    assert advice.code == "memory.side_cache"


@pytest.mark.parametrize("topology", [behind_a_cache_of(16 << 20), behind_a_cache_of(16 << 30, node=1)])
def test_a_memory_side_cache_that_is_small_or_elsewhere_needs_no_advice(topology: Topology) -> None:
    assert not infer_memory(Evidence({"load_latency": curve_up_to(64 << 20)}, topology)).advice


def beside_memory_alone(memory_alone: int | None) -> Topology:
    """One core with its memory, and a node of memory that no core has as its own."""
    topology = behind_a_cache_of(16 << 20)
    alone = TopologyNuma(logical=1, physical=252, memory_bytes=memory_alone, cores=())
    return msgspec.structs.replace(topology, numa=(topology.numa[0], alone))


def test_memory_without_cores_is_named_as_not_measured() -> None:
    found = infer_memory(Evidence({"load_latency": curve_up_to(64 << 20)}, beside_memory_alone(16 << 30)))
    (advice,) = found.advice
    assert advice.code == "memory.without_cores"
    assert "1 NUMA node without cores was not measured" in advice.what
    assert "252 (16 GiB)" in advice.what
    assert advice.next is not None
    assert "--membind=252" in advice.next


def test_a_node_without_cores_and_without_memory_needs_no_advice() -> None:
    evidence = Evidence({"load_latency": curve_up_to(64 << 20)}, beside_memory_alone(None))
    assert not infer_memory(evidence).advice
