import math
from collections.abc import Callable

import pytest

from groma.facts.network import Receiver
from groma.record import Advice, ProbeSamples
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, probe_samples

LINK = 110e6
MESSAGE, MESSAGES = 1 << 20, 30
CENTRE = 5


def receiver_samples(
    share: Callable[[int, int], float], *, senders: int = 5, targets: int = 0, scatter: Scatter | None = None
) -> ProbeSamples:
    """`share(k, m)` is the bandwidth of each of k senders while the node sends to m targets."""
    phases = [(k, m) for m in range(targets + 1) for k in range(1, senders + 1)]
    sent = [(k, m, rank, "sender") for k, m in phases for rank in range(k)]
    sent += [(k, m, CENTRE + 1 + i, "target") for k, m in phases for i in range(m)]
    sent += [(k, m, CENTRE, "receiver") for k, m in phases]
    cases = [
        {"senders": k, "receivers": m, "rank": rank, "role": role, "bytes": MESSAGE, "messages": MESSAGES}
        for k, m, rank, role in sent
    ]
    times = [MESSAGE * MESSAGES / share(k, m) for k, m, _, _ in sent]
    samples = probe_samples("net_receiver", cases, (scatter or Scatter(9, 0.02)).around(times))
    samples.parameters["rank_nodes"] = ",".join(f"h{i}" for i in range(CENTRE + targets + 1))
    return samples


def receiver_of(samples: ProbeSamples) -> tuple[Receiver, list[Advice]]:
    facts, advice = infer_network({"net_receiver": samples})
    assert facts is not None
    assert facts.receiver is not None
    return facts.receiver, advice


@pytest.mark.parametrize("seed", range(10))
def test_three_links_are_drained_and_a_fourth_is_not(seed: int) -> None:
    facts, advice = receiver_of(
        receiver_samples(lambda k, _: LINK * min(1, 3 / k), scatter=Scatter(9, 0.03, seed))
    )
    (limit,) = facts.limits
    assert (facts.sending, facts.receiving, limit.saturated) == (3, 0, True)
    assert limit.sending.low - 0.05 <= 3.0 <= limit.sending.high + 0.05  # the step of the search
    assert facts.bandwidth.value == pytest.approx(3 * LINK, rel=0.06)
    assert facts.host == "h5"
    assert advice == []


def test_who_is_slowed_is_named() -> None:
    facts, _ = receiver_of(receiver_samples(lambda k, _: LINK * min(1, 3 / k)))
    assert facts.notes == ["from 4 senders on, some are slowed: h0, h1, h2, h3"]
    last = facts.phases[-1]
    assert last.senders == [0, 1, 2, 3, 4]
    assert [one.value for one in last.slowed] == [pytest.approx(5 / 3, rel=0.05)] * 5


@pytest.mark.parametrize("knee", [1.45, 2.55, 3.9])
def test_fewer_senders_than_the_knee_do_not_count_for_the_limit(knee: float) -> None:
    facts, _ = receiver_of(receiver_samples(lambda k, _: LINK * min(1, knee / k), scatter=Scatter(9, 0.01)))
    assert facts.limits[0].sending.value == pytest.approx(knee, rel=0.03)
    assert facts.bandwidth.value == pytest.approx(knee * LINK, rel=0.01)
    assert facts.bandwidth.low > (knee - 0.1) * LINK


def test_one_sender_fills_a_link_of_its_own_rate() -> None:
    facts, _ = receiver_of(receiver_samples(lambda k, _: LINK / k))
    assert facts.sending == 1
    assert facts.bandwidth.value == pytest.approx(LINK, rel=0.05)


def test_a_limit_that_was_not_reached_is_not_made_up() -> None:
    facts, _ = receiver_of(receiver_samples(lambda *_: LINK))
    assert facts.limits[0].saturated is False
    assert facts.sending == 5
    assert "limit is higher" in facts.notes[0]


def test_sending_leaves_less_for_receiving() -> None:
    def share(k: int, m: int) -> float:
        return LINK * min(1, 3.5 / (k + m))

    facts, _ = receiver_of(receiver_samples(share, targets=2))
    knees = [limit.sending.value for limit in facts.limits]
    assert [limit.receiving for limit in facts.limits] == [0, 1, 2]
    assert knees[0] > knees[1] > knees[2]
    assert facts.phases[-1].outgoing is not None


def test_a_sum_that_falls_again_is_a_finding() -> None:
    _, advice = receiver_of(receiver_samples(lambda k, _: LINK / k if k < 4 else LINK / (3 * k)))
    assert [one.code for one in advice] == ["network.incast"]
    assert "h5 receives" in advice[0].what


def test_without_a_sole_sender_nothing_is_compared() -> None:
    samples = receiver_samples(lambda *_: LINK)
    kept = [i for i, case in enumerate(samples.cases) if case["senders"] > 1]
    samples.cases = [samples.cases[i] for i in kept]
    samples.values = [samples.values[i] for i in kept]
    assert infer_network({"net_receiver": samples}) == (None, [])


def test_a_phase_whose_senders_were_lost_tells_what_went_out() -> None:
    samples = receiver_samples(lambda k, _: LINK / k, targets=1)
    for case, values in zip(samples.cases, samples.values, strict=True):
        if (case["senders"], case["receivers"], case["role"]) == (5, 1, "sender"):
            values[:] = [math.nan] * len(values)
    facts, _ = receiver_of(samples)
    (last,) = [one for one in facts.phases if (one.sending, one.receiving) == (5, 1)]
    assert (last.bandwidth, last.senders, last.slowed) == (None, [], [])
    assert last.outgoing is not None
