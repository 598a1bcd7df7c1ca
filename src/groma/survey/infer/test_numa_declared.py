from collections import Counter

from groma.survey.infer.numa_declared import DeclaredDistances

DISTANCES = [[10.0, 21.0, 31.0], [21.0, 10.0, 21.0], [31.0, 21.0, 10.0]]
NODE_OF = {0: 0, 1: 0, 4: 1, 5: 2, 9: 2, 10: 2}


def test_a_pair_of_places_has_the_distance_of_their_nodes() -> None:
    found = DeclaredDistances(DISTANCES, NODE_OF)
    assert found[0, 1] == 10.0
    assert found[4, 9] == 21.0
    assert found.get((0, 7)) is None
    assert len(found) == len(list(found)) == 36


def test_pairs_are_counted_without_looking_at_each() -> None:
    found = DeclaredDistances(DISTANCES, NODE_OF)
    assert found.counts() == Counter(found.values())


def test_a_place_of_an_undeclared_node_has_no_distance() -> None:
    found = DeclaredDistances(DISTANCES, NODE_OF | {11: 7})
    assert (11, 0) not in found
    assert found.counts().total() == 36
