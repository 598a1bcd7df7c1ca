"""Machines whose memory has a known limit for each group of cores."""

import numpy as np
import pytest

from groma.record import ProbeSamples
from groma.survey.infer.group_scaling import group_scaling

ALONE = 10e9
LIMIT = 25e9
GROUPS = {"NUMA node": [[0, 1, 2, 3], [4, 5, 6, 7]], "machine": [list(range(8))]}


def bandwidth(cores: list[int]) -> float:
    """Each NUMA node moves 25 GB/s at most, a core 10."""
    nodes = [[core for core in cores if core // 4 == node] for node in (0, 1)]
    return sum(min(len(node) * ALONE, LIMIT) for node in nodes)


def samples(noise: float = 0.02) -> ProbeSamples:
    random = np.random.default_rng(5)
    cases, values = [], []
    for kind, groups in GROUPS.items():
        for group in groups:
            for threads in range(1, len(group) + 1):
                cores = group[:threads]
                cases.append(
                    {
                        "unit": "B/s",
                        "kind": kind,
                        "group": group,
                        "threads": threads,
                        "cores": cores,
                        "kernel": "triad",
                    }
                )
                values.append((bandwidth(cores) * random.normal(1.0, noise, 40)).tolist())
    return ProbeSamples(probe="group_bandwidth", cases=cases, values=values)


def test_each_contention_group_has_the_bandwidth_of_its_cores() -> None:
    found = group_scaling(samples(), [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert [one.name for one in found] == ["0-3", "4-7"]
    for group in found:
        assert [point.cores for point in group.points] == [1, 2, 3, 4]
        assert [point.bandwidth.value for point in group.points] == pytest.approx(
            [10e9, 20e9, 25e9, 25e9], rel=0.03
        )
        assert [point.ratio.value for point in group.points] == pytest.approx([1.0, 1.0, 1.2, 1.6], rel=0.03)
        assert all(point.ratio.low <= point.ratio.value <= point.ratio.high for point in group.points)
        assert group.saturates_at == 3


def test_a_group_that_is_not_declared_has_the_curve_of_the_smallest_set_around_it() -> None:
    (inside, across) = group_scaling(samples(), [[1, 2], [3, 4]])
    assert (inside.cores, inside.over, inside.kind) == ([1, 2], [0, 1, 2, 3], "NUMA node")
    assert (across.cores, across.over, across.kind) == ([3, 4], list(range(8)), "machine")


@pytest.mark.parametrize("groups", [None, []])
def test_without_groups_all_cores_show_that_nothing_contends(groups: list[list[int]] | None) -> None:
    (whole,) = group_scaling(samples(), groups)
    assert whole.kind == "machine"
    assert whole.points[-1].cores == 8


def test_samples_that_were_cut_short_make_no_curve() -> None:
    whole = samples()
    without_one = [case["threads"] != 1 for case in whole.cases]
    whole.values = [values if kept else [] for values, kept in zip(whole.values, without_one, strict=True)]
    assert group_scaling(whole, [[0, 1, 2, 3]]) == []
    assert group_scaling(ProbeSamples(probe="", cases=[], values=[]), [[0, 1]]) == []
