"""A request holds what was asked for, as the simulator reads it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groma.errors import GromaError
from groma.machine.description import Routed, Specialised
from groma.machine.files import find_machine
from groma.sim.torus.protocol import Run
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of
from groma.sim.torus.workloads import WORKLOADS


def workload(name: str, *settings: str, shape: str = "4x4x2") -> dict[str, Any]:
    options = SimulationOptions(
        machine=find_machine("bluegene-l"), workload=name, shape=shape, settings=settings, run=Run()
    )
    return plan_of(options).request.workload


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_has_no_member_without_a_value(name: str) -> None:
    """The simulator refuses members that it does not know, and null."""
    assert None not in workload(name).values()


def test_lists_are_typed_with_commas() -> None:
    assert workload("broadcast", "workload.dimensions=0,2")["dimensions"] == [0.0, 2.0]
    named = workload("fan", "workload.from=7")
    assert named["from"] == [7.0]
    assert "senders" not in named, "a number of senders beside their names is refused"


def test_a_shift_needs_only_the_dimensions_in_which_it_goes() -> None:
    assert workload("shift")["offsets"] == [1.0, 0.0, 0.0]
    assert workload("shift", "workload.offsets=0,2,1")["offsets"] == [0.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("name", "setting", "shape", "what", "step"),
    [
        (
            "shift",
            "workload.offsets=1",
            "1x1x5",
            "1 is not between 0 and 0 in dimension x of 1 node",
            "0,0,1",
        ),
        (
            "shift",
            "workload.offsets=0,-1",
            "4x4",
            "-1 is not between 0 and 3 in dimension y of 4 nodes",
            "1,1",
        ),
        (
            "shift",
            "workload.offsets=0,0.5",
            "4x4",
            "0.5 is not between 0 and 3 in dimension y of 4 nodes",
            "1,1",
        ),
        ("shift", "workload.offsets=1,0,1", "4x4", "the torus has 2 dimensions", "1,1"),
        ("broadcast", "workload.dimensions=5", "4x4", "5 is none of the dimensions 0 to 1", "0,1"),
        ("broadcast", "workload.dimensions=0,0", "4x4", "a dimension is named twice", "0,1"),
    ],
)
def test_lists_fit_the_torus(name: str, setting: str, shape: str, what: str, step: str) -> None:
    with pytest.raises(GromaError) as refused:
        workload(name, setting, shape=shape)
    assert refused.value.what.endswith(what)
    assert refused.value.next_step.endswith(step)


@pytest.mark.parametrize("setting", ["workload.pieces=3", "workload.ahead=2"])
@pytest.mark.parametrize("algorithm", ["binomial", "scatter-allgather"])
def test_what_a_broadcast_of_this_kind_would_ignore_is_refused(setting: str, algorithm: str) -> None:
    with pytest.raises(GromaError, match=r"belongs to workload\.algorithm=subtrees, not to") as refused:
        workload("broadcast", setting, f"workload.algorithm={algorithm}")
    assert "--set workload.algorithm=subtrees" in refused.value.next_step
    assert workload("broadcast", setting)["algorithm"] == "subtrees"
    assert workload("broadcast", f"workload.algorithm={algorithm}")["algorithm"] == algorithm


def request_of_bluegene_l(*settings: str) -> Any:
    machine = find_machine("bluegene-l")
    return plan_of(SimulationOptions(machine=machine, workload="halo", settings=settings, run=Run())).request


def test_the_network_keeps_its_rate_and_its_latency_where_processors_are_faster() -> None:
    """A link of Blue Gene/L carries 175 MB/s, and a hop takes 64 cycles of 700 MHz."""
    twice = request_of_bluegene_l("processor.frequency=1400e6")
    assert twice.network.bytes_per_cycle * 1400e6 == pytest.approx(175e6)
    assert twice.network.hop_latency == 128
    assert twice.processor.send == 70, "processors need as many cycles as before"


def test_what_is_set_of_the_network_counts_in_cycles_of_the_set_frequency() -> None:
    settings = ("processor.frequency=1400e6", "network.bytes_per_cycle=0.25", "network.hop_latency=64")
    for order in (settings, settings[::-1]):
        network = request_of_bluegene_l(*order).network
        assert (network.bytes_per_cycle, network.hop_latency) == (0.25, 64)


def test_the_source_of_a_latency_says_at_which_frequency_it_was_given() -> None:
    machine, settings = find_machine("bluegene-l"), ["processor.frequency=1400e6"]
    plan = plan_of(SimulationOptions(machine=machine, workload="halo", settings=settings, run=Run()))
    hop = next(one for one in plan.parameters if one.name == "network.hop_latency")
    assert hop.assumed
    assert hop.source.endswith("; 64 cycles at 700 MHz")


@pytest.mark.parametrize("wrong", ["fast", "0", "nan", "1e13"])
def test_a_frequency_that_no_processor_has_is_refused(wrong: str) -> None:
    with pytest.raises(GromaError, match=r"processor\.frequency"):
        request_of_bluegene_l(f"processor.frequency={wrong}")


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(GromaError) as refused:
        workload("shift", "workload.offsets=far")
    assert "workload.offsets=0,1" in refused.value.next_step


@pytest.mark.parametrize(
    ("name", "value", "setting"),
    [
        ("bucket", 20, "workload.bucket=10"),
        ("updates", 20, "workload.updates=10"),
        ("routing", "adaptive", "network.routing=deterministic"),
    ],
)
def test_an_option_and_the_parameter_that_it_is_short_for_exclude_each_other(
    name: str, value: Any, setting: str
) -> None:
    given: dict[str, Any] = {name: value, "settings": [setting]}
    with pytest.raises(GromaError, match=f"--{name} and --set {setting.partition('=')[0]} exclude"):
        plan_of(SimulationOptions(machine=find_machine("bluegene-p"), run=Run(), **given))


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        (["workload.load=0"], "workload.load=0: it must be above 0"),
        (["workload.packets=0"], "workload.packets=0: it must be above 0"),
        (["workload.load=0.5", "workload.rate=0.1"], "load and --set workload.rate exclude each other"),
    ],
)
def test_traffic_of_nothing_and_two_rates_are_refused(settings: list[str], what: str) -> None:
    options = SimulationOptions(
        machine=find_machine("bluegene-p"), workload="uniform", settings=settings, run=Run()
    )
    with pytest.raises(GromaError, match=what):
        plan_of(options)


@pytest.mark.parametrize(
    ("algorithm", "flat", "padded", "bucket"),
    [
        ("single-core", "37", "37x1x1", 1024 // 36),
        ("single-core", "19x19", "19x19x1", 1024 // 36),
        ("multi-core", "8x8", "8x8x1", 1024 // 38),
    ],
)
def test_a_dimension_of_one_node_changes_no_bucket(
    algorithm: str, flat: str, padded: str, bucket: int
) -> None:
    machine = find_machine("bluegene-p")
    for shape in (flat, padded):
        options = SimulationOptions(machine=machine, shape=shape, algorithm=algorithm, run=Run())
        assert plan_of(options).bucket == bucket


def test_more_dimensions_have_a_bucket_for_each_node_on_their_axes() -> None:
    machine = find_machine("bluegene-p")
    options = SimulationOptions(machine=machine, shape="17x17x17x17", algorithm="single-core", run=Run())
    assert plan_of(options).bucket == 1024 // (4 * 16)


@pytest.mark.parametrize("algorithm", ["multi-core", "hypercube"])
@pytest.mark.parametrize(("largest", "most"), [(64, 6), (128, 14), (256, 30), (512, 62)])
def test_a_derived_bucket_is_that_of_the_packets_that_are_set(
    algorithm: str, largest: int, most: int
) -> None:
    options = SimulationOptions(
        machine=find_machine("bluegene-p"),
        algorithm=algorithm,
        shape="4x4x4",
        settings=[f"network.packet_largest={largest}"],
        run=Run(),
    )
    by_look_ahead = {"multi-core": 1024 // 33, "hypercube": 1024 // 6}[algorithm]
    assert plan_of(options).bucket == min(by_look_ahead, most)


def test_a_packet_without_room_for_an_update_is_refused() -> None:
    options = SimulationOptions(
        machine=find_machine("bluegene-p"),
        algorithm="direct",
        settings=["network.packet_largest=32", "network.packet_header=31"],
        run=Run(),
    )
    with pytest.raises(GromaError, match="a packet of 32 B with a header of 31 B holds no update of 8 B"):
        plan_of(options)


@pytest.mark.parametrize("algorithm", ["single-core", "direct", "hypercube"])
def test_a_machine_whose_updates_fill_no_packet_is_refused(algorithm: str) -> None:
    machine = find_machine("bluegene-l")
    assert machine.randomaccess is not None
    update = msgspec.structs.replace(machine.randomaccess.update, value=300)
    updates = msgspec.structs.replace(machine.randomaccess, update=update)
    large = msgspec.structs.replace(machine, randomaccess=updates)
    with pytest.raises(GromaError, match="holds no update of 300 B"):
        plan_of(SimulationOptions(machine=large, algorithm=algorithm, run=Run()))


def test_a_bucket_may_fill_the_packets_that_are_set() -> None:
    machine = find_machine("bluegene-p")
    larger = SimulationOptions(machine=machine, bucket=60, settings=["network.packet_largest=512"], run=Run())
    assert plan_of(larger).request.workload["bucket"] == 60


def test_updates_take_what_the_file_of_the_machine_says() -> None:
    known = find_machine("bluegene-p")
    assert known.randomaccess is not None
    twice = msgspec.structs.replace(known.randomaccess.update, value=16)
    fewer = msgspec.structs.replace(known.randomaccess.look_ahead, value=64)
    rules = msgspec.structs.replace(known.randomaccess, update=twice, look_ahead=fewer)
    machine = msgspec.structs.replace(known, randomaccess=rules)
    hypercube = plan_of(SimulationOptions(machine=machine, algorithm="hypercube", run=Run()))
    assert hypercube.request.workload["update_bytes"] == 16
    assert hypercube.bucket == 64 // 9, "9 dimensions of the hypercube share the look-ahead"


def test_a_trace_may_be_named_by_digits() -> None:
    assert workload("replay", "workload.file=5")["file"] == "5"


def test_buckets_of_an_algorithm_take_the_place_of_fifos() -> None:
    machine = find_machine("bluegene-p")
    of_update = plan_of(SimulationOptions(machine=machine, run=Run())).request.network
    assert (of_update.injection_packets, of_update.reception_packets) == (1, 4)
    assert of_update.routing == "deterministic"
    other = plan_of(SimulationOptions(machine=machine, workload="uniform", run=Run())).request.network
    assert (other.injection_packets, other.reception_packets) == (8, 0)
    assert other.routing == "adaptive"
    chosen = plan_of(SimulationOptions(machine=machine, routing="adaptive", run=Run())).request.network
    assert chosen.routing == "adaptive", "what the user says holds"


@pytest.mark.parametrize("name", ["route v1.5", "a=b", "a.b=c"])
def test_a_core_may_have_any_name(name: str) -> None:
    machine = find_machine("bluegene-p")
    assert machine.randomaccess is not None
    known = machine.randomaccess.algorithm("multi-core")
    assert isinstance(known, Specialised)
    roles = [known.roles[0], msgspec.structs.replace(known.roles[1], name=name), *known.roles[2:]]
    algorithms = [msgspec.structs.replace(known, roles=roles), *machine.randomaccess.algorithms[1:]]
    rules = msgspec.structs.replace(machine.randomaccess, algorithms=algorithms)
    other = msgspec.structs.replace(machine, randomaccess=rules)
    options = SimulationOptions(machine=other, shape="4x4x4", settings=[f"workload.own.{name}=50"], run=Run())
    assert plan_of(options).request.workload["own"] == [89.8, 50, 97.4, 131.5]


def test_a_cost_of_packets_that_an_algorithm_assumes_is_listed_as_assumed() -> None:
    machine = find_machine("bluegene-l")
    assert machine.randomaccess is not None
    known = machine.randomaccess.algorithm("single-core")
    assert isinstance(known, Routed)
    assert known.send is not None
    guess = msgspec.structs.replace(known.send, source="assumed: as another machine")
    rules = msgspec.structs.replace(
        machine.randomaccess, algorithms=[msgspec.structs.replace(known, send=guess)]
    )
    other = msgspec.structs.replace(machine, randomaccess=rules)
    assumed = {
        one.name for one in plan_of(SimulationOptions(machine=other, run=Run())).parameters if one.assumed
    }
    assert "processor.send" in assumed
    assert "processor.receive.single" not in assumed


@pytest.mark.parametrize("machine", ["bluegene-p", "hector"])
def test_updates_that_go_directly_assume_no_cost_of_a_hop(machine: str) -> None:
    """With the costs of a file, and without."""
    chosen = plan_of(SimulationOptions(machine=find_machine(machine), algorithm="direct")).parameters
    [hop] = [one for one in chosen if one.name == "workload.own.hop"]
    assert (hop.value, hop.assumed) == (0.0, False)
    assert hop.source == "updates go straight to their owners"
