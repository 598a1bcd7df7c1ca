"""Names of distance classes."""

from itertools import product

from groma.record import Quantity
from groma.survey.infer.numa_classes import distance_classes


def took(seconds: float) -> Quantity:
    return Quantity(
        value=seconds, unit="s", low=0.99 * seconds, high=1.01 * seconds, confidence=0.95, method="fake"
    )


def ratio(owner: int, reader: int) -> float:
    """Two cores a node; some pairs of one node are as far apart as some of two."""
    if owner == reader:
        return 1.0
    return 1.5 if owner + reader in {1, 3} else 2.5


def test_classes_of_local_and_remote_pairs_are_numbered() -> None:
    times = {(owner, reader): took(ratio(owner, reader)) for owner, reader in product(range(4), repeat=2)}
    classes = distance_classes(times, {}, node_of={0: 0, 1: 0, 2: 1, 3: 1})
    assert [one.name for one in classes] == ["local", "local and remote 1", "local and remote 2"]


def test_one_class_of_local_and_remote_pairs_has_no_number() -> None:
    times = {(owner, reader): took(1.0) for owner, reader in product(range(4), repeat=2)}
    classes = distance_classes(times, {}, node_of={0: 0, 1: 0, 2: 1, 3: 1})
    assert [one.name for one in classes] == ["local and remote"]
