"""Curves come from the simulator of known machines; everything else is built by hand."""

import msgspec
import numpy as np
import pytest

from groma.facts.survey import Clock, NodeFacts, Tlb
from groma.record import ProbeSamples, Quantity, Topology, TopologyCache, TopologyCore
from groma.survey.infer.node_caches import (
    curve_inference,
    in_cycles,
    infer_node_caches,
    latency_curve,
    memory_latency,
)
from groma.survey.infer.registry import Evidence, infer_node

KIB = 1024
SIZES = [m * 2**e * 512 for e in range(16) for m in range(8, 16)]


def known(value: float, unit: str) -> Quantity:
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=0.95, method="given")


def latency_of(size: float) -> float:
    """A machine of 32 KiB at 1 ns, 1 MiB at 4 ns, 16 MiB at 15 ns and memory at 90 ns."""
    if size <= 32 * KIB:
        return 1e-9
    latency = 4e-9
    for capacity, added in ((1024 * KIB, 11e-9), (16384 * KIB, 75e-9)):
        latency += added * (1.0 - np.exp(-max(size / capacity - 1.0, 0.0) / 0.2))
    return latency


def samples(pages: str = "huge", sizes: list[int] = SIZES) -> ProbeSamples:
    noise = np.random.default_rng(3)
    cases = [{"unit": "s", "size_bytes": size, "pages": pages} for size in sizes]
    values = [[latency_of(size) * (1 + abs(noise.normal(0, 0.01))) for _ in range(12)] for size in sizes]
    return ProbeSamples(probe="load_latency", cases=cases, values=values)


def topology(l3_kib: int = 16384) -> Topology:
    def cache(level: int, kind: str, kib: int, cores: tuple[int, ...]) -> TopologyCache:
        return TopologyCache(level=level, kind=kind, size_bytes=kib * KIB, line_bytes=64, ways=8, cores=cores)

    return Topology(
        source="test",
        cores=tuple(TopologyCore(logical=i, physical=i, core=i, package=0, numa=0) for i in range(2)),
        caches=(
            *(cache(1, "data", 32, (i,)) for i in range(2)),
            *(cache(2, "unified", 1024, (i,)) for i in range(2)),
            cache(3, "unified", l3_kib, (0, 1)),
        ),
        numa=(),
        distances=None,
        allowed=(0, 1),
        page_bytes=4096,
        huge_page_bytes=None,
    )


def evidence(**changes: object) -> Evidence:
    given = {"samples": {"load_latency": samples()}, "topology": topology(), **changes}
    return Evidence(**given)  # type: ignore[arg-type]


def test_levels_carry_size_latency_and_what_the_system_declares() -> None:
    caches = infer_node_caches(evidence()).value
    assert [cache.level for cache in caches] == [1, 2, 3]
    assert [cache.kind for cache in caches] == ["data", "unified", "unified"]
    assert all(cache.size.agrees for cache in caches)
    assert caches[0].latency.value == pytest.approx(1e-9, rel=0.05)
    assert caches[0].latency.unit == "s"


def test_a_survey_without_levels_advises_to_measure_again_and_not_how_to_record_a_file() -> None:
    even = samples()
    even.values = [[1e-9 * case["size_bytes"] ** 0.3] * 12 for case in even.cases]
    (advice,) = infer_node_caches(evidence(samples={"load_latency": even})).advice
    assert advice.code == "curve.smooth"
    assert advice.next.endswith("groma survey --only load_latency --depth thorough")


def test_a_survey_that_ends_too_early_names_the_size_to_measure() -> None:
    short = samples(sizes=[size for size in SIZES if size <= 18 * 1024 * KIB])
    advice = infer_node_caches(evidence(samples={"load_latency": short})).advice
    largest = max(case["size_bytes"] for case in short.cases)
    nexts = {one.code: one.next for one in advice if one.code in {"curve.short", "curve.near", "curve.end"}}
    assert nexts
    assert all(f"load_latency.max_size={4 * largest // 2**20}MiB" in one for one in nexts.values())


def test_memory_is_the_plateau_beyond_the_last_level() -> None:
    latency = memory_latency(evidence())
    assert latency is not None
    assert latency.value == pytest.approx(90e-9, rel=0.1)


def test_latencies_are_also_given_in_cycles_when_the_clock_is_known() -> None:
    clock = Clock(
        timer_cost=known(2e-8, "s"), timer_resolution=known(1e-9, "s"), core_frequency=known(4e9, "Hz")
    )
    (first, *_) = infer_node_caches(evidence(facts=NodeFacts(clock=clock))).value
    assert first.latency_cycles.value == pytest.approx(4.0, rel=0.05)
    assert first.latency_cycles.unit == "cycles"


def test_cycles_multiply_both_intervals_and_keep_the_lower_confidence() -> None:
    latency = Quantity(value=2e-9, unit="s", low=1e-9, high=3e-9, confidence=0.9, method="m")
    frequency = Quantity(value=2e9, unit="Hz", low=1e9, high=4e9, confidence=0.5, method="f")
    cycles = in_cycles(latency, frequency)
    assert (cycles.low, cycles.value, cycles.high) == pytest.approx((1.0, 4.0, 12.0))
    assert cycles.confidence == 0.5


def test_a_last_level_unlike_the_declared_one_is_a_finding_and_a_share() -> None:
    found = infer_node_caches(evidence(topology=topology(l3_kib=65536), virtual=True))
    assert [advice.code for advice in found.advice] == ["cache.disagrees"]
    assert found.value[2].size.agrees is False
    assert any("current effective share" in note for note in found.value[2].notes)


def test_a_second_level_tlb_that_reaches_as_far_as_the_last_cache_does_not_hide_it() -> None:
    tlb = [
        Tlb(level=level, page=4096, reach=known(reach, "B"), miss_cost=known(1e-9, "s"))
        for level, reach in ((1, 256.0 * KIB), (2, 16384.0 * KIB))
    ]
    caches = infer_node_caches(evidence(facts=NodeFacts(tlb=tlb))).value
    assert [cache.size.agrees for cache in caches] == [True, True, True]


@pytest.mark.parametrize(
    ("pages", "page", "asked"),
    [("huge", 4096, None), ("huge", 4096, 2 << 20), ("huge", 2 << 20, None), ("small", 4096, None)],
)
def test_a_tlb_that_reaches_as_far_as_the_second_cache_does_not_hide_it(
    pages: str, page: int, asked: int | None
) -> None:
    """64 entries of 4 KiB and a second cache of 256 KiB, as in many processors."""
    measured = samples(pages)
    for case, values in zip(measured.cases, measured.values, strict=True):
        if case["size_bytes"] > 256 * KIB:
            values[:] = [max(value, 15e-9) for value in values]
    reach, cost = known(256.0 * KIB, "B"), known(1.9e-9, "s")
    tlb = [Tlb(level=1, page=page, reach=reach, miss_cost=cost, advised_page=asked)]
    found = infer_node_caches(
        evidence(samples={"load_latency": measured}, topology=None, facts=NodeFacts(tlb=tlb))
    )
    assert [cache.size.value / KIB for cache in found.value] == pytest.approx([32, 256, 16384], rel=0.15)


def four_levels(size: float) -> float:
    """48 KiB at 0.8 ns, 192 KiB at 1.9 ns, 2.5 MiB at 3.5 ns, 12 MiB at 11.5 ns and memory at 110 ns."""
    rises = ((48, 1.1), (192, 1.6), (2560, 8.0), (12288, 98.5))
    return sum((rise * max(0.0, 1.0 - kib * KIB / size) for kib, rise in rises), start=0.8) * 1e-9


def test_a_cache_hardly_slower_than_the_first_is_no_tlb_step_where_huge_pages_reach_far() -> None:
    measured = samples()
    noise = np.random.default_rng(7)
    for case, values in zip(measured.cases, measured.values, strict=True):
        values[:] = [four_levels(case["size_bytes"]) * (1 + abs(noise.normal(0, 0.01))) for _ in values]
    tlb = [Tlb(level=1, page=2 << 20, reach=known(64.0 * 2**20, "B"), miss_cost=known(1.9e-9, "s"))]
    found = infer_node_caches(
        evidence(samples={"load_latency": measured}, topology=None, facts=NodeFacts(tlb=tlb))
    )
    assert [one.size.value / KIB for one in found.value] == pytest.approx([48, 192, 2560, 12288], rel=0.35)
    assert all(
        one.size.low <= kib * KIB <= one.size.high
        for one, kib in zip(found.value, (48, 192, 2560, 12288), strict=True)
    )


def test_a_cache_that_the_system_does_not_count_shifts_no_level() -> None:
    """Linux counts 48 KiB, 2.5 MiB and 12 MiB."""
    measured = samples()
    for case, values in zip(measured.cases, measured.values, strict=True):
        values[:] = [four_levels(case["size_bytes"])] * len(values)
    tlb = [Tlb(level=1, page=2 << 20, reach=known(64.0 * 2**20, "B"), miss_cost=known(1.9e-9, "s"))]
    counted = topology(12288)
    kib = {"data": 48, "unified": 2560}
    caches = tuple(
        cache if cache.level == 3 else msgspec.structs.replace(cache, size_bytes=kib[cache.kind] * KIB)
        for cache in counted.caches
    )
    found = infer_node_caches(
        evidence(
            samples={"load_latency": measured},
            topology=msgspec.structs.replace(counted, caches=caches),
            facts=NodeFacts(tlb=tlb),
        )
    )
    assert [(one.level, one.size.agrees) for one in found.value] == [(1, True), (2, True), (3, True)]
    codes = {one.code for one in found.advice}
    assert "cache.undeclared" in codes
    assert "cache.disagrees" not in codes


def behind_the_last_level(pages: str) -> tuple[ProbeSamples, list[Tlb]]:
    """A cache of 128 MiB in the package, behind one of 16 MiB; the first TLB reaches as far."""
    sizes = [m * 2**e * 512 for e in range(21) for m in range(8, 16)]
    measured = samples(pages, sizes)
    for case, values in zip(measured.cases, measured.values, strict=True):
        missing = max(0.0, 1.0 - (128 << 20) / case["size_bytes"])
        slow = 50e-9 * max(0.0, 1.0 - (16 << 20) / case["size_bytes"])
        values[:] = [min(value, 15e-9) + slow + 45e-9 * missing for value in values]
    page = 2 << 20 if pages == "huge" else 4096
    reach = known(64.0 * 2**20 if pages == "huge" else 256.0 * KIB, "B")
    return measured, [Tlb(level=1, page=page, reach=reach, miss_cost=known(1.9e-9, "s"))]


@pytest.mark.parametrize(("pages", "cure"), [("huge", "reach of the TLBs"), ("small", "with huge pages")])
def test_a_possible_level_behind_the_last_one_is_said(pages: str, cure: str) -> None:
    measured, tlb = behind_the_last_level(pages)
    found = infer_node_caches(
        evidence(samples={"load_latency": measured}, topology=None, facts=NodeFacts(tlb=tlb))
    )
    (advice,) = [one for one in found.advice if one.code == "curve.possible"]
    assert "then there is one more level" in advice.what
    assert advice.next is not None
    assert cure in advice.next


def test_a_low_step_between_levels_is_not_said() -> None:
    """As what another core takes of a shared cache, which comes and goes from survey to survey."""
    measured = samples()
    for case, values in zip(measured.cases, measured.values, strict=True):
        farther = 6e-9 * max(0.0, 1.0 - (4 << 20) / case["size_bytes"])
        values[:] = [value + farther for value in values]
    given = evidence(samples={"load_latency": measured})
    found = curve_inference(given)
    assert found is not None
    assert len(found.possible) == 1
    assert "curve.possible" not in {one.code for one in infer_node_caches(given).advice}


def test_without_a_topology_nothing_stands_beside_the_measured_sizes() -> None:
    caches = infer_node_caches(evidence(topology=None)).value
    assert all(cache.size.os_value is None and cache.size.agrees is None for cache in caches)
    assert [cache.kind for cache in caches] == ["data", "unified", "unified"]


def test_small_pages_serve_where_huge_ones_were_not_sampled() -> None:
    curve = latency_curve(samples("small"))
    assert curve is not None
    assert len(curve.size_bytes) == len(SIZES)


def test_a_curve_that_was_cut_short_is_no_evidence() -> None:
    cut = evidence(samples={"load_latency": samples(sizes=SIZES[:5])})
    assert infer_node_caches(cut).value is None
    assert memory_latency(cut) is None
    assert infer_node_caches(evidence(samples={})).value is None


def test_a_curve_that_memory_ended_early_is_not_cured_by_larger_sizes() -> None:
    """They are what memory does not hold."""
    for asked, cure in ((0, "larger sizes"), (1 << 30, "make more memory available")):
        short = samples(sizes=[size for size in SIZES if size <= 18 * 1024 * KIB])
        short.parameters["max_size"] = str(asked)
        small = topology(l3_kib=4096)
        advice = infer_node_caches(evidence(samples={"load_latency": short}, topology=small)).advice
        cures = [one.next for one in advice if one.code in {"curve.short", "curve.near", "curve.end"}]
        assert cures
        assert all(cure in one for one in cures)


def test_index_of_each_level_is_stated_with_its_reason() -> None:
    found = infer_node_caches(evidence()).value
    assert [cache.indexing.kind for cache in found] == ["unknown"] * len(found)
    assert "no curve with small pages" in found[0].indexing.reason


@pytest.mark.parametrize("curve", [{}, {"load_latency": samples(sizes=SIZES[:4])}])
def test_samples_of_caches_without_a_curve_are_not_passed_over_in_silence(
    curve: dict[str, ProbeSamples],
) -> None:
    line = ProbeSamples(probe="cache_line", cases=[{"unit": "s"}], values=[[1e-9]])
    _, advice = infer_node(
        {"cache_line": line, "cache_sharing": line, "tlb_reach": line, **curve}, topology()
    )
    (found,) = [one for one in advice if one.code == "cache.no_curve"]
    assert found.what.startswith("cache_line and cache_sharing were sampled, but ")
    assert found.next == "run load_latency as well: groma survey --only load_latency,cache_line,cache_sharing"
    assert infer_node({"cache_line": line, "load_latency": samples()}, topology())[1] == []


def test_pages_in_random_order_are_preferred_to_those_that_the_system_gave() -> None:
    both = samples("huge")
    small = samples("small")
    both.cases, both.values = both.cases + small.cases, both.values + small.values
    sizes = [size for size in SIZES if size <= 4096 * KIB]
    cases = [{"unit": "s", "size_bytes": size, "pages": "small", "set": "other"} for size in sizes]
    early = [
        [latency_of(min(size * 1.6, max(size, 1300 * KIB)) if size > 500 * KIB else size)] * 9
        for size in sizes
    ]
    sets = ProbeSamples(probe="page_sets", cases=cases, values=early)
    found = infer_node_caches(evidence(samples={"load_latency": both, "page_sets": sets})).value
    assert found[1].indexing.kind == "physical"
    assert infer_node_caches(evidence(samples={"load_latency": both})).value[1].indexing.kind == "unknown"


def test_a_busy_sibling_that_takes_part_of_the_first_level_is_no_physical_index() -> None:
    sizes = [size for size in SIZES if 16 * KIB <= size <= 4096 * KIB]
    cases = [{"unit": "s", "size_bytes": size, "pages": "small", "set": "other"} for size in sizes]
    values = [
        [latency_of(size)] * 5 + [latency_of(size) + (2e-9 if 24 * KIB <= size <= 32 * KIB else 0.0)] * 6
        for size in sizes
    ]
    sets = ProbeSamples(probe="page_sets", cases=cases, values=values)
    found = infer_node_caches(evidence(samples={"load_latency": samples(), "page_sets": sets})).value
    assert found[0].indexing.kind != "physical"


def hybrid() -> Topology:
    """Core 0 is a large one with a first level of 48 KiB, core 1 that of the simulated curve."""
    plain = topology()
    (first, *others) = plain.caches
    large = msgspec.structs.replace(first, size_bytes=48 * KIB, ways=12)
    return msgspec.structs.replace(plain, caches=(large, *others))


def on_core(core: str) -> ProbeSamples:
    return msgspec.structs.replace(samples(), parameters={"core": core})


def test_what_is_declared_for_the_core_that_measured_stands_beside_its_caches() -> None:
    """`--set load_latency.core` chooses a small core of a hybrid machine."""
    found = infer_node_caches(evidence(samples={"load_latency": on_core("1")}, topology=hybrid()))
    assert [cache.size.agrees for cache in found.value] == [True, True, True]
    assert [one.code for one in found.advice] == ["cache.kinds"]
    other = infer_node_caches(evidence(samples={"load_latency": on_core("-1")}, topology=hybrid()))
    assert [one.code for one in other.advice] == ["cache.disagrees", "cache.kinds"]


def clock_of(*gigahertz: float) -> ProbeSamples:
    """Chains of additions and exclusive ors, of the cores from 0 on."""
    labels = [(chain, core) for core in range(len(gigahertz)) for chain in ("add", "xor")]
    return ProbeSamples(
        probe="clock",
        cases=[
            {"unit": "s", "measure": "chain_step", "chain": chain, "core": core} for chain, core in labels
        ],
        values=[[1e-9 / gigahertz[core]] * 20 for _, core in labels],
    )


@pytest.mark.parametrize(("core", "cycles"), [("-1", 5.0), ("0", 5.0), ("1", 3.0), ("2", None)])
def test_cycles_are_those_of_the_core_that_measured(core: str, cycles: float | None) -> None:
    """Nothing is said in cycles of a core that the clock probe left out."""
    clock = Clock(
        timer_cost=known(2e-8, "s"), timer_resolution=known(1e-9, "s"), core_frequency=known(5e9, "Hz")
    )
    given = {"load_latency": on_core(core), "clock": clock_of(5.0, 3.0)}
    (first, *_) = infer_node_caches(evidence(samples=given, facts=NodeFacts(clock=clock))).value
    found = first.latency_cycles
    assert (found and found.value) == (cycles and pytest.approx(cycles, rel=0.05))


def test_cores_with_other_caches_are_named_beside_those_that_were_measured() -> None:
    (found,) = infer_node_caches(evidence(samples={"load_latency": on_core("1")}, topology=hybrid())).advice
    assert found.what.startswith(
        "the caches are those of core 1; the system declares others for cores 0 (L1 48 KiB"
    )
    assert "--set load_latency.core=0" in found.next
    advice = infer_node_caches(evidence()).advice
    assert "cache.kinds" not in [one.code for one in advice]


def test_the_first_cache_tells_that_other_cores_have_other_caches() -> None:
    found = infer_node_caches(evidence(samples={"load_latency": on_core("1")}, topology=hybrid()))
    first, *others = found.value
    assert found.advice[0].what in first.notes
    assert not [note for one in others for note in one.notes if "declares others" in note]
    assert not [note for one in infer_node_caches(evidence()).value for note in one.notes if "core" in note]
