from groma.record.quantity import Quantity
from groma.survey.infer.cache_numbers import CacheLevel, numbered, undeclared_advice

KIB, MIB = 1024.0, 1024.0**2


def level(number: int, size: float) -> CacheLevel:
    capacity = Quantity(
        value=size, unit="B", low=0.85 * size, high=1.2 * size, confidence=0.9, method="given"
    )
    latency = Quantity(value=2e-9, unit="s", low=2e-9, high=2e-9, confidence=0.9, method="given")
    return CacheLevel(number, capacity, latency)


def levels(*sizes: float) -> list[CacheLevel]:
    return [level(i + 1, size) for i, size in enumerate(sizes)]


def test_levels_stand_beside_the_declared_ones_of_their_number() -> None:
    caches, undeclared = numbered(levels(32 * KIB, 1 * MIB, 6 * MIB), {1: 32 * KIB, 2: 1 * MIB, 3: 32 * MIB})
    assert [(one.level, one.size.agrees) for one in caches] == [(1, True), (2, True), (3, False)]
    assert undeclared == ()


def test_a_level_that_the_system_does_not_count_has_no_number() -> None:
    """As the 192 KiB between the first cache and the second one that Linux knows of recent client cores."""
    declared = {1: 48 * KIB, 2: 2.5 * MIB, 3: 12 * MIB}
    caches, undeclared = numbered(levels(48 * KIB, 192 * KIB, 2.5 * MIB, 12 * MIB), declared)
    assert [(one.level, one.size.agrees) for one in caches] == [(1, True), (2, True), (3, True)]
    assert [one.size.value for one in undeclared] == [192 * KIB]
    (advice,) = undeclared_advice(undeclared)
    assert (
        "about 192 KiB (2 ns) that the system does not declare lies between level 1 and level 2"
        in advice.what
    )


def test_without_declared_sizes_levels_are_counted() -> None:
    caches, undeclared = numbered(levels(48 * KIB, 192 * KIB, 2.5 * MIB), {})
    assert [one.level for one in caches] == [1, 2, 3]
    assert undeclared == ()


def test_a_level_unlike_the_declared_one_keeps_its_number_where_no_other_fits() -> None:
    caches, undeclared = numbered(levels(32 * KIB, 256 * KIB, 8 * MIB), {1: 32 * KIB, 2: 1 * MIB, 3: 8 * MIB})
    assert [(one.level, one.size.agrees) for one in caches] == [(1, True), (2, False), (3, True)]
    assert undeclared == ()
