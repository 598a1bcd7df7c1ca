"""What binds a surveyed machine, on a profile whose figures are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import GromaError
from groma.facts.network import Access, CommunicationLayer, Distance, LogGP, NetworkFacts
from groma.facts.survey import StreamKernel
from groma.model.calibration import calibration_of
from groma.model.conftest import quantity
from groma.model.local import LocalModel, ModelInput, local_model
from groma.model.node import Node, node_of
from groma.record import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.survey import SurveyFacts
    from groma.record import Record

    MakeRun = Callable[..., Record[Any]]


NOTHING = Quantity(value=0.0, unit="s", low=0.0, high=0.0, confidence=0.0, method="made up")


@pytest.fixture
def node(survey: Record[SurveyFacts]) -> Node:
    return node_of(survey, "profile.json")


@pytest.mark.parametrize("damaged", ["x", 7, ["x"], {"model": 7}, None])
def test_a_damaged_environment_leaves_the_node_without_a_name(
    survey: Record[SurveyFacts], damaged: Any
) -> None:
    survey.environment |= {"cpu": damaged, "host": [damaged]}
    found = node_of(survey, "profile.json")
    assert (found.host, found.processor) == (None, None)


def limits(model: LocalModel) -> dict[str, float]:
    return {limit.name: limit.rate.value for limit in model.prediction.limits}


def beside(node: Node, record: Record[Any], nodes: Sequence[int] = ()) -> LocalModel:
    run = calibration_of(record, "run.json")
    return local_model(
        node, ModelInput(cores=run.cores // run.nodes, table=8 * run.table / run.nodes, run=run), nodes
    )


def test_stores_move_twice_what_they_count(node: Node) -> None:
    """The example writes 40.375 GB/s on eight cores, and fetches every line before."""
    assert node.traffic_of(8).kernel == "write"
    assert node.traffic_of(8).rate.value == pytest.approx(80.75e9)


def test_kernels_that_describe_themselves_are_believed(survey: Record[SurveyFacts]) -> None:
    assert survey.facts.node.memory is not None
    survey.facts.node.memory.kernels["write"] = StreamKernel(
        formula="a = s",
        reads=0,
        writes=1,
        flops_per_element=0,
        bytes_per_element=8,
        write_allocate_per_element=0,
        isa="avx2",
        strands=1,
    )
    assert node_of(survey, "profile.json").traffic_of(8).kernel != "write"


def access(*bandwidths: float | None) -> Access:
    """Of one process (B/s), by the number of processes of a node."""
    found = [None if one is None else quantity(one, "B/s") for one in bandwidths]
    return Access(
        cores_per_node=len(found),
        message=1 << 20,
        processes=8,
        reference=quantity(bandwidths[0] or 0.0, "B/s"),
        ratio=[],
        bandwidth=found,
    )


def test_all_processes_of_a_node_show_its_bandwidth(networked: Record[SurveyFacts]) -> None:
    """Four messages at once have 10 GB/s, but may be of four nodes; four processes of one have 6.4 GB/s."""
    networked.facts.network = msgspec.structs.replace(
        networked.facts.network or NetworkFacts(), access=access(6e9, 3.1e9, None, 1.6e9)
    )
    network = node_of(networked, "profile.json").network
    assert network is not None
    assert network.bandwidth is not None
    assert network.bandwidth.value == pytest.approx(6.4e9)
    assert network.bandwidth.low == pytest.approx(6.4e9 * 0.98)


def test_without_access_concurrent_messages_show_the_bandwidth_of_a_node(
    networked: Record[SurveyFacts],
) -> None:
    networked.facts.network = msgspec.structs.replace(
        networked.facts.network or NetworkFacts(), access=access(None)
    )
    network = node_of(networked, "profile.json").network
    assert network is not None
    assert network.bandwidth is not None
    assert network.bandwidth.value == 10e9


def test_traffic_of_cores_that_were_not_measured_is_that_of_more(node: Node) -> None:
    assert node.traffic_of(5).cores == 5
    assert msgspec.structs.replace(node, traffic=node.traffic[::3]).traffic_of(5).cores == 7
    assert node.traffic_of(1000).cores == 8


def test_a_line_in_and_a_line_out_bound_a_node(node: Node) -> None:
    model = local_model(node, ModelInput(cores=8))
    assert model.binds == "memory traffic"
    assert model.bound.value == pytest.approx(80.75e9 / 128)
    assert model.bound.low < model.bound.value < model.bound.high


def test_updates_in_flight_over_the_latency_bound_a_node_of_slow_memory(node: Node) -> None:
    assert node.latency is not None
    slow = msgspec.structs.replace(node.latency, value=1e-3, low=1e-3, high=1e-3)
    model = local_model(msgspec.structs.replace(node, latency=slow), ModelInput(cores=8))
    assert model.binds == "look-ahead over memory latency"
    assert model.bound.value == pytest.approx(8 * 1024 / 1e-3)


@pytest.mark.parametrize(("mode", "held"), [(1, 8 * 512), (5, 8 * 512), (6, 512), (8, 512)])
def test_the_look_ahead_of_a_run_is_that_of_its_cores_or_of_its_node(
    mode: int, held: int, node: Node, make_run: MakeRun
) -> None:
    assert node.latency is not None
    model = beside(node, make_run(mapping_mode=mode, look_ahead=512, table_words=1 << 40))
    expected = pytest.approx(held / node.latency.value, rel=1e-3)
    assert limits(model)["look-ahead over memory latency"] == expected


def test_the_window_that_the_bound_needs_follows_from_littles_law(node: Node) -> None:
    """80.75 GB/s over 128 bytes and 8 cores, each update 89 ns on its way: 7 in flight on a core."""
    alone, window = (one.value for one in local_model(node, ModelInput(cores=8)).references)
    assert node.latency is not None
    assert alone.value == pytest.approx(8 / node.latency.value)
    assert window.value == pytest.approx(80.75e9 / 128 / 8 * node.latency.value)


def test_a_profile_without_latency_has_one_limit(node: Node) -> None:
    model = local_model(msgspec.structs.replace(node, latency=None), ModelInput(cores=8))
    assert list(limits(model)) == ["memory traffic"]
    assert model.references == []


def test_limits_are_sorted_and_the_first_binds(networked: Record[SurveyFacts]) -> None:
    for one in local_model(node_of(networked, "p"), ModelInput(cores=8), [2, 64, 1024]).scaling:
        rates = [limit.rate.value for limit in one.limits]
        assert rates == sorted(rates)


def test_caches_take_their_share_of_the_table(node: Node, make_run: MakeRun) -> None:
    words = int(4 * node.cache) // 8
    model = beside(node, make_run(table_words=words))
    assert model.resident == pytest.approx(0.25, rel=1e-3)
    assert limits(model)["memory traffic"] == pytest.approx(80.75e9 / 128 / 0.75, rel=1e-3)
    assert [one.code for one in model.warnings] == ["model.resident"]
    (over_latency,) = [one for one in model.prediction.limits if one.name == "look-ahead over memory latency"]
    assert over_latency.formula.endswith(" updates / (0.75 x latency)")


def test_a_table_that_fits_the_caches_is_refused(node: Node, make_run: MakeRun) -> None:
    with pytest.raises(GromaError, match="whole table"):
        beside(node, make_run(table_words=1024))


def test_a_run_stands_beside_its_bound(node: Node, make_run: MakeRun) -> None:
    model = beside(node, make_run())
    assert model.measured is not None
    assert model.ratio is not None
    assert model.ratio.value == pytest.approx(0.3e9 / model.bound.value)
    assert model.ratio.low < model.ratio.value < model.ratio.high
    assert model.warnings == []


def test_the_parts_of_an_update_add_up(node: Node, make_run: MakeRun) -> None:
    whole, memory, rest = (part.value.value for part in beside(node, make_run()).parts)
    assert whole == pytest.approx(8 / 0.3e9)
    assert memory + rest == pytest.approx(whole)


def test_a_run_above_its_bound_is_a_finding(node: Node, make_run: MakeRun) -> None:
    fast = {"value": 5.0, "unit": "GUP/s", "low": 4.9, "high": 5.1, "confidence": 0.9, "method": "made up"}
    model = beside(node, make_run(gups=fast))
    assert [one.code for one in model.warnings] == ["model.exceeded"]
    assert len(model.parts) == 2


def test_wrong_words_and_another_host_are_findings(node: Node, make_run: MakeRun) -> None:
    record = make_run(errors=3)
    record.environment["host"] = "elsewhere"
    codes = [one.code for one in beside(node, record).warnings]
    assert codes == ["model.hosts", "model.errors"]


@pytest.mark.parametrize(("success", "codes"), [(False, ["model.failed"]), (True, []), (None, [])])
def test_a_run_that_failed_another_check_is_a_finding(
    node: Node, make_run: MakeRun, success: bool | None, codes: list[str]
) -> None:
    """More updates were pending than the rules allow."""
    model = beside(node, make_run(success=success))
    assert [one.code for one in model.warnings] == codes


def test_more_cores_than_were_surveyed_are_a_finding(node: Node) -> None:
    """The example measured the traffic of up to eight cores."""
    assert local_model(node, ModelInput(cores=8)).warnings == []
    (warning,) = local_model(node, ModelInput(cores=9)).warnings
    assert warning.code == "model.cores"
    assert "traffic of 9 cores was not measured, that of 8 stands for it" in warning.what
    assert "--cores 8" in warning.next


def test_a_run_on_more_cores_than_were_surveyed_is_a_finding(node: Node, make_run: MakeRun) -> None:
    assert [one.code for one in beside(node, make_run(ranks=16)).warnings] == ["model.cores"]


def test_more_nodes_than_were_surveyed_are_a_finding(networked: Record[SurveyFacts]) -> None:
    """Nothing said that a network of a few nodes stood for one of thousands."""
    assert networked.facts.network is not None
    networked.facts.network.distance = Distance(
        nodes=9, message=1 << 20, reference=quantity(1e9, "B/s"), ratio=[], exchange=[]
    )
    node = node_of(networked, "profile.json")
    assert local_model(node, ModelInput(cores=8), [4, 9]).warnings == []
    (warning,) = local_model(node, ModelInput(cores=8), [4, 4096]).warnings
    assert warning.code == "model.nodes"
    assert "surveyed on 9 nodes: 4096 nodes may have slower messages" in warning.what


def test_several_nodes_need_a_network(node: Node) -> None:
    with pytest.raises(GromaError, match="no latency between nodes"):
        local_model(node, ModelInput(cores=8), [4])


def test_messages_within_a_node_predict_no_other_nodes(networked: Record[SurveyFacts]) -> None:
    assert networked.facts.network is not None
    for layer in networked.facts.network.layers:
        layer.relations = ["same node"]
    with pytest.raises(GromaError, match="no latency between nodes"):
        local_model(node_of(networked, "p"), ModelInput(cores=8), [4])


def test_the_slowest_layer_is_the_network(networked: Record[SurveyFacts]) -> None:
    network = node_of(networked, "profile.json").network
    assert network is not None
    assert network.name == "between"
    assert network.bandwidth is not None
    assert network.bandwidth.value == 10e9
    assert network.overhead is not None


@pytest.mark.parametrize(
    "layers",
    [[], [CommunicationLayer(name="odd")], [CommunicationLayer(name="zero", latency=NOTHING, loggp=LogGP())]],
)
def test_layers_without_a_latency_are_left_aside(
    layers: list[CommunicationLayer], survey: Record[SurveyFacts]
) -> None:
    survey.facts.network = NetworkFacts(layers=layers)
    assert node_of(survey, "profile.json").network is None


def test_figures_that_were_not_determined_are_left_aside(survey: Record[SurveyFacts]) -> None:
    memory = survey.facts.node.memory
    assert memory is not None
    assert memory.latency is not None
    memory.latency = msgspec.structs.replace(memory.latency, confidence=0.0)
    memory.bandwidth = {kernel: points[:2] for kernel, points in memory.bandwidth.items()}
    memory.bandwidth["write"][1].value = msgspec.structs.replace(memory.bandwidth["write"][1].value, low=0.0)
    node = node_of(survey, "profile.json")
    assert node.latency is None
    assert node.traffic_of(1).kernel == "write"
    assert node.traffic_of(2).kernel == "copy"


def test_a_run_on_several_nodes_is_bound_by_its_messages(
    networked: Record[SurveyFacts], make_run: MakeRun
) -> None:
    """Four nodes send three quarters of their updates, 16 in a message: t_u + 0.75 x 2 x 0.5 µs / 16."""
    node = node_of(networked, "profile.json")
    exchange = {"messages": 1.0, "bytes": 128.0}
    gups = {"value": 0.2, "unit": "GUP/s", "low": 0.2, "high": 0.2, "confidence": 0.9, "method": "made up"}
    model = beside(node, make_run(ranks=32, nodes=4, algorithm="direct", exchange=exchange, gups=gups))
    local = 128 * (1 - model.resident) / node.traffic_of(1).rate.value
    assert limits(model)["messages"] == pytest.approx(32 / (local + 0.75 * 2 * 5e-7 / 16))
    assert limits(model)["network bandwidth"] == pytest.approx(4 * 10e9 / (0.75 * 8))
    assert limits(model)["look-ahead over network latency"] == pytest.approx(32 * 1024 / (0.75 * 2e-6))
    assert model.binds == "messages"


def test_updates_in_caches_take_no_time_of_memory_from_messages(
    networked: Record[SurveyFacts], make_run: MakeRun
) -> None:
    """A bound of several nodes assumes no more of memory than that of one."""
    node = node_of(networked, "profile.json")
    words = int(2 * node.cache / 8) * 4
    exchange = {"messages": 1.0, "bytes": 1e9}
    model = beside(node, make_run(table_words=words, ranks=4, nodes=4, algorithm="direct", exchange=exchange))
    assert model.resident == pytest.approx(0.5, rel=1e-3)
    assert limits(model)["messages"] == pytest.approx(4 / (64 / node.traffic_of(1).rate.value), rel=1e-3)


def test_the_gain_of_routing_grows_with_the_nodes(networked: Record[SurveyFacts]) -> None:
    """Direct buckets shrink to one update, those along the axes of a grid do not."""
    model = local_model(node_of(networked, "profile.json"), ModelInput(cores=8), [2, 4, 16, 1024])
    rates = {(one.nodes, one.exchange): one.limits[0].rate.value for one in model.scaling}
    buckets = {(one.nodes, one.exchange): one.bucket for one in model.scaling}
    shapes = {4: "2x2", 16: "4x4", 1024: "32x32"}
    gains = [rates[nodes, f"route {shape}"] / rates[nodes, "direct"] for nodes, shape in shapes.items()]
    assert gains == sorted(gains)
    assert gains[-1] > 5
    assert buckets[1024, "direct"] == 1
    assert buckets[1024, "route 32x32"] == 1024 // 62
    assert buckets[1024, "route 8x8x16"] == 1024 // 29
    assert [one.exchange for one in model.scaling if one.nodes == 2] == ["direct"]


def test_every_core_of_every_node_may_hold_its_look_ahead(networked: Record[SurveyFacts]) -> None:
    """Routing over 4 x 4 nodes takes 1.5 hops of 2 µs."""
    node = node_of(networked, "profile.json")
    for one in local_model(node, ModelInput(cores=8), [16]).scaling:
        hops = {"direct": 15 / 16, "route 4x4": 1.5, "route 2x2x4": 1.75}[one.exchange]
        held = {limit.name: limit.rate.value for limit in one.limits}["look-ahead over network latency"]
        assert held == pytest.approx(16 * 8 * 1024 / (hops * 2e-6))


def test_memory_of_unknown_bandwidth_is_refused(survey: Record[SurveyFacts]) -> None:
    survey.facts.node.memory = None
    with pytest.raises(GromaError, match="no memory bandwidth"):
        node_of(survey, "profile.json")


def test_a_record_of_another_kind_is_no_profile(make_run: MakeRun) -> None:
    with pytest.raises(GromaError, match="kind randomaccess, not a profile"):
        node_of(make_run(), "run.json")
