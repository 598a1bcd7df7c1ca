from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.facts.network import PairLatencies
from groma.record import ProbeSamples
from groma.survey.infer.network.pairs import measured_pairs, min_share
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, pair_samples, probe_samples


def facts_of(samples: ProbeSamples) -> PairLatencies:
    facts, _ = infer_network({"net_pairs": samples})
    assert facts is not None
    assert facts.pairs is not None
    return facts.pairs


def test_the_matrix_is_symmetric_and_empty_on_its_diagonal() -> None:
    samples = pair_samples(list(combinations(range(4), 2)), lambda a, b: (a + b) * 1e-6)
    matrix = facts_of(samples).latency
    assert [row[i] for i, row in enumerate(matrix)] == [None] * 4
    assert all(matrix[i][j] == matrix[j][i] for i in range(4) for j in range(4))
    assert matrix[1][3] is not None
    assert matrix[1][3].value == pytest.approx(4e-6, rel=0.1)


def test_noise_that_only_adds_does_not_move_a_latency() -> None:
    samples = pair_samples([(0, 1)], lambda *_: 1e-6, Scatter(repetitions=60, noise=0.01))
    samples.values[0][10:30] = [50e-6] * 20
    (one,) = measured_pairs(samples)
    assert one.latency.value == pytest.approx(1e-6, rel=0.03)
    assert one.latency.low <= 1e-6 * 1.01


def test_both_directions_are_one_pair() -> None:
    samples = pair_samples([(0, 1), (1, 0)], lambda *_: 1e-6)
    (one,) = measured_pairs(samples)
    assert one.latency.samples is not None
    assert one.latency.samples.n == 18


def test_pairs_without_usable_samples_are_missing() -> None:
    cases = [{"from": 0, "to": 1, "bytes": 8}, {"from": 0, "to": 2, "bytes": 8}]
    matrix = facts_of(probe_samples("net_pairs", cases, [[1e-6], [float("nan")]]))
    assert matrix.ranks == [0, 1]
    assert matrix.design.kind == "all"


def test_all_pairs_miss_nothing() -> None:
    design = facts_of(pair_samples(list(combinations(range(5), 2)), lambda *_: 1e-6)).design
    assert (design.kind, design.measured, design.total, design.min_share) == ("all", 10, 10, 0.0)


def test_a_sample_says_what_it_may_have_missed() -> None:
    samples = pair_samples([(i, i + 1) for i in range(0, 200, 2)], lambda *_: 1e-6)
    samples.parameters |= {"design": "sampled", "pairs_total": "523776"}
    design = facts_of(samples).design
    assert (design.kind, design.total, design.risk) == ("sampled", 523776, 0.05)
    assert design.min_share == pytest.approx(0.0295, abs=1e-3)


@given(st.integers(1, 10_000))
def test_a_layer_of_the_least_share_is_missed_with_the_stated_risk(measured: int) -> None:
    assert (1 - min_share(measured)) ** measured == pytest.approx(0.05)


def test_missed_layers_are_as_rare_as_stated() -> None:
    random = np.random.default_rng(4)
    share = min_share(60)
    missed = [not (random.random(60) < share).any() for _ in range(2000)]
    assert np.mean(missed) == pytest.approx(0.05, abs=0.02)


def test_a_matrix_of_thousands_of_ranks_is_left_out() -> None:
    facts = facts_of(pair_samples([(0, other) for other in range(1, 600)], lambda *_: 1e-6))
    assert (len(facts.ranks), facts.latency) == (600, [])
