"""Every launch is known, priced and explained before the first one is started."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.shape import Room, Shape
from groma.survey.network.conftest import plan_for, setup_for
from groma.survey.network.plan import access_nodes, plan_model, processes_per_node
from groma.survey.network.stages import stages_of

NINE = Room(nodes=9, cores=2)
THOUSAND = Room(nodes=1024, cores=64)


def test_a_small_cluster_takes_one_job_for_pairs_one_for_layers_and_one_rank_on_each_node() -> None:
    plan = plan_for(NINE)
    assert [one.name for one in plan.launches] == ["pairs", "layers", "nodes", "access.1", "access.2"]
    shapes = {one.name: one.shape for one in plan.launches}
    assert shapes["pairs"] == Shape(ranks=18, nodes=9, per_node=2)
    assert shapes["nodes"] == Shape(ranks=9, nodes=9, per_node=1, bind="none")
    assert shapes["access.2"] == Shape(ranks=4, nodes=2, per_node=2, bind="none")


def test_a_thousand_nodes_of_64_cores_stay_under_ten_minutes() -> None:
    plan = plan_for(THOUSAND)
    assert plan.budget < 600
    assert max(one.shape.ranks for one in plan.launches) <= 1024
    assert sum(one.starting for one in plan.launches) < 0.25 * plan.budget


def test_a_big_machine_is_paired_within_two_nodes_and_between_all() -> None:
    cores, nodes = stages_of(THOUSAND)
    assert (cores.shape.ranks, nodes.shape.ranks) == (128, 1024)
    assert [nodes.whole_rank(rank) for rank in (0, 1, 1023)] == [0, 64, 1023 * 64]
    assert [cores.whole_rank(rank) for rank in (0, 63, 64, 127)] == [0, 63, 64, 127]
    for stage in (cores, nodes):
        assert all(stage.own_rank(stage.whole_rank(r)) == r for r in range(stage.shape.ranks))
    assert nodes.own_rank(1) is None
    assert cores.own_rank(128) is None


def test_a_sample_of_pairs_states_its_size_and_its_risk() -> None:
    plan = plan_for(THOUSAND)
    cores, nodes = plan.launches[:2]
    assert cores.why.startswith("625 of 8128 pairs, drawn by design; a layer with 1\u00a0% of them is missed")
    assert nodes.why.endswith("risk of 0.0019")
    assert plan_for(NINE).launches[0].why == "all 153 pairs"
    assert plan_for(Room(nodes=2, cores=1)).launches[0].why == "the only pair"


def test_one_machine_measures_its_layers_and_says_what_is_missing() -> None:
    plan = plan_for(Room(nodes=1, cores=4))
    assert [one.name for one in plan.launches] == ["pairs", "layers"]
    (note,) = plan.notes
    assert note.startswith("only one machine: layers inside it are measured, net_node_pairs, net_distance,")


@pytest.mark.parametrize(
    ("room", "only", "words"),
    [
        (Room(nodes=1, cores=4), ("distance",), "this needs several nodes"),
        (Room(nodes=1, cores=1), (), "no other core to send to"),
        (NINE, ("distanse",), "unknown network probe 'distanse'"),
    ],
)
def test_what_cannot_be_measured_is_a_usage_error(room: Room, only: tuple[str, ...], words: str) -> None:
    with pytest.raises(GromaError, match=words) as refusal:
        plan_for(room, only=only)
    assert refusal.value.exit_code == ExitCode.USAGE
    assert refusal.value.next_step


def test_names_are_taken_with_and_without_their_prefix() -> None:
    for name in ("distance", "net_distance"):
        (launch,) = plan_for(NINE, only=(name,)).launches
        assert [call.probe for call in launch.calls] == ["net_distance"]
    assert "nodes" not in {one.name for one in plan_for(NINE, skip=("distance", "receiver")).launches}


def test_whoever_wants_curves_gets_the_pairs_that_they_need() -> None:
    assert [one.name for one in plan_for(NINE, only=("curve",)).launches] == ["pairs", "layers"]


def test_a_budget_bounds_everything_with_starting() -> None:
    plan = plan_for(NINE, budget=30.0)
    assert plan.budget == pytest.approx(30.0)
    assert plan.launches[0].calls[0].parameters["budget"] == f"{plan.launches[0].calls[0].budget:.3f}"
    pairs = [int(plan_for(THOUSAND, budget=b).launches[0].calls[0].parameters["pairs"]) for b in (100, 200)]
    assert 16 <= pairs[0] < pairs[1]


def test_a_smaller_budget_shows_the_pairs_that_it_leaves() -> None:
    (launch, *_) = plan_for(Room(nodes=1, cores=64), budget=20.0).launches
    pairs = launch.calls[0].parameters["pairs"]
    assert int(pairs) < 625
    assert launch.why.startswith(f"{pairs} of 2016 pairs")


def test_a_budget_that_starting_alone_takes_is_refused() -> None:
    with pytest.raises(GromaError, match="do not fit in 5 s") as refusal:
        plan_for(NINE, budget=5.0)
    assert refusal.value.exit_code == ExitCode.USAGE


def test_the_network_access_benchmark_keeps_its_total_where_there_are_nodes() -> None:
    wide = Room(nodes=16, cores=8)
    assert [access_nodes(wide, count) * count for count in processes_per_node(8)] == [16, 16, 16, 16]
    assert processes_per_node(3) == [1, 2, 3]
    assert processes_per_node(24) == [1, 2, 4, 8, 16, 24]
    narrow = plan_for(Room(nodes=2, cores=4), only=("access",))
    assert [one.shape.nodes for one in narrow.launches] == [2, 2, 2, 2]
    assert narrow.launches[0].why == "fewer nodes than keep the total constant"


def test_messages_seeds_and_depths_reach_the_programs() -> None:
    (launch,) = plan_for(NINE, only=("distance",), message=4096, seed=7, depth="quick").launches
    assert launch.calls[0].words() == ["net_distance", "depth=quick", "seed=7", "bytes=4096"]
    assert launch.calls[0].budget == 5.0


def test_what_is_known_of_the_network_is_shown_and_starts_nothing_else() -> None:
    plan = plan_for(NINE, topology="3x3", link=5e7)
    assert plan.declared == {"topology": "3x3", "link_bandwidth": "50000000.0"}
    assert [note.partition(",")[0] for note in plan.notes] == [
        "given: a torus 3x3",
        "given: the link of a node carries 50 MB/s in each direction",
    ]
    assert plan.launches == plan_for(NINE).launches
    assert plan_model(plan, {})["declared"] == plan.declared


@pytest.mark.parametrize(
    ("requested", "words"),
    [
        ({"topology": "4x4"}, "the topology 4x4 does not fit 9 nodes"),
        ({"topology": "round"}, "is not a topology"),
        ({"topology": "round", "only": ("access",)}, "is not a topology"),
        ({"topology": "3x3", "only": ("access",)}, "--topology needs the bandwidth over distance"),
        ({"link": 1e9, "skip": ("distance",)}, "--link needs"),
    ],
)
def test_knowledge_that_does_not_fit_is_a_usage_error(requested: dict[str, Any], words: str) -> None:
    with pytest.raises(GromaError, match=words) as refusal:
        plan_for(NINE, **requested)
    assert refusal.value.exit_code == ExitCode.USAGE
    assert refusal.value.next_step


def test_launch_lines_are_exact() -> None:
    plan = plan_for(Room(nodes=3, cores=2), only=("distance", "curve", "access"), seed=7)
    assert setup_for(plan, hostfile="hosts").lines() == {
        name: line.format(folder=FOLDER) for name, line in GOLDEN.items()
    }


def test_the_model_of_a_plan_holds_its_lines() -> None:
    plan = plan_for(NINE)
    model = plan_model(plan, setup_for(plan).lines())
    assert model["nodes"] == 9
    assert all(one["command"].startswith("mpirun -n ") for one in model["launches"])


@pytest.mark.parametrize(("one_machine", "pins"), [(True, {"0"}), (False, {None})])
def test_hosts_that_share_cores_do_not_pin_ranks_to_the_same_ones(
    one_machine: bool, pins: set[str | None]
) -> None:
    plan = plan_for(Room(nodes=2, cores=2, one_machine=one_machine), only=("access",))
    assert {call.parameters.get("pin") for launch in plan.launches for call in launch.calls} == pins


FOLDER = shlex.quote(str(Path.cwd()))

GOLDEN = {
    "pairs": "mpirun -n 6 --hostfile hosts --map-by ppr:2:node:PE=1 --bind-to core --wdir {folder} "
    "groma-network run net_pairs depth=standard seed=7 pairs=625",
    "layers": "mpirun -n 6 --hostfile hosts --map-by ppr:2:node:PE=1 --bind-to core --wdir {folder} "
    "groma-network run net_curve depth=standard seed=7 layers=LAYERS",
    "distance": "mpirun -n 3 --hostfile hosts --map-by ppr:1:node --bind-to none --wdir {folder} "
    "groma-network run net_distance depth=standard seed=7",
    "access.1": "mpirun -n 3 --hostfile hosts --map-by ppr:1:node --bind-to none --wdir {folder} "
    "groma-network run net_access depth=standard seed=7",
    "access.2": "mpirun -n 4 --hostfile hosts --map-by ppr:2:node --bind-to none --wdir {folder} "
    "groma-network run net_access depth=standard seed=7",
}
