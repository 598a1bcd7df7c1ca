from groma.facts.survey import Core
from groma.record import Topology, TopologyCore
from groma.survey.infer.cores import allowed_cores
from groma.survey.infer.registry import infer_node


def two_threads_per_core(allowed: tuple[int, ...]) -> Topology:
    """Four cores of two packages; the kernel numbers siblings far apart."""
    cores = tuple(
        TopologyCore(logical=i, physical=i // 2 + 4 * (i % 2), core=i // 2, package=i // 4, numa=i // 4)
        for i in range(8)
    )
    return Topology(
        source="test",
        cores=cores,
        caches=(),
        numa=(),
        distances=None,
        allowed=allowed,
        page_bytes=4096,
        huge_page_bytes=None,
    )


def test_only_allowed_cores_are_listed_with_both_numbers() -> None:
    assert allowed_cores(two_threads_per_core((1, 6))) == [
        Core(logical=1, physical=4, package=0, numa=0, core=0),
        Core(logical=6, physical=3, package=1, numa=1, core=3),
    ]


def test_cores_are_known_before_any_probe_has_run() -> None:
    facts, advice = infer_node({}, two_threads_per_core((0,)))
    assert [core.logical for core in facts.cores] == [0]
    assert advice == []


def test_without_a_topology_no_core_is_claimed() -> None:
    assert infer_node({}, None)[0].cores == []
