from groma.facts.mapping import MappedRank, MappingFacts, MappingQuality
from groma.report.words.mapping import places_of_ranks, proof_of


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


def test_what_is_known_of_places_has_columns_and_nothing_else_has() -> None:
    assert places_of_ranks(facts()) == {}
    on_torus = facts(coordinates=[[0, 1, 1], [3, 0, 0]])
    assert places_of_ranks(on_torus) == {"coordinates": ["(0,1,1)", "(3,0,0)"]}
    of_node = facts(targets=[MappedRank(host="", cores=[4, 5]), MappedRank(host="")])
    assert places_of_ranks(of_node) == {"cores": ["4-5", "any"]}


def test_a_rank_of_which_nothing_is_known_has_its_row() -> None:
    assert places_of_ranks(facts(targets=[MappedRank(host="a", cores=[4])])) == {
        "host": ["a", ""],
        "cores": ["4", ""],
    }
