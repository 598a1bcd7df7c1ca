"""Machines whose lines are counted set by set, with random pages: how they were made is the truth."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from groma.record import ProbeSamples
from groma.survey.infer.caches import CacheInference, infer_caches
from groma.survey.infer.curve import Curve, read_curves
from groma.survey.infer.indexing import (
    PriorKnowledge,
    Verdict,
    indexing,
    indexing_of_file,
    merged_verdicts,
    steps_of,
)
from groma.survey.infer.page_sets import pages_differ
from simulated.paged import PagedLevel, PagedMachine, Translation

RECORDED = Path(__file__).parents[4] / "tests/data/paged/epyc_guest.csv"

K, M = 1024, 1 << 20
SIZES = [m * 2**e * 512 for e in range(13) for m in (8, 9, 10, 11, 12, 14)]
SMALL, HUGE = 4096, 2 * M
DTLB = Translation(256 * K, 2.0)

SERVER = PagedMachine(
    (
        PagedLevel(32 * K, 8, 1.2, "virtual"),
        PagedLevel(1 * M, 16, 4.0),
        PagedLevel(6 * M, 12, 18.0, slices=8),
    ),
    90.0,
    (DTLB, Translation(8 * M, 9.0)),
)
EVICTS_AT_RANDOM = PagedMachine(SERVER.levels, 90.0, SERVER.tlb, strict=0.3)
FEW_WAYS_VIRTUAL = PagedMachine(
    (PagedLevel(64 * K, 2, 1.2, "virtual"), PagedLevel(512 * K, 8, 6.0)), 90.0, (DTLB,)
)
FEW_WAYS_PHYSICAL = PagedMachine((PagedLevel(64 * K, 2, 1.2), PagedLevel(512 * K, 8, 6.0)), 90.0, (DTLB,))
ALL_VIRTUAL = PagedMachine(
    (PagedLevel(64 * K, 2, 1.2, "virtual"), PagedLevel(512 * K, 8, 6.0, "virtual")), 90.0
)


def curve(samples: list[list[float]]) -> Curve:
    latency = np.array([np.median(values) for values in samples])
    return Curve(np.array(SIZES, dtype=float), latency, draws=len(samples[0]))


@cache
def measured(machine: PagedMachine, page: int, noise: float = 0.02) -> Curve:
    return curve(machine.samples(SIZES, page, 5, noise, seed=page))


@cache
def caches_of(machine: PagedMachine, noise: float = 0.02) -> CacheInference:
    return infer_caches(measured(machine, HUGE, noise))


def judged(machine: PagedMachine, noise: float = 0.02, ways: dict[int, int] | None = None) -> list[Verdict]:
    steps = steps_of(caches_of(machine, noise), ways)
    return indexing(measured(machine, HUGE, noise), measured(machine, SMALL, noise), steps)


def kinds(verdicts: list[Verdict]) -> list[str]:
    return [one.kind for one in verdicts]


@pytest.mark.parametrize("noise", [0.01, 0.08])
@pytest.mark.parametrize(
    ("machine", "ways", "truth"),
    [
        (SERVER, 8, ["page offset", "physical", "physical"]),
        (FEW_WAYS_VIRTUAL, 2, ["virtual", "physical"]),
        (FEW_WAYS_PHYSICAL, None, ["physical", "physical"]),
    ],
)
def test_index_of_each_level_is_the_one_it_was_made_with(
    machine: PagedMachine, ways: int | None, truth: list[str], noise: float
) -> None:
    verdicts = judged(machine, noise, {1: ways} if ways else None)
    assert kinds(verdicts) == truth
    assert all(one.confidence > 0.5 and one.reason for one in verdicts)


def test_replacement_that_keeps_lines_by_chance_is_never_taken_for_a_virtual_index() -> None:
    verdicts = kinds(judged(EVICTS_AT_RANDOM))
    assert verdicts[:2] == ["unknown", "physical"]
    assert verdicts[2] != "virtual"


def test_model_that_explains_the_curve_has_the_capacity_of_the_cache() -> None:
    model = judged(FEW_WAYS_PHYSICAL)[1].cache
    assert model is not None
    assert model.colours * model.ways * SMALL == pytest.approx(512 * K, rel=0.2)


def test_ways_no_larger_than_a_page_make_both_addresses_the_same() -> None:
    assert kinds(judged(SERVER, ways={1: 8})) == ["page offset", "physical", "physical"]


@pytest.mark.parametrize("machine", [SERVER, FEW_WAYS_VIRTUAL])
def test_first_level_of_unknown_ways_is_not_called_virtual(machine: PagedMachine) -> None:
    """Ways of no more than a page look the same: 32 KiB in eight of them."""
    first = judged(machine)[0]
    assert first.kind == "unknown"
    assert "the address is virtual, or a way has no more than a page" in first.reason


def disturbed(machine: PagedMachine, page: int, seed: int) -> Curve:
    """One sample of each size, a third of them up to several times too high."""
    random = np.random.default_rng([seed, page])
    clean = measured(machine, page, 0.0)
    added = (random.random(len(SIZES)) < 0.35) * random.exponential(1.0, len(SIZES))
    return Curve(clean.size_bytes, clean.latency * (1.0 + added))


def test_single_disturbed_samples_make_no_wrong_index() -> None:
    for seed in range(8):
        huge, small = (disturbed(SERVER, page, seed) for page in (HUGE, SMALL))
        steps = steps_of(infer_caches(huge))
        verdicts = indexing(huge, small, steps)
        assert "virtual" not in kinds(verdicts)
        for step, verdict in zip(steps, verdicts, strict=True):
            assert verdict.kind != "physical" or step.size > 64 * K


def test_no_answer_is_surer_than_its_samples_or_its_level() -> None:
    steps = steps_of(caches_of(FEW_WAYS_PHYSICAL))
    once = [replace(measured(FEW_WAYS_PHYSICAL, page), draws=1) for page in (HUGE, SMALL)]
    found = indexing(once[0], once[1], steps)
    assert kinds(found) == ["physical", "physical"]
    assert all(one.confidence <= 2 / 3 for one in found)
    doubted = [one._replace(confidence=0.3) for one in steps]
    assert kinds(indexing(once[0], once[1], doubted)) == ["unknown", "unknown"]


def test_level_behind_the_first_is_never_called_virtual() -> None:
    """A step that small pages do not move is that of a TLB, or the pages lay side by side."""
    machine = PagedMachine(
        (PagedLevel(64 * K, 2, 1.2), PagedLevel(512 * K, 8, 6.0, "virtual")), 90.0, (DTLB,)
    )
    verdicts = judged(machine)
    assert kinds(verdicts) == ["physical", "unknown"]
    assert "contiguous" in verdicts[1].reason


def test_pages_that_lie_well_at_most_sizes_do_not_hide_a_physical_index() -> None:
    """Some draws leave only the sizes just below the capacity slow: that fits no number of colours well."""
    huge = measured(FEW_WAYS_PHYSICAL, HUGE)
    steps = steps_of(caches_of(FEW_WAYS_PHYSICAL), {1: 2})
    small = measured(FEW_WAYS_PHYSICAL, SMALL)
    slow = np.where(huge.size_bytes < 200 * K, np.maximum(huge.latency, 3.3), small.latency)
    lucky = np.where(huge.size_bytes < 46 * K, huge.latency, slow)
    assert indexing(huge, replace(small, latency=lucky), steps)[0].kind != "virtual"


def test_few_page_colours_are_a_power_of_two() -> None:
    """As many as index bits above the offset select: there are no 1.75 colours."""
    small, huge = measured(FEW_WAYS_PHYSICAL, SMALL), measured(FEW_WAYS_PHYSICAL, HUGE)
    steps = [one._replace(size=one.size * 0.9) for one in steps_of(caches_of(FEW_WAYS_PHYSICAL))]
    model = indexing(huge, small, steps)[0].cache
    assert model is not None
    assert model.colours in {2.0, 4.0, 8.0}


def test_tlb_alone_is_no_physical_index() -> None:
    machine = PagedMachine(ALL_VIRTUAL.levels, 90.0, (Translation(128 * K, 3.0), Translation(2 * M, 9.0)))
    assert "physical" not in kinds(judged(machine))


def test_curves_without_any_difference_tell_nothing_and_say_why() -> None:
    verdicts = judged(ALL_VIRTUAL)
    assert kinds(verdicts) == ["unknown", "unknown"]
    assert "contiguous" in verdicts[0].reason


def test_without_huge_pages_nothing_is_claimed() -> None:
    verdicts = indexing(None, measured(SERVER, SMALL), steps_of(caches_of(SERVER)))
    assert set(kinds(verdicts)) == {"unknown"}
    assert "huge pages" in verdicts[0].reason


def test_huge_pages_that_were_split_tell_nothing_of_the_curves() -> None:
    small = measured(SERVER, SMALL)
    assert "physical" not in kinds(indexing(small, small, steps_of(caches_of(SERVER))))


def test_recorded_curves_of_a_guest_show_its_physically_indexed_second_level() -> None:
    curves = read_curves(RECORDED)
    found = infer_caches(curves.best)
    verdicts = kinds(indexing_of_file(curves, found))
    assert verdicts[:2] == ["unknown", "physical"]


def test_a_file_that_does_not_tell_the_pages_says_so(tmp_path: Path) -> None:
    path = tmp_path / "curve.csv"
    lines = [line.rsplit(",", 1)[0] for line in RECORDED.read_text().splitlines() if line.endswith("huge")]
    path.write_text("\n".join(["size_bytes,latency_ns", *lines]))
    curves = read_curves(path)
    verdicts = indexing_of_file(curves, infer_caches(curves.best))
    assert set(kinds(verdicts)) == {"unknown"}
    assert "column pages" in verdicts[0].reason


def test_an_unclear_verdict_gives_way_to_a_clear_one() -> None:
    unknown, physical, virtual = (Verdict(kind, 0.5, "") for kind in ("unknown", "physical", "virtual"))
    assert merged_verdicts([unknown, physical, unknown], [virtual, virtual, unknown]) == [
        virtual,
        physical,
        unknown,
    ]


# ---- other pages against the same ones ---------------------------------------------------------------------


def page_sets(machine: PagedMachine, noise: float = 0.03) -> ProbeSamples:
    cases = [
        {"unit": "s", "size_bytes": size, "pages": "small", "set": kind}
        for kind in ("other", "same")
        for size in SIZES
    ]
    values = [*machine.samples(SIZES, SMALL, 12, noise, seed=3), *machine.reused(SIZES, 12, noise, seed=4)]
    return ProbeSamples(probe="page_sets", cases=cases, values=values)


def test_other_pages_scatter_only_where_physical_addresses_index() -> None:
    steps = steps_of(caches_of(FEW_WAYS_VIRTUAL))
    assert pages_differ(page_sets(FEW_WAYS_VIRTUAL), steps) == [False, True]
    assert pages_differ(page_sets(FEW_WAYS_PHYSICAL), steps) == [True, True]


def test_page_sets_tell_the_index_where_huge_pages_were_split() -> None:
    small = measured(FEW_WAYS_VIRTUAL, SMALL)
    steps = steps_of(caches_of(FEW_WAYS_VIRTUAL), {1: 2})
    known = PriorKnowledge(pages_differ=pages_differ(page_sets(FEW_WAYS_VIRTUAL), steps))
    assert kinds(indexing(None, small, steps, known)) == ["virtual", "physical"]


def test_noise_of_the_machine_is_no_effect_of_pages() -> None:
    steps = steps_of(caches_of(ALL_VIRTUAL))
    assert True not in pages_differ(page_sets(ALL_VIRTUAL, noise=0.3), steps)


@pytest.mark.filterwarnings("error")
def test_subtracted_baselines_are_put_back(tmp_path: Path) -> None:
    """Zeros at the small sizes divide nothing, and the indexes are those of the whole latencies."""
    latencies = [0.0, 0.0, 0.0, 0.0, 3.8, 5.8, 6.9, 7.8, 74.3, 110.0, 127.6, 136.4, 141.2, 143.7]
    rows = [f"{4096 << i},{ns},{pages}" for i, ns in enumerate(latencies) for pages in ("huge", "small")]
    path = tmp_path / "zeros.csv"
    path.write_text("\n".join(["size_bytes,latency_ns,pages", *rows]))
    curves = read_curves(path)
    verdicts = indexing_of_file(curves, infer_caches(curves.best))
    assert [one.kind for one in verdicts] == ["unknown", "unknown"]
