from dataclasses import dataclass

import numpy as np
import pytest

from groma.facts.survey import Tlb
from groma.record import ProbeSamples, Topology
from groma.survey.infer.registry import Evidence
from groma.survey.infer.tlb import HUGE_PAGE, SMALL_PAGE, infer_tlb

KIB = 1024


def counts(most: int, per_octave: int = 8) -> list[int]:
    return [m * 2**e for e in range(20) for m in range(8, 16, 8 // per_octave) if m * 2**e <= most]


@dataclass
class Machine:
    """Times in ns. `spread_sets` lets pages fall into the sets of the second TLB at random; `base_page` is
    the size of the pages that the system gives, `apart` the distance of lines less one line.
    """

    first: int = 72
    second: int = 3072
    first_huge: int = 72
    split: bool = False
    hit: float = 1.1
    miss: float = 1.9
    walk: float = 8.0
    l1_lines: int = 512
    spread_sets: bool = True
    busy: float = 0.0
    seed: int = 1
    most: int = 12288
    base_page: int = SMALL_PAGE
    apart: int = SMALL_PAGE

    def missing(self, pages: int, entries: int, *, spread: bool) -> float:
        """Share of the loads that miss a TLB; spread pages fill a set of 12 ways Poisson-like."""
        if not spread:
            return float(pages > entries)
        softness = 0.18 * entries
        return float(1.0 / (1.0 + np.exp(-(pages - entries) / softness))) if pages > 0.6 * entries else 0.0

    def dense(self, lines: int) -> float:
        return self.hit if lines <= self.l1_lines else 3.5 * self.hit

    def spread(self, lines: int, pages: str, page_bytes: int) -> float:
        huge_reach = 0 if pages == "small" or self.split else HUGE_PAGE
        entries = lines if huge_reach == 0 or page_bytes == HUGE_PAGE else lines * SMALL_PAGE // HUGE_PAGE
        if huge_reach == 0 and self.base_page > SMALL_PAGE:
            entries = min(lines, -(-lines * (self.apart + 64) // self.base_page))
        first = self.first if huge_reach == 0 else self.first_huge
        walk = self.walk * max(1.0, (entries / self.second) ** 0.4)
        time: float = (
            self.dense(lines)
            + self.miss * self.missing(entries, first, spread=False)
            + walk * self.missing(entries, self.second, spread=self.spread_sets)
        )
        return time

    def samples(self, n: int = 20, per_octave: int = 8) -> ProbeSamples:
        random = np.random.default_rng(self.seed)
        cases: list[dict[str, object]] = []
        values: list[list[float]] = []

        def add(truth: float, **labels: object) -> None:
            noisy = truth * (1 + random.exponential(0.01, n))
            noisy[random.random(n) < self.busy] *= random.uniform(1.5, 20)
            cases.append({"unit": "s", **labels})
            values.append([float(value) * 1e-9 for value in noisy])

        for pages, page_bytes, most in (
            ("small", self.apart, self.most),
            ("huge", self.apart, self.most),
            ("huge", HUGE_PAGE, 128),
        ):
            for lines in counts(most, per_octave):
                time = self.spread(lines, pages, page_bytes)
                add(time, layout="spread", pages=pages, page_bytes=page_bytes, lines=lines)
        for lines in counts(self.most, per_octave):
            add(self.dense(lines), layout="dense", pages="huge", page_bytes=self.apart, lines=lines)
        return ProbeSamples(probe="tlb_reach", cases=cases, values=values)


def of_pages(page_bytes: int) -> Topology:
    return Topology(
        source="simulated",
        cores=(),
        caches=(),
        numa=(),
        distances=None,
        allowed=(),
        page_bytes=page_bytes,
        huge_page_bytes=HUGE_PAGE,
    )


def inferred(
    samples: ProbeSamples, topology: Topology | None = None
) -> tuple[dict[tuple[int, int], Tlb], list[str]]:
    """TLBs by the page that was asked for and level, and the codes of the advice."""
    found = infer_tlb(Evidence({"tlb_reach": samples}, topology))
    return {(one.advised_page or one.page, one.level): one for one in found.value}, [
        one.code for one in found.advice
    ]


@pytest.mark.parametrize(
    ("first", "second"), [(72, 3072), (64, 1536), (96, 2048), (64, 2048), (32, 1024), (48, 1280), (16, 1024)]
)
@pytest.mark.parametrize("spread_sets", [True, False])
def test_both_reaches_lie_in_their_brackets(first: int, second: int, spread_sets: bool) -> None:
    machine = Machine(first=first, second=second, spread_sets=spread_sets)
    tlbs, advice = inferred(machine.samples())
    one, two = tlbs[SMALL_PAGE, 1].reach, tlbs[SMALL_PAGE, 2].reach
    assert one.value == first * SMALL_PAGE
    assert one.low <= first * SMALL_PAGE <= one.high <= 1.3 * one.low
    assert two.low <= second * SMALL_PAGE <= two.high <= 2.2 * two.low
    assert 0.75 <= two.value / (second * SMALL_PAGE) <= 1.3
    assert advice == []


def test_costs_are_those_of_a_miss_and_of_a_walk() -> None:
    tlbs, _ = inferred(Machine(spread_sets=False).samples())
    assert tlbs[SMALL_PAGE, 1].miss_cost.value == pytest.approx(1.9e-9, rel=0.05)
    walk = tlbs[SMALL_PAGE, 2].miss_cost
    assert walk.low <= walk.value <= walk.high
    assert 7.5e-9 < walk.value < 13e-9
    assert walk.unit == "s"


def test_huge_pages_reach_as_many_huge_pages() -> None:
    tlbs, advice = inferred(Machine(first_huge=32).samples())
    assert tlbs[HUGE_PAGE, 1].reach.value == 32 * HUGE_PAGE
    assert advice == []


def test_huge_pages_that_the_hypervisor_splits_reach_no_farther_and_it_is_said() -> None:
    tlbs, advice = inferred(Machine(split=True).samples())
    assert tlbs[HUGE_PAGE, 1].reach.value == 72 * SMALL_PAGE
    assert tlbs[HUGE_PAGE, 2].reach.low <= 3072 * SMALL_PAGE <= tlbs[HUGE_PAGE, 2].reach.high
    assert all(one.reach.value >= one.page == SMALL_PAGE for one in tlbs.values())
    assert advice == ["tlb.huge_pages_split"]


def test_one_level_yields_one_level() -> None:
    tlbs, _ = inferred(Machine(second=10**9, spread_sets=False).samples())
    assert {level for page, level in tlbs if page == SMALL_PAGE} == {1}


def test_the_first_cache_is_not_taken_for_a_tlb() -> None:
    for l1_lines in (256, 512, 768, 1024):
        tlbs, _ = inferred(Machine(l1_lines=l1_lines).samples())
        assert tlbs[SMALL_PAGE, 1].reach.value == 72 * SMALL_PAGE
        assert len([1 for page, _ in tlbs if page == SMALL_PAGE]) == 2


def test_a_busy_machine_keeps_the_brackets() -> None:
    for seed in range(5):
        tlbs, _ = inferred(Machine(busy=0.4, seed=seed).samples())
        one, two = tlbs[SMALL_PAGE, 1].reach, tlbs[SMALL_PAGE, 2].reach
        assert one.low <= 72 * SMALL_PAGE <= one.high
        assert two.low <= 3072 * SMALL_PAGE <= two.high


def test_a_dense_chain_that_was_slow_all_the_time_hides_no_step() -> None:
    samples = Machine().samples()
    for case, values in zip(samples.cases, samples.values, strict=True):
        if case["layout"] == "dense" and case["lines"] in {96, 704}:
            values[:] = [3 * value for value in values]
    tlbs, _ = inferred(samples)
    assert tlbs[SMALL_PAGE, 1].reach.value == 72 * SMALL_PAGE


def test_coarse_grids_of_a_quick_survey_bracket_too() -> None:
    tlbs, _ = inferred(Machine(first=64, second=1536, most=6144).samples(n=8, per_octave=4))
    one = tlbs[SMALL_PAGE, 1].reach
    assert one.low <= 64 * SMALL_PAGE <= one.high


def test_a_flat_machine_has_no_tlb_to_report() -> None:
    tlbs, advice = inferred(Machine(miss=0.0, walk=0.0).samples())
    assert tlbs == {}
    assert advice == []


def test_too_few_numbers_of_pages_give_nothing() -> None:
    samples = Machine().samples()
    samples.values = [values if i < 5 else [] for i, values in enumerate(samples.values)]
    assert inferred(samples) == ({}, [])


@pytest.mark.parametrize("seed", range(6))
def test_noise_from_chain_to_chain_has_no_reach(seed: int) -> None:
    random = np.random.default_rng(seed)
    samples = Machine().samples()
    samples.values = [
        (5e-9 * random.lognormal(0.0, 0.5) * random.lognormal(0.0, 0.05, len(values))).tolist()
        for values in samples.values
    ]
    assert not inferred(samples)[0]


@pytest.mark.parametrize(("base_page", "first"), [(65536, 48), (65536, 64), (16384, 160)])
def test_entries_count_pages_of_the_system(base_page: int, first: int) -> None:
    machine = Machine(first=first, second=10**9, base_page=base_page, spread_sets=False)
    tlbs, _ = inferred(machine.samples(), of_pages(base_page))
    one = tlbs[base_page, 1]
    assert one.page == base_page
    assert one.reach.low <= first * base_page <= one.reach.high
    assert 0.9 * first <= one.reach.value / one.page <= first


def test_pages_of_4_kib_are_reported_as_before() -> None:
    samples = Machine().samples()
    assert inferred(samples, of_pages(SMALL_PAGE)) == inferred(samples)


@pytest.mark.parametrize(("entries", "most"), [(4096, 4096), (6144, 6144), (16384, 12288)])
def test_a_step_cut_off_by_the_end_gives_a_lower_bound(entries: int, most: int) -> None:
    two = inferred(Machine(second=entries, most=most).samples())[0][SMALL_PAGE, 2].reach
    assert two.confidence <= 0.3
    assert two.low <= two.value <= entries * SMALL_PAGE
    assert "lower bound" in two.method


def test_a_sharp_step_near_the_end_is_settled() -> None:
    reach = inferred(Machine(first_huge=72).samples())[0][HUGE_PAGE, 1].reach
    assert reach.confidence > 0.8
    assert "lower bound" not in reach.method


@pytest.mark.parametrize(("page", "second"), [(65536, 1280), (65536, 2048), (65536, 3072), (16384, 3072)])
def test_a_second_tlb_of_large_pages_is_seen_whole_where_each_line_has_its_own(
    page: int, second: int
) -> None:
    """As on Arm and POWER systems: 2,048 entries of 64 KiB reach 128 MiB."""
    machine = Machine(first=48, second=second, split=True, base_page=page, apart=page, most=8192)
    of_both = infer_tlb(Evidence({"tlb_reach": machine.samples()}, of_pages(page))).value
    found = [one for one in of_both if one.advised_page is None]
    assert [one.level for one in found] == [1, 2]
    reach = found[1].reach
    assert reach.low <= second * page <= reach.high
    assert reach.confidence > 0.5
    assert found[0].reach.low <= 48 * page <= found[0].reach.high
