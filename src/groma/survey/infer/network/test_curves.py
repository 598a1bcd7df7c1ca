from collections.abc import Callable

import numpy as np
import pytest

from groma.facts.network import CommunicationLayer
from groma.record import ProbeSamples
from groma.survey.infer.network.concurrency import concurrency_of
from groma.survey.infer.network.loggp import loggp_of
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, probe_samples

US = 1e-6
SIZES = [0, *(2**e for e in range(23))]
LAYER = "between nodes"


def eager_then_rendezvous(size: int) -> float:
    return 2 * US + size / 4e9 if size < 65536 else 17.4 * US + size / 10e9


def curve_samples(
    time: Callable[[int], float],
    scatter: Scatter | None = None,
    pairs: tuple[tuple[int, int], ...] = ((0, 1),),
) -> ProbeSamples:
    cases = [{"layer": LAYER, "from": a, "to": b, "bytes": size} for a, b in pairs for size in SIZES]
    scatter = scatter or Scatter(30, 0.03)
    return probe_samples("net_curve", cases, scatter.around([time(case["bytes"]) for case in cases]))


def layer_of(samples: ProbeSamples) -> CommunicationLayer:
    facts, _ = infer_network({samples.probe: samples})
    assert facts is not None
    (layer,) = facts.layers
    return layer


def test_latency_and_bandwidth_come_from_the_ends_of_the_curve() -> None:
    layer = layer_of(curve_samples(lambda size: 2 * US + size / 1e9))
    assert layer.name == LAYER
    assert layer.latency is not None
    assert layer.latency.value == pytest.approx(2 * US, rel=0.1)
    assert layer.bandwidth is not None
    assert layer.bandwidth.value == pytest.approx(1e9, rel=0.1)
    assert [point.bytes for point in layer.curve] == SIZES
    assert layer.curve[0].bandwidth is None


@pytest.mark.parametrize("seed", range(8))
def test_the_switch_of_protocol_is_found_between_its_sizes(seed: int) -> None:
    layer = layer_of(curve_samples(eager_then_rendezvous, Scatter(30, 0.03, seed)))
    (switch,) = layer.switches
    assert (switch.bytes.low, switch.bytes.high) == (32768, 65536)
    assert switch.bytes.confidence > 0.8
    assert switch.jump.value == pytest.approx(24.0 / 18.4, rel=0.1)


def test_sizes_that_were_not_reached_leave_the_switch_of_protocol_as_it_is() -> None:
    """A launch that ran out of time plans more sizes than it samples."""
    whole, cut = curve_samples(eager_then_rendezvous), curve_samples(eager_then_rendezvous)
    cut.cases.append({"layer": LAYER, "from": 0, "to": 1, "bytes": 2 * SIZES[-1], "unit": "s"})
    cut.values.append([])
    assert layer_of(cut).switches == layer_of(whole).switches != []


@pytest.mark.parametrize("seed", range(8))
def test_a_straight_curve_has_no_switch(seed: int) -> None:
    assert layer_of(curve_samples(lambda size: 2 * US + size / 1e9, Scatter(20, 0.05, seed))).switches == []


def test_a_cache_that_is_left_is_no_switch() -> None:
    layer = layer_of(curve_samples(lambda s: 1 * US + s / 8e9 + max(0, s - 262144) / 3e9))
    assert layer.switches == []


@pytest.mark.parametrize("seed", range(8))
def test_sizes_that_lie_badly_are_no_switch(seed: int) -> None:
    """Each size is off by 4 %, the same in every repetition, as on a busy host."""
    own = np.random.default_rng(seed).lognormal(0.0, 0.04, len(SIZES))
    samples = curve_samples(
        lambda size: (5 * US + size / 8e9) * float(own[SIZES.index(size)]), Scatter(5, 0.01)
    )
    assert layer_of(samples).switches == []


def test_a_curve_that_bends_upwards_is_no_switch() -> None:
    """A queue that fills: the first messages find it empty."""
    assert layer_of(curve_samples(lambda s: 14 * US + max(0, s - 700) / 46e6)).switches == []


def test_several_pairs_are_represented_by_their_median() -> None:
    samples = curve_samples(lambda _: US, pairs=((0, 1), (2, 3), (4, 5)))
    of_pairs = {1: 1.0, 3: 5.0, 5: 1.2}
    samples.values = [
        [value * of_pairs[case["to"]] for value in values]
        for case, values in zip(samples.cases, samples.values, strict=True)
    ]
    assert layer_of(samples).curve[3].time.value == pytest.approx(1.2 * US, rel=0.08)


def loggp_samples(**of_smallest: float) -> ProbeSamples:
    """Overheads and round trip of 8 bytes, gaps g + (size - 8) G with g = 1 µs, G = 0.2 ns/B."""
    cases = [{"what": what, "bytes": 8} for what in of_smallest]
    times = list(of_smallest.values())
    for size in (8, 1024, 65536, 262144, 1048576, 4194304):
        cases.append({"what": "gap", "bytes": size})
        times.append(1 * US + (size - 8) * 2e-10)
    labels = {"layer": LAYER, "from": 0, "to": 1}
    return probe_samples("net_loggp", [{**labels, **case} for case in cases], Scatter(40, 0.02).around(times))


def test_loggp_parameters_are_those_of_the_simulated_network() -> None:
    found = loggp_of(
        loggp_samples(round_trip=6 * US, send_overhead=0.4 * US, receive_overhead=0.8 * US), LAYER
    )
    for quantity, true in ((found.L, 1.8 * US), (found.o, 0.6 * US), (found.g, 1 * US), (found.G, 2e-10)):
        assert quantity is not None
        assert quantity.value == pytest.approx(true, rel=0.08)
        assert quantity.low <= quantity.value <= quantity.high
    assert found.G is not None
    assert found.G.unit == "s/B"
    assert found.notes == []


def overheads_of(latency: float, seed: int, contaminated: float) -> ProbeSamples:
    """The four times of one byte: overheads of 0.4 and 0.8 µs and this latency (s); noise only adds.

    The contaminated share of the samples comes several microseconds late.
    """
    random = np.random.default_rng(seed)
    true = {"round_trip": 2 * (1.2 * US + latency), "send_overhead": 0.4 * US, "receive_overhead": 0.8 * US}
    late = {name: (random.random(40) < contaminated) * random.exponential(5 * US, 40) for name in true}
    times = [time * (1 + random.exponential(0.1, 40)) + late[name] for name, time in true.items()]
    cases = [{"layer": LAYER, "from": 0, "to": 1, "what": what, "bytes": 1} for what in true]
    return probe_samples("net_loggp", cases, [one.tolist() for one in times])


@pytest.mark.parametrize("contaminated", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("latency", [0.0, 0.02 * US, 0.3 * US, 2 * US])
def test_latency_is_never_below_nothing_and_its_interval_holds_the_truth(
    latency: float, contaminated: float
) -> None:
    held = 0
    above_floor = 0.01 * (1.2 * US + latency)  # a low quantile is no minimum
    for seed in range(60):
        found = loggp_of(overheads_of(latency, seed, contaminated), LAYER)
        if found.L is not None:
            assert 0 <= found.L.low <= found.L.value <= found.L.high
            assert (found.notes == []) == (found.L.low > 0)
            held += found.L.low - above_floor <= latency <= found.L.high + above_floor
        assert found.L is not None or latency < above_floor
        held += found.L is None
    assert held / 60 >= 0.8  # of intervals whose confidence is 0.87


def test_gap_per_byte_stands_against_contaminated_samples() -> None:
    """A pause in a burst makes a gap longer, one in a single message shorter."""
    sizes = [4**exponent for exponent in range(11)]
    errors = []
    for seed in range(12):
        random = np.random.default_rng(seed)
        cases = [{"layer": LAYER, "from": 0, "to": 1, "what": "gap", "bytes": size} for size in sizes]
        paused = random.exponential(5 * US, (len(sizes), 9)) * (random.random((len(sizes), 9)) < 0.3)
        paused *= random.choice([-1, 1], (len(sizes), 9))
        gaps = [
            (1 * US + size * 2e-10) * random.lognormal(0, 0.05, 9) + late
            for size, late in zip(sizes, paused, strict=True)
        ]
        samples = probe_samples("net_loggp", cases, [np.where(one > 0, one, np.nan).tolist() for one in gaps])
        found = loggp_of(samples, LAYER).G
        assert found is not None
        assert 0 <= found.low <= found.value <= found.high
        errors.append(abs(found.value / 2e-10 - 1))
    assert np.median(errors) < 0.05
    assert max(errors) < 0.25


def test_latency_that_overheads_hide_is_not_made_up() -> None:
    found = loggp_of(
        loggp_samples(round_trip=1 * US, send_overhead=0.4 * US, receive_overhead=0.4 * US), LAYER
    )
    assert found.L is None
    assert len(found.notes) == 1


def test_what_was_not_timed_is_missing() -> None:
    found = loggp_of(loggp_samples(), LAYER)
    assert (found.L, found.o, found.send) == (None, None, None)
    assert found.g is not None


def concurrency_samples(share: Callable[[int, int], float]) -> ProbeSamples:
    sent = [(k, i) for k in (1, 2, 4) for i in range(k)]
    cases = [{"layer": LAYER, "messages": k, "pair": i, "bytes": 1 << 20} for k, i in sent]
    times = [(1 << 20) / share(k, i) for k, i in sent]
    return probe_samples("net_concurrency", cases, Scatter(9, 0.02).around(times))


def test_messages_that_share_a_link_gain_nothing() -> None:
    found = concurrency_of(concurrency_samples(lambda k, _: 1e9 / k), LAYER)
    assert [one.messages for one in found] == [1, 2, 4]
    for one in found:
        assert one.bandwidth.value == pytest.approx(1e9, rel=0.03)
        assert one.scaling is not None
        assert one.scaling.value == pytest.approx(1.0, rel=0.03)


def test_messages_on_links_of_their_own_add_up() -> None:
    last = concurrency_of(concurrency_samples(lambda *_: 1e9), LAYER)[-1]
    assert last.scaling is not None
    assert last.scaling.value == pytest.approx(4.0, rel=0.03)
    assert last.slowest is not None
    assert last.slowest.value < last.bandwidth.value


def test_another_layer_has_no_share_in_it() -> None:
    assert concurrency_of(concurrency_samples(lambda *_: 1e9), "same node") == []


def test_intervals_of_curves_hold_the_truth() -> None:
    held = []
    for seed in range(4):
        layer = layer_of(curve_samples(lambda size: 2 * US + size / 1e9, Scatter(60, 0.02, seed)))
        for point in layer.curve:
            true = (2 * US + point.bytes / 1e9) * np.exp(-1.645 * 0.02)  # the 5th percentile of the noise
            held.append(point.time.low <= true <= point.time.high)
    assert np.mean(held) > 0.9
