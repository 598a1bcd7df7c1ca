"""The NUMA inference on simulated machines whose distances and habits are known."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import msgspec
import numpy as np
import pytest

from groma.facts.matrices import measured_in
from groma.facts.survey import Numa
from groma.record import Advice, ProbeSamples, Topology, TopologyCore, TopologyNuma
from groma.survey.infer.numa import numa
from groma.survey.infer.registry import Evidence

MIB = 1 << 20
LOCAL = 8e-3


@dataclass
class Machine:
    """Times are for a block, which lies at the `home` of its owner: `LOCAL` times the ratio of owner and
    reader, with noise that mostly adds.
    """

    places: int
    ratio: Callable[[int, int], float] = lambda owner, reader: 1.0 if owner == reader else 1.6
    over: str = "numa"
    over_last_level: float = 2.0
    rounds: int = 12
    noise: float = 0.03
    seed: int = 1
    home: Callable[[int], int] = lambda owner: owner
    samples: dict[str, ProbeSamples] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def add(self, probe: str, truth: float, **labels: object) -> None:
        samples = self.samples.setdefault(probe, ProbeSamples(probe=probe, cases=[], values=[]))
        shared = {"over": self.over, "block_bytes": 64 * MIB, "over_last_level": self.over_last_level}
        noise = self.random.exponential(self.noise, self.rounds) + self.random.normal(0, 0.005, self.rounds)
        values = truth * (1 + noise)
        values[self.random.random(self.rounds) < 0.04] *= 2.5
        samples.cases.append({"unit": "s", **shared, **labels})
        samples.values.append([float(value) for value in values])

    def read(self, *cells: tuple[int, int]) -> "Machine":
        for owner, reader in cells or product(range(self.places), repeat=2):
            time = LOCAL * self.ratio(owner, reader)
            at = {"owner": owner, "reader": reader, "home_node": self.home(owner)}
            self.add("numa_read", time, measure="sequential_first", **at)
            self.add("numa_read", time, measure="sequential_again", **at)
            self.add("numa_read", 2 * time, measure="random", **at)
            self.add("numa_read", time, measure="reallocated", **at)
        return self

    def lockstep(self) -> "Machine":
        for owner, reader in product(range(self.places), repeat=2):
            time = 1.5 * LOCAL * self.ratio(owner, reader)
            self.add("numa_lockstep", time, measure="lockstep", owner=owner, reader=reader, step=0)
        return self

    def allocation(self, *, contention: float) -> "Machine":
        for place, pages in product(range(self.places), ("small", "huge")):
            for together in (True, False):
                slower = contention if together and pages == "small" else 1.0
                at = {"place": place, "pages": pages, "together": together}
                self.add("numa_allocation", 1e-5, measure="allocation", **at)
                self.add("numa_allocation", 20e-3 * slower, measure="first_touch", **at)
        return self

    def ping_back(self, owner: int, other: int, times: tuple[float, ...]) -> "Machine":
        steps = ("owner_first", "other_first", "other_again", "owner_back", "owner_again")
        for step, time in zip(steps, times, strict=True):
            self.add("numa_ping_back", time, measure="ping_back", step=step, owner=owner, other=other)
        return self

    def infer(self, topology: Topology | None = None) -> tuple[Numa, dict[str, Advice]]:
        found = numa(Evidence(self.samples, topology))
        assert isinstance(found.value, Numa)
        return found.value, {advice.code: advice for advice in found.advice}


def declared(distances: list[list[float]]) -> Topology:
    """One core a node, with these distances."""
    nodes = range(len(distances))
    return Topology(
        source="simulated",
        cores=tuple(TopologyCore(logical=i, physical=i, core=i, package=i, numa=i) for i in nodes),
        caches=(),
        numa=tuple(TopologyNuma(logical=i, physical=i, memory_bytes=None, cores=(i,)) for i in nodes),
        distances=tuple(tuple(row) for row in distances),
        allowed=tuple(nodes),
        page_bytes=4096,
        huge_page_bytes=2 * MIB,
    )


def hops(a: int, b: int) -> int:
    """Eight nodes, those whose numbers differ in one bit are linked, others are two hops away."""
    return min((a ^ b).bit_count(), 2)


INTERLAGOS = [[(10.0, 16.0, 22.0)[hops(a, b)] for b in range(8)] for a in range(8)]


def interlagos(owner: int, reader: int) -> float:
    return (1.0, 1.55, 2.05)[hops(owner, reader)]


def blade(node: int) -> int:
    return node // 2


def uv(owner: int, reader: int) -> float:
    """24 nodes, two on a blade; other blades are five times as far as one's own memory."""
    if owner == reader:
        return 1.0
    return 2.2 if blade(owner) == blade(reader) else 5.2


UV = [[10.0 if a == b else 50.0 if blade(a) == blade(b) else 65.0 for b in range(24)] for a in range(24)]


def several_cores(nodes: int, each: int) -> Topology:
    """`each` cores in each node, with the distances of UV."""
    base = declared([row[:nodes] for row in UV[:nodes]])
    cores = tuple(
        TopologyCore(logical=i, physical=i, core=i, package=i // each, numa=i // each)
        for i in range(nodes * each)
    )
    numa_nodes = tuple(
        TopologyNuma(logical=i, physical=i, memory_bytes=None, cores=tuple(range(i * each, (i + 1) * each)))
        for i in range(nodes)
    )
    return msgspec.structs.replace(base, cores=cores, numa=numa_nodes, allowed=tuple(range(nodes * each)))


@pytest.mark.parametrize("seed", range(5))
def test_eight_nodes_with_two_kinds_of_remote_make_three_classes(seed: int) -> None:
    facts, advice = Machine(8, interlagos, seed=seed).read().infer(declared(INTERLAGOS))
    assert [one.name for one in facts.classes] == ["local", "remote 1", "remote 2"]
    assert [len(one.pairs) for one in facts.classes] == [8, 24, 32]
    assert [one.declared_distance for one in facts.classes] == [[10.0], [16.0], [22.0]]
    assert [one.ratio.value for one in facts.classes] == pytest.approx([1.0, 1.55, 2.05], rel=0.06)
    assert advice == {}


def test_matrices_have_owners_in_rows_and_readers_in_columns() -> None:
    facts, _ = Machine(2, lambda owner, reader: 1.0 + 2 * owner + reader).read().lockstep().infer()
    assert facts.over == "numa"
    assert facts.places == [0, 1]
    for matrix, factor in ((facts.sequential_first, 1.0), (facts.lockstep, 1.5), (facts.random, 2.0)):
        times = [[cell.value / LOCAL / factor if cell else 0.0 for cell in row] for row in matrix]
        assert times == [pytest.approx([1.0, 2.0], rel=0.06), pytest.approx([3.0, 4.0], rel=0.06)]


def test_time_of_a_line_is_that_of_the_block_over_its_lines() -> None:
    facts, _ = Machine(2).read().infer()
    assert facts.block_bytes == 64 * MIB
    (local, _) = facts.classes
    assert local.time is not None
    assert local.time_per_line is not None
    assert local.time_per_line.value == pytest.approx(local.time.value / MIB)


def test_sampled_large_machine_has_gaps_and_all_its_classes() -> None:
    random = np.random.default_rng(4)
    cells = [(i, i) for i in random.permutation(24)[:8].tolist()]
    cells += [(i, i ^ 1) for i in random.permutation(24)[:8].tolist()]
    cells += [(i, (i + 7) % 24) for i in random.permutation(24)[:10].tolist()]
    facts, _ = Machine(24, uv, rounds=3).read(*cells).infer()
    assert [len(one.pairs) for one in facts.classes] == [8, 8, 10]
    assert facts.classes[-1].ratio.value == pytest.approx(5.2, rel=0.15)
    row, column = facts.places.index(cells[-1][0]), facts.places.index(cells[-1][1])
    assert facts.sequential_first[row][column] is not None
    assert facts.sequential_first[column][row] is None


def test_owner_pays_for_a_remote_reader_as_in_the_paper() -> None:
    machine = Machine(2, lambda owner, reader: 1.0 if owner == reader else 6.2).read()
    machine.ping_back(0, 1, (0.384, 2.366, 2.38, 2.2, 0.39))
    machine.ping_back(1, 0, (0.384, 2.366, 2.38, 2.2, 0.39))
    facts, advice = machine.infer()
    assert set(facts.ping_back) == {"owner_first", "other_first", "other_again", "owner_back", "owner_again"}
    back = facts.ping_back["owner_back"][0][1]
    assert back is not None
    assert back.value == pytest.approx(2.2, rel=0.06)
    assert facts.ping_back["owner_back"][0][0] is None
    assert "its owner's first read takes 5.6 times as long" in advice["numa.owner_back_slow"].what
    assert "numa.data_moves" not in advice


def test_owner_that_pays_nothing_is_not_reported() -> None:
    machine = Machine(2).read().ping_back(0, 1, (8e-3, 12e-3, 12e-3, 8e-3, 8e-3))
    assert "numa.owner_back_slow" not in machine.infer()[1]


def test_one_node_runs_over_cores_and_has_one_class() -> None:
    for seed in range(10):
        facts, advice = Machine(2, lambda *_: 1.0, over="cores", seed=seed).read().infer()
        assert facts.over == "cores"
        assert [one.name for one in facts.classes] == ["local and remote"]
        assert advice == {}


def test_hidden_nodes_show_as_classes_of_cores() -> None:
    def ratio(owner: int, reader: int) -> float:
        return 1.0 if owner // 4 == reader // 4 else 1.7

    facts, advice = Machine(8, ratio, over="cores").read().infer()
    assert [one.name for one in facts.classes] == ["local and remote", "remote"]
    assert "numa.undeclared" in advice


def one_node_beside_memory_alone(cores: int, memory_alone: int | None = 16 << 30) -> Topology:
    """As high-bandwidth memory in flat mode, the memory of a GPU and an expander are declared."""
    one = several_cores(1, cores)
    alone = TopologyNuma(logical=1, physical=8, memory_bytes=memory_alone, cores=())
    home = msgspec.structs.replace(one.numa[0], memory_bytes=96 << 30)
    return msgspec.structs.replace(one, numa=(home, alone), distances=((10.0, 31.0), (31.0, 10.0)))


@pytest.mark.parametrize("memory_alone", [16 << 30, None])
def test_memory_alone_makes_no_second_node_of_cores(memory_alone: int | None) -> None:
    machine = Machine(8, lambda a, b: 1.0 if a // 4 == b // 4 else 1.7, over="cores", home=lambda _: 0).read()
    facts, advice = machine.infer(one_node_beside_memory_alone(8, memory_alone))
    assert [one.name for one in facts.classes] == ["local and remote", "remote"]
    assert [one.declared_distance for one in facts.classes] == [[], []]
    assert list(advice) == ["numa.undeclared"]


def test_blocks_that_fell_on_memory_alone_are_a_finding() -> None:
    machine = Machine(2, over="cores", home=lambda owner: 8 if owner == 1 else 0).read()
    _, advice = machine.infer(one_node_beside_memory_alone(2))
    assert "pages first touched by core 1 are on another NUMA node" in advice["numa.not_local"].what


def test_a_slow_core_is_named_beside_memory_alone() -> None:
    machine = Machine(8, lambda _, reader: 2.5 if reader == 5 else 1.0, over="cores", home=lambda _: 0).read()
    facts, advice = machine.infer(one_node_beside_memory_alone(8))
    assert [(one.kind, one.number, one.part) for one in facts.slow] == [("core", 5, "cores")]
    assert "core 5 reads what any core wrote 2.5 times slower" in advice["numa.slow_core"].what


def test_one_place_is_set_against_no_other() -> None:
    facts, advice = Machine(1, over="cores").read().lockstep().allocation(contention=1.0).infer()
    assert (facts.sequential_first, facts.lockstep, facts.random, facts.classes) == ([], [], [], [])
    assert (facts.allocation, facts.first_touch) == ([], [])
    assert len(facts.first_touch_alone) == 1
    assert list(advice) == ["numa.one_place"]
    assert "this process may use only one core" in advice["numa.one_place"].what


def test_one_place_that_touched_nothing_has_no_facts() -> None:
    found = numa(Evidence(Machine(1, over="cores").read().lockstep().samples))
    assert found.value is None
    assert [advice.code for advice in found.advice] == ["numa.one_place"]


def test_several_places_of_whom_one_was_reached_are_not_one() -> None:
    machine = Machine(2, over="cores").allocation(contention=1.0)
    for index, case in enumerate(machine.samples["numa_allocation"].cases):
        if case["place"] == 1:
            machine.samples["numa_allocation"].values[index] = []
    assert "numa.one_place" not in machine.infer()[1]


def test_distances_that_measuring_does_not_confirm_are_a_finding() -> None:
    fake = [[10.0, 21.0], [21.0, 10.0]]
    facts, advice = Machine(2, lambda *_: 1.0).read().infer(declared(fake))
    assert len(facts.classes) == 1
    assert "10, 21" in advice["numa.distance_disagrees"].what


def two_packages(owner: int, reader: int) -> float:
    """Four nodes in each of two packages; those of one package are little farther than the own one."""
    return 1.0 if owner == reader else 1.12 if owner // 4 == reader // 4 else 1.95


def test_near_distances_that_differ_a_little_are_confirmed() -> None:
    """One class, but its pairs at distance 12 take longer than those at 10."""
    distances = [
        [{1.0: 10.0, 1.12: 12.0, 1.95: 32.0}[two_packages(a, b)] for b in range(8)] for a in range(8)
    ]
    facts, advice = Machine(8, two_packages).read().infer(declared(distances))
    assert [one.declared_distance for one in facts.classes] == [[10.0, 12.0], [32.0]]
    assert "numa.distance_disagrees" not in advice


def test_distances_that_confuse_near_and_far_are_a_finding() -> None:
    swapped = [[{0: 10.0, 1: 22.0, 2: 16.0}[hops(a, b)] for b in range(8)] for a in range(8)]
    _, advice = Machine(8, interlagos).read().infer(declared(swapped))
    what = advice["numa.distance_disagrees"].what
    assert "distance 16 for reads of 2.0" in what
    assert "distance 22 for reads of 1.5" in what


def test_distances_in_the_wrong_order_within_a_class_are_a_finding() -> None:
    swapped = [[{1.0: 12.0, 1.12: 10.0, 1.95: 32.0}[two_packages(a, b)] for b in range(8)] for a in range(8)]
    _, advice = Machine(8, two_packages).read().infer(declared(swapped))
    assert "distance 10 for reads of 1.1" in advice["numa.distance_disagrees"].what


def test_equal_distances_with_unequal_times_are_a_finding() -> None:
    flat = [[10.0 if a == b else 20.0 for b in range(8)] for a in range(8)]
    _, advice = Machine(8, interlagos).read().infer(declared(flat))
    assert "the same distance 20" in advice["numa.distance_disagrees"].what


@pytest.mark.parametrize(("rounds", "is_reported"), [(3, False), (12, True)])
def test_a_single_pair_contradicts_a_distance_only_if_it_was_read_often(
    rounds: int, is_reported: bool
) -> None:
    """Of a few rounds other work may lengthen most."""
    machine = Machine(8, lambda a, b: 1.0 if a // 4 == b // 4 else 1.7, rounds=rounds, noise=0.005).read()
    reads = machine.samples["numa_read"]
    reads.values = [
        [1.7 * time for time in times] if (case["owner"], case["reader"]) == (0, 1) else times
        for case, times in zip(reads.cases, reads.values, strict=True)
    ]
    topology = several_cores(2, 4)
    topology = msgspec.structs.replace(topology, distances=((10.0, 21.0), (21.0, 10.0)))
    for case in reads.cases:
        case["over"] = "cores"
        del case["home_node"]
    _, advice = machine.infer(topology)
    assert ("numa.distance_disagrees" in advice) is is_reported


def test_data_that_moves_to_its_reader_is_a_finding() -> None:
    machine = Machine(2).read()
    for case, values in zip(
        machine.samples["numa_read"].cases, machine.samples["numa_read"].values, strict=True
    ):
        if case["measure"] == "sequential_again" and case["owner"] != case["reader"]:
            values[:] = [value / 1.6 for value in values]
    assert "moves to its reader" in machine.infer()[1]["numa.data_moves"].what


def test_reallocation_that_changes_the_picture_is_a_finding() -> None:
    machine = Machine(2).read()
    for case, values in zip(
        machine.samples["numa_read"].cases, machine.samples["numa_read"].values, strict=True
    ):
        if case["measure"] == "sequential_first" and case["owner"] == case["reader"]:
            values[:] = [value * 5 for value in values]
    assert "5.0 times slower" in machine.infer()[1]["numa.reallocation_matters"].what


def test_blocks_that_fit_the_cache_are_warned_about_and_prove_no_movement() -> None:
    machine = Machine(2, over_last_level=1.0).read().ping_back(0, 1, (1e-3, 3e-3, 1e-3, 3e-3, 1e-3))
    assert set(machine.infer()[1]) == {"numa.block_in_cache"}


def test_blocks_away_from_their_owner_are_a_finding() -> None:
    machine = Machine(2).read()
    for case in machine.samples["numa_read"].cases:
        case["home_node"] = 0
    _, advice = machine.infer(declared([[10.0, 20.0], [20.0, 10.0]]))
    assert "NUMA node 1" in advice["numa.not_local"].what


def test_blocks_of_a_node_without_memory_are_not_blamed_on_a_memory_policy() -> None:
    """As on sockets without a module, and in partitions: its cores have no memory of their own to touch."""
    machine = Machine(3).read()
    for case in machine.samples["numa_read"].cases:
        case["home_node"] = 0 if case["owner"] == 1 else case["owner"]
    topology = declared([[10.0, 20.0, 20.0], [20.0, 10.0, 20.0], [20.0, 20.0, 10.0]])
    memories = (16 << 30, None, 16 << 30)
    with_sizes = tuple(
        msgspec.structs.replace(one, memory_bytes=size)
        for one, size in zip(topology.numa, memories, strict=True)
    )
    _, advice = machine.infer(msgspec.structs.replace(topology, numa=with_sizes))
    assert "numa.not_local" not in advice
    assert advice["numa.no_memory"].what.startswith("NUMA node 1 has no memory")


def test_first_touch_is_reported_by_place_and_contention_is_a_finding() -> None:
    facts, advice = Machine(4).allocation(contention=3.0).infer()
    assert [time.value for time in facts.first_touch] == pytest.approx([60e-3] * 4, rel=0.1)
    assert [time.value for time in facts.first_touch_huge] == pytest.approx([20e-3] * 4, rel=0.1)
    assert all(time is not None for time in facts.first_touch_alone)
    assert len(facts.allocation) == 4
    assert "numa.first_touch_contention" in advice
    assert "numa.first_touch_contention" not in Machine(4).allocation(contention=1.2).infer()[1]


def test_the_methods_of_allocation_are_words() -> None:
    facts, _ = Machine(2).allocation(contention=1.0).infer()
    shown = [
        some[0].method
        for some in (facts.first_touch_huge, facts.first_touch_alone)
        if some and some[0] is not None
    ]
    assert shown == [
        "median over the rounds, first touch, huge pages, all cores at once",
        "median over the rounds, first touch, small pages, one core alone",
    ]


def test_a_place_without_samples_leaves_a_gap_where_there_is_room_for_one() -> None:
    machine = Machine(3).allocation(contention=1.0)
    for case, values in zip(
        machine.samples["numa_allocation"].cases, machine.samples["numa_allocation"].values, strict=True
    ):
        if case["place"] == 2 and case["pages"] == "small":
            values.clear()
    facts, _ = machine.infer()
    assert facts.first_touch == []
    assert facts.first_touch_alone[2] is None


def test_no_samples_give_no_facts() -> None:
    empty = ProbeSamples(probe="numa_read", cases=[], values=[])
    assert numa(Evidence({"numa_read": empty})).value is None


def test_one_round_gives_values_without_confidence() -> None:
    facts, _ = Machine(2, rounds=1).read().infer()
    first = facts.sequential_first[0][1]
    assert first is not None
    assert first.confidence == 0.0


def test_matrices_of_many_places_are_sparse_and_hold_the_same() -> None:
    few, _ = Machine(8, interlagos).read().infer()
    many, _ = Machine(48, lambda o, r: 1.0 + (o + 2 * r) % 5, over="cores", rounds=3).read().infer()
    assert (few.sparse, many.sequential_first) == ({}, [])
    assert len(measured_in(few, "sequential_first")) == 64
    entries = measured_in(many, "sequential_first")
    assert len(entries) == 48 * 48
    for entry in entries[::97]:
        truth = LOCAL * (1.0 + (entry.row + 2 * entry.column) % 5)
        assert entry.quantity.value == pytest.approx(truth, rel=0.2)
        assert entry.quantity.samples is not None
        assert entry.quantity.samples.n == 3


def test_a_sample_of_the_pairs_is_reported_with_its_risk() -> None:
    cells = [(i, i) for i in range(24)] + [(i, i ^ 1) for i in range(24)]
    cells += [(i, (i + 7) % 24) for i in range(24)]
    _, advice = Machine(24, uv, rounds=3).read(*cells).infer(declared(UV))
    assert advice["numa.sampled"].what == (
        "72 of 576 pairs of NUMA nodes were read, near ones first; of those at distance 65 24 of 528, "
        "so up to 11.7\u00a0% of them may be odd and unseen (confidence 95 %)"
    )


def test_second_reads_from_caches_are_left_for_the_first_ones() -> None:
    machine = Machine(8, interlagos).read()
    samples = machine.samples["numa_read"]
    for case, values in zip(samples.cases, samples.values, strict=True):
        if case["measure"] == "sequential_again":
            case["over_last_level"] = 0.25
            values[:] = [LOCAL / 20] * len(values)
    facts, advice = machine.infer(declared(INTERLAGOS))
    assert [len(one.pairs) for one in facts.classes] == [8, 24, 32]
    assert "second reads" in advice["numa.block_in_cache"].what
