"""Line, ways and sharing as the probes of their own tell them beside the latency curve."""

from groma.facts.survey import Cache
from groma.record import ProbeSamples, Topology, TopologyCache, TopologyCore
from groma.survey.infer.node_caches import infer_node_caches
from groma.survey.infer.registry import Evidence, Inferred

KIB, MIB = 1024, 1024 * 1024
STEPS = ((32 * KIB, 1.0), (1 * MIB, 4.0), (16 * MIB, 15.0), (1 << 40, 90.0))

Rows = list[tuple[dict[str, object], float]]


def probe(name: str, rows: Rows) -> ProbeSamples:
    """Samples in ns with a little noise that only adds."""
    values = [[time * (1e-9 + 1e-12 * i) for i in range(10)] for _, time in rows]
    return ProbeSamples(probe=name, cases=[{"unit": "s", **labels} for labels, _ in rows], values=values)


def time_of(size: int) -> float:
    return next(time for capacity, time in STEPS if size <= capacity)


def load_latency() -> ProbeSamples:
    sizes = [m * 2**e * 512 for e in range(15) for m in range(8, 16)]
    return probe("load_latency", [({"size_bytes": size, "pages": "huge"}, time_of(size)) for size in sizes])


def cache_line(line: int) -> ProbeSamples:
    rows: Rows = [({"measure": "load", "set": "first_level"}, 1.0)]
    for distance in (16, 32, 64, 128, 256, 512):
        for which, miss in (("inner", 4.0), ("outer", 15.0)):
            labels = {"measure": "load", "set": which, "distance_bytes": distance}
            second = 1.0 if 2 * distance <= line else miss
            rows += [
                ({**labels, "order": "single"}, miss),
                ({**labels, "order": "paired"}, (miss + second) / 2),
            ]
    return probe("cache_line", rows)


def cache_associativity(ways: int) -> ProbeSamples:
    rows: Rows = [
        ({"measure": "chain", "stride_bytes": stride, "lines": lines}, 1.0 if lines <= ways else 4.0)
        for stride in (4 * KIB, 8 * KIB, 16 * KIB)
        for lines in range(1, 25)
    ]
    return probe("cache_associativity", rows)


def cache_sharing(shared_levels: set[int]) -> ProbeSamples:
    """Two cores; sets of 0.7 of each level."""
    rows: Rows = []
    for level, (size, time) in enumerate(STEPS[:3], start=1):
        beyond = STEPS[level][1]
        for core in (0, 1):
            labels = {"size_bytes": int(0.7 * size), "level": level, "core": core}
            others = beyond if level in shared_levels else time
            rows += [
                ({**labels, "evicted": "nothing"}, time),
                ({**labels, "evicted": "self"}, beyond),
                ({**labels, "evicted": "others", "others": [1 - core]}, others),
            ]
    return probe("cache_sharing", rows)


def declared() -> Topology:
    """Private first and second levels, a shared third one."""
    shapes = (("data", (0,)), ("data", (1,)), ("unified", (0,)), ("unified", (1,)), ("unified", (0, 1)))
    caches = tuple(
        TopologyCache(
            level=level, kind=kind, size_bytes=STEPS[level - 1][0], line_bytes=64, ways=8, cores=cores
        )
        for level, (kind, cores) in zip((1, 1, 2, 2, 3), shapes, strict=True)
    )
    return Topology(
        source="test",
        cores=tuple(TopologyCore(logical=i, physical=i, core=i, package=0, numa=0) for i in range(2)),
        caches=caches,
        numa=(),
        distances=None,
        allowed=(0, 1),
        page_bytes=4096,
        huge_page_bytes=None,
    )


def inferred(*samples: ProbeSamples) -> Inferred:
    named = {one.probe: one for one in (load_latency(), *samples)}
    return infer_node_caches(Evidence(named, declared()))


def caches_of(*samples: ProbeSamples) -> list[Cache]:
    value = inferred(*samples).value
    assert isinstance(value, list)
    assert len(value) == 3
    return value


def test_the_line_stands_beside_the_declared_one_on_every_level() -> None:
    lines = [cache.line for cache in caches_of(cache_line(64))]
    assert [line.value for line in lines if line] == [64, 64, 64]
    assert all(line.agrees for line in lines if line)


def test_a_line_unlike_the_declared_one_is_a_disagreement() -> None:
    line = caches_of(cache_line(128))[0].line
    assert line is not None
    assert (line.value, line.os_value, line.agrees) == (128, 64, False)


def test_ways_are_given_where_they_were_found_and_the_others_say_why_not() -> None:
    first, second, third = caches_of(cache_associativity(12))
    assert first.associativity is not None
    assert (first.associativity.value, first.associativity.agrees) == (12, False)
    assert second.associativity is None
    assert any("associativity not determined" in note for note in second.notes)
    assert any("hashes" in note for note in third.notes)


def test_sharing_names_the_groups_of_every_level() -> None:
    found = inferred(cache_sharing({3}))
    assert [cache.shared_by for cache in found.value] == [[[0], [1]], [[0], [1]], [[0, 1]]]
    assert "cache.sharing_disagrees" not in [one.code for one in found.advice]
    assert any("measured on all 2 cores" in note for note in found.value[2].notes)


def test_sharing_that_is_declared_otherwise_is_a_finding() -> None:
    found = inferred(cache_sharing({1, 2, 3}))
    (first, second) = [one for one in found.advice if one.code == "cache.sharing_disagrees"]
    assert first.what == "level 1 is shared by cores 0-1 as measured, by 0 and 1 as the system declares"
    assert second.what.startswith("level 2")
    assert found.value[0].shared_by == [[0, 1]]


def test_without_their_probes_the_parts_stay_open() -> None:
    for cache in caches_of():
        assert (cache.line, cache.associativity, cache.shared_by) == (None, None, None)
        assert not any("determined" in note for note in cache.notes)
