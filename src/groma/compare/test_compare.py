"""What `compare` promises: that nothing changed where nothing did, and that a change is found."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from groma.compare.compare import compare, compare_sides
from groma.errors import GromaError
from groma.facts.comparison import Thresholds
from groma.hpccoutf.imported import imported_records
from suite_records import stream, suite_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.compare.conftest import Make
    from groma.facts.comparison import Changed, ComparisonFacts
    from groma.record import Record

RECORDED = json.loads((Path(__file__).parents[3] / "tests/data/compare/recorded.json").read_text())
STEADY = {name: one for name, one in RECORDED.items() if name.startswith("run 1")}


def compared(*records: Record[Any], **limits: float) -> ComparisonFacts:
    named = [(f"r{number}", f"r{number}.json", one) for number, one in enumerate(records)]
    return compare(named, Thresholds(**limits))


def only(facts: ComparisonFacts) -> Changed:
    (one,) = (quantity for quantity in facts.quantities if quantity.name == "hpcc.stream.triad.star")
    return one.others[0]


def between(made: Make, old: Sequence[float], new: Sequence[float]) -> Changed:
    return only(compared(made({"triad": old}), made({"triad": new})))


def split(samples: NDArray[np.float64], random: np.random.Generator) -> list[list[float]]:
    order = random.permutation(len(samples))
    half = len(samples) // 2
    return [samples[np.sort(part)].tolist() for part in (order[:half], order[half : 2 * half])]


# ---- the figures to reach ----------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.005, 0.02, 0.05])
@pytest.mark.parametrize("count", [20, 40, 100])
def test_two_halves_of_a_measurement_are_the_same(made: Make, noise: float, count: int) -> None:
    random = np.random.default_rng(11)
    samples = 1e10 * random.normal(1.0, noise, count)
    same = [between(made, *split(samples, random)).verdict == "same" for _ in range(100)]
    assert sum(same) >= 95


def test_two_halves_of_skewed_noise_are_the_same(made: Make) -> None:
    """Times have a floor and a tail."""
    random = np.random.default_rng(12)
    samples = 1e10 / (1.0 + random.gamma(1.5, 0.02, 60))
    same = [between(made, *split(samples, random)).verdict == "same" for _ in range(100)]
    assert sum(same) >= 95


@pytest.mark.parametrize("name", STEADY)
def test_two_halves_of_a_recorded_measurement_never_differ(made: Make, name: str) -> None:
    """Of a busy machine the halves may be open, as their intervals are wide; they may not differ."""
    random = np.random.default_rng(13)
    samples = np.array(STEADY[name]["samples"])
    verdicts = [between(made, *split(samples, random)).verdict for _ in range(100)]
    assert sum(one in {"same", "inconclusive"} for one in verdicts) >= 95
    spread = np.quantile(samples, 0.75) / np.quantile(samples, 0.25)
    if spread < 1.1 and len(samples) >= 40:
        assert verdicts.count("same") >= 95


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_a_planted_change_of_five_per_cent_is_found(made: Make, factor: float) -> None:
    random = np.random.default_rng(14)
    found = []
    for _ in range(100):
        old, new = (1e10 * random.normal(1.0, 0.02, 20) for _ in range(2))
        found.append(between(made, old.tolist(), (factor * new).tolist()).verdict)
    assert found.count("worse" if factor < 1 else "better") >= 95


def test_it_is_found_among_fifty_quantities_that_did_not_change(made: Make) -> None:
    random = np.random.default_rng(15)
    found, false = 0, 0
    for _ in range(100):
        old, new = (
            {f"s{number}": 1e10 * random.normal(1.0, 0.02, 20) for number in range(50)} for _ in range(2)
        )
        new["s7"] = 0.95 * new["s7"]
        facts = compared(made(old), made(new))
        changed = {one.name for one in facts.quantities if one.others[0].verdict in {"better", "worse"}}
        found += "hpcc.stream.s7.star" in changed
        false += len(changed - {"hpcc.stream.s7.star"})
    assert found >= 95
    assert false <= 5


# ---- verdicts ----------------------------------------------------------------------------------------------

STEPS = [1e10 * (1 + 0.001 * step) for step in range(-10, 10)]


def test_a_change_that_is_certain_but_small_does_not_matter(made: Make) -> None:
    slower = [0.985 * one for one in STEPS]
    assert between(made, STEPS, slower).verdict == "same"
    assert (
        only(compared(made({"triad": STEPS}), made({"triad": slower}), min_change=0.005)).verdict == "worse"
    )


def test_what_is_the_same_has_an_interval_that_says_so(made: Make) -> None:
    """Where all of the interval is a change that counts, a verdict of "same" would contradict it."""
    random = np.random.default_rng(17)
    for _ in range(100):
        old, new = (1e10 * random.normal(1.0, 0.04, 5) for _ in range(2))
        changed = between(made, old.tolist(), (0.92 * new).tolist())
        assert changed.ratio is not None
        if changed.verdict == "same":
            assert changed.ratio.low < 1.02
            assert changed.ratio.high > 1.0 / 1.02


def test_a_change_that_may_be_chance_is_neither_one_nor_none(made: Make) -> None:
    old = [1.00e10, 1.04e10, 1.08e10, 0.96e10, 0.92e10]
    changed = between(made, old, [0.89 * one for one in old])
    assert changed.ratio is not None
    assert changed.probability is not None
    assert changed.ratio.high < 0.98
    assert changed.probability > 0.01
    assert (changed.verdict, changed.why) == ("inconclusive", "a change that may be chance")


def test_noise_that_hides_a_change_leaves_it_open(made: Make) -> None:
    random = np.random.default_rng(16)
    old, new = (1e10 * random.lognormal(0.0, 0.9, 12) for _ in range(2))
    changed = between(made, old.tolist(), new.tolist())
    assert changed.verdict == "inconclusive"
    assert re.fullmatch(r"too wide: .*; about \d+ samples each \(now 12\) would be enough", changed.why)


def test_an_interval_that_is_wide_to_one_side_leaves_it_open(made: Make) -> None:
    """A change of a third might hide on that side, however narrow the other one is."""
    old = [1.225, 0.836, 0.758, 1.266, 1.127, 1.15, 0.804]
    new = [1.201, 0.995, 1.115, 1.263, 1.172, 1.1, 0.911]
    changed = between(made, old, new)
    assert changed.ratio is not None
    assert changed.ratio.high > 1.25 > (changed.ratio.high - changed.ratio.low) / 2
    assert (changed.verdict, changed.why[:15]) == ("inconclusive", "too wide: ±37 %")


def test_the_change_is_that_of_the_printed_values(made: Make) -> None:
    changed = between(made, [1.0, 1.0, 2.0, 2.0], [1.5] * 4)
    assert changed.ratio is not None
    assert changed.ratio.value == pytest.approx(1.0)


def test_a_single_sample_leaves_it_open(made: Make) -> None:
    changed = between(made, [1e10], [2e10])
    assert (changed.verdict, changed.why) == ("inconclusive", "a single sample")
    assert changed.ratio is not None


def test_a_quantity_of_one_record_alone_is_missing(made: Make) -> None:
    facts = compared(made({"triad": STEPS, "copy": STEPS}), made({"triad": STEPS, "add": STEPS}))
    by_name = {one.name: one.others[0] for one in facts.quantities}
    assert by_name["hpcc.stream.copy.star"].why == "this record does not have it"
    assert by_name["hpcc.stream.add.star"].why == "the first record does not have it"
    assert by_name["hpcc.stream.triad.star"].verdict == "same"


def test_every_record_is_compared_with_the_first(made: Make) -> None:
    slower, faster = [0.9 * one for one in STEPS], [1.1 * one for one in STEPS]
    facts = compared(*(made({"triad": one}) for one in (STEPS, slower, faster)))
    (quantity,) = facts.quantities
    assert [one.verdict for one in quantity.others] == ["worse", "better"]


def test_records_of_different_kinds_are_refused(made: Make, foreign_record: Record[Any]) -> None:
    with pytest.raises(GromaError, match="of kind astrolabe") as refused:
        compared(made({"triad": STEPS}), foreign_record)
    assert refused.value.exit_code == 2


def test_records_of_an_unknown_kind_are_compared(foreign_record: Record[Any]) -> None:
    facts = compared(foreign_record, foreign_record)
    assert [one.name for one in facts.quantities] == ["astrolabe.altitude"]


def test_a_failed_validation_is_reported(made: Make) -> None:
    bad = made({"triad": STEPS})
    bad.facts.success = False
    assert "validation failed" in compared(made({"triad": STEPS}), bad).records[1].notes[0]


def test_the_same_records_give_the_same_comparison(made: Make) -> None:
    random = np.random.default_rng(17)
    records = [made({"triad": 1e10 * random.normal(1.0, 0.05, 30)}) for _ in range(2)]
    assert compared(*records) == compared(*records)


@pytest.mark.parametrize("value", [0.0, -1.0, 1e308, 5e-324])
def test_values_that_no_machine_has_are_open_and_no_failure(made: Make, value: float) -> None:
    damaged = made({"triad": STEPS})
    figure = damaged.facts.tests[0].figures[0]
    bounds = {"value": value, "low": -value, "high": 2.0, "samples": None}
    figure.value = msgspec.structs.replace(figure.value, **bounds)
    for records in ((made({"triad": STEPS}), damaged), (damaged, made({"triad": STEPS})), (damaged, damaged)):
        facts = compared(*records)
        assert only(facts).verdict in {"inconclusive", "same", "better", "worse"}
        assert msgspec.json.encode(facts)


def test_values_below_zero_are_said_to_be_so(made: Make) -> None:
    records = [made({"triad": STEPS}), made({"triad": STEPS})]
    for one, value in zip(records, (-3.0, -2.0), strict=True):
        figure = one.facts.tests[0].figures[0]
        bounds = {"value": value, "low": value - 0.5, "high": value + 0.5, "samples": None}
        figure.value = msgspec.structs.replace(figure.value, **bounds)
    assert only(compared(*records)).why == "values below zero have no ratio"


# ---- several runs pooled on a side -------------------------------------------------------------------------


def pooled(made: Make, *sides: Sequence[Sequence[float]]) -> ComparisonFacts:
    """The sides, each of the samples of its runs; a run of each night."""
    night = count(1)
    return compare_sides([[_night(made, next(night), samples) for samples in side] for side in sides])


def _night(made: Make, number: int, samples: Sequence[float]) -> tuple[str, str, Record[Any]]:
    return f"n{number}", f"n{number}.json", made({"triad": samples}, created=f"{number:02}")


def nights(
    random: np.random.Generator, number: int, between: float, factor: float = 1.0
) -> list[list[float]]:
    levels = 1e10 * factor * random.lognormal(0.0, between, number)
    return [(level * random.normal(1.0, 0.02, 20)).tolist() for level in levels]


@pytest.mark.parametrize("between", [0.01, 0.02, 0.03])
def test_pooled_runs_that_did_not_change_are_the_same(made: Make, between: float) -> None:
    random = np.random.default_rng(21)
    found = [
        only(pooled(made, nights(random, 3, between), nights(random, 3, between))).verdict for _ in range(100)
    ]
    assert found.count("same") >= 95


@pytest.mark.parametrize(("between", "number"), [(0.01, 4), (0.02, 9), (0.03, 17)])
def test_a_planted_change_between_pooled_runs_is_found(made: Make, between: float, number: int) -> None:
    random = np.random.default_rng(22)
    found = [
        only(pooled(made, nights(random, number, between), nights(random, number, between, 0.95))).verdict
        for _ in range(100)
    ]
    assert found.count("worse") >= 95


def test_pooled_runs_are_reported_one_by_one(made: Make) -> None:
    facts = pooled(made, [STEPS] * 2, [STEPS] * 3)
    assert [one.name for one in facts.records] == ["n1 and n2", "n3 to n5"]
    assert [len(one.runs) for one in facts.records] == [2, 3]
    changed = only(facts)
    assert (changed.verdict, changed.counts, changed.counted) == ("same", (2, 3), "run")
    assert changed.value is not None
    assert changed.value.method.startswith("geometric mean of 3 runs")


def test_a_run_that_is_there_twice_does_not_count_twice(made: Make) -> None:
    one, other = made({"triad": STEPS}), made({"triad": STEPS[:12]})
    with pytest.raises(GromaError, match="is the same run as a"):
        compare_sides([[("a", "a.json", one), ("b", "b.json", one)], [("c", "c.json", other)]])


def test_a_run_that_is_compared_with_itself_is_named(made: Make) -> None:
    """That nothing changed between a file and its copy says nothing about the machine."""
    one, other = (made({"triad": STEPS}, created=night) for night in "12")
    facts = compared(one, other, one)
    assert [record.notes for record in facts.records] == [[], [], ["it is the same run as the first record"]]


def test_what_differs_within_a_side_is_reported_too(made: Make) -> None:
    runs = [made({"triad": STEPS}, kernel=kernel, created=kernel) for kernel in ("6.1", "6.2", "6.3")]
    named = [(one.created, "f.json", one) for one in runs]
    assert differing(compare_sides([named[:2], named[2:]])) == {"machine: kernel": ["6.1 | 6.2", "6.3"]}


def test_a_quantity_of_one_run_of_each_side_is_compared_by_its_samples(made: Make) -> None:
    runs = [
        made({"triad": STEPS}, created="1"),
        made({"triad": STEPS, "copy": STEPS}, created="2"),
        made({"copy": STEPS, "add": STEPS}, created="3"),
    ]
    named = [(one.created, "f.json", one) for one in runs]
    facts = compare_sides([named[:2], named[2:]])
    by_name = {one.name: one.others[0] for one in facts.quantities}
    copy = by_name["hpcc.stream.copy.star"]
    assert (copy.verdict, copy.counts, copy.counted) == ("same", (20, 20), "sample")
    assert by_name["hpcc.stream.triad.star"].verdict == "missing"


# ---- environments ------------------------------------------------------------------------------------------


def differing(facts: ComparisonFacts) -> dict[str, list[str]]:
    return {f"{one.of}: {one.what}": one.values for one in facts.differences}


def test_what_differs_around_the_numbers_is_listed_with_the_test_first(made: Make) -> None:
    old = made({"triad": STEPS}, frequency={"governor": "performance"}, software={"c_library": "2.36"})
    new = made(
        {"triad": STEPS},
        frequency={"governor": "powersave"},
        software={"c_library": "2.37"},
        kernel="6.2",
        mpi="MPICH 4",
        ranks=4,
    )
    found = differing(compared(old, new, old))
    assert next(iter(found)) == "test: ranks"
    assert found == {
        "test: ranks": ["2", "4", "2"],
        "machine: frequency governor": ["performance", "powersave", "performance"],
        "machine: kernel": ["6.1", "6.2", "6.1"],
        "software: C library": ["2.36", "2.37", "2.36"],
        "software: MPI of the ranks": ["Open MPI 4", "MPICH 4", "Open MPI 4"],
    }


def hpccoutf(**keys: str) -> Record[Any]:
    header = "This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\nHostname: 'n1'\n"
    lines = "".join(f"{key}={value}\n" for key, value in keys.items())
    text = f"{header}Begin of Summary section.\n{lines}End of Summary section.\n"
    (record,) = imported_records(text.encode(), "hpccoutf.txt")
    return record


def test_outputs_of_other_programs_differ_in_ranks_and_sizes() -> None:
    old = hpccoutf(CommWorldProcs="2", HPL_N="8192", HPL_Tflops="0.1", StarSTREAM_Triad="9.5")
    new = hpccoutf(CommWorldProcs="4", HPL_N="8192", HPL_Tflops="0.2", StarSTREAM_Triad="9.1")
    assert differing(compared(old, new)) == {"test: CommWorldProcs": ["2", "4"]}


def test_nothing_differs_around_the_same_run(made: Make) -> None:
    assert compared(made({"triad": STEPS}), made({"triad": STEPS[:12]})).differences == []


def test_variables_of_a_single_job_are_no_difference(made: Make) -> None:
    old = made({"triad": STEPS}, variables={"SLURM_JOB_ID": "1", "OMP_NUM_THREADS": "2"})
    new = made({"triad": STEPS}, variables={"SLURM_JOB_ID": "2", "OMP_NUM_THREADS": "4"})
    assert differing(compared(old, new)) == {"software: $OMP_NUM_THREADS": ["2", "4"]}


# ---- units -------------------------------------------------------------------------------------------------


def test_units_that_differ_by_a_prefix_are_compared(made: Make) -> None:
    """As between records of two programs: flop/s here, Gflop/s there."""
    random = np.random.default_rng(16)
    old, new = (1e10 * random.normal(1.0, 0.02, 20) for _ in range(2))
    small = suite_record(stream({"triad": (1e-9 * 0.9 * new).tolist()}, unit="GB/s"))
    changed = only(compared(made({"triad": old.tolist()}), small))
    assert changed.verdict == "worse"
    assert changed.probability == pytest.approx(
        between(made, old.tolist(), (0.9 * new).tolist()).probability, rel=1e-9
    )
    assert changed.value is not None
    assert changed.value.unit == "B/s"


def test_pooled_runs_may_differ_by_a_prefix(made: Make) -> None:
    large = [
        made({"triad": [value, 1.01 * value]}, created=f"2026-01-0{day}T00:00:00+00:00")
        for day, value in enumerate((1e10, 1.02e10, 2e10, 2.02e10), 1)
    ]
    small = suite_record(stream({"triad": [10.2, 10.302]}, unit="GB/s"), created="2026-01-02T00:00:00+00:00")

    def change(second: Record[Any]) -> Changed:
        first, _, third, fourth = ((str(number), "", one) for number, one in enumerate(large))
        return only(compare_sides([[first, ("1", "", second)], [third, fourth]]))

    assert change(small).verdict == change(large[1]).verdict == "better"
    assert change(small).probability == pytest.approx(change(large[1]).probability, rel=1e-9)


def test_other_units_are_not_compared(made: Make) -> None:
    flops = suite_record(stream({"triad": [1e10] * 20}, unit="flop/s"))
    changed = only(compared(made({"triad": [1e10] * 20}), flops))
    assert (changed.verdict, changed.why) == ("inconclusive", "the units differ: B/s and flop/s")
