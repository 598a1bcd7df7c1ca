from groma.facts.mapping import MappingFacts, MappingQuality
from groma.report.words.mapping import proof_of


def facts(reached: float | None = None, **more: object) -> MappingFacts:
    quality = MappingQuality(hop_bytes=2048.0, dilation=1.0, max_congestion=reached, bytes_by_layer={})
    return MappingFacts(mapping=[0, 1], quality=quality, **more)  # type: ignore[arg-type]


def test_nothing_is_said_where_nothing_is_proven() -> None:
    assert proof_of(facts()) == []
    assert proof_of(facts(1024.0)) == []
    assert proof_of(facts(0.0, least_congestion=0.0)) == []


def test_a_mapping_that_is_proven_to_be_the_best_is_called_that() -> None:
    assert proof_of(facts(is_optimal=True)) == [
        "No mapping of these ranks has fewer hop-bytes: this is proven."
    ]
    assert proof_of(facts(1024.0, least_congestion=1024.0 * (1 - 1e-9))) == [
        "No mapping of these ranks has less on its busiest link: this is proven."
    ]


def test_a_bound_says_how_much_better_another_mapping_may_be() -> None:
    (line,) = proof_of(facts(3072.0, least_congestion=2048.0))
    bound = (
        "The busiest link carries at least 2 KiB in every mapping of these ranks, here 1.50 times as much."
    )
    assert line == f"{bound} A better mapping may exist."
