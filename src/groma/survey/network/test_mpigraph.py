from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.errors import GromaError
from groma.facts.kinds import kind_of_file
from groma.facts.survey import KIND
from groma.interconnect.lattice import torus
from groma.interconnect.switched import crossbar, in_blocks, tree
from groma.survey.infer.network.shares import share_at
from groma.survey.network.mpigraph import imported_records
from simulated.network import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.facts.network import NetworkFacts
    from groma.facts.survey import SurveyFacts
    from groma.interconnect.base import Interconnect
    from groma.record import Record

    Matrix = NDArray[np.float64]

LINK = 12000.0
SLOW_NODE = 5


def received(network: Interconnect, *, noise: float = 0.02) -> Matrix:
    """In MB/s as mpiGraph writes it: rows receive from columns."""
    nodes = network.nodes
    random = np.random.default_rng(nodes)
    found = np.zeros((nodes, nodes))
    for d in range(1, nodes):
        ranks = np.arange(nodes)
        found[ranks, (ranks - d) % nodes] = LINK * share_at(network, d).of_ranks("receive")
    return found * np.exp(random.normal(0.0, noise, found.shape))


def table(title: str, word: str, hosts: Sequence[str], values: Matrix) -> str:
    ends = [f"{host}:{rank}" for rank, host in enumerate(hosts)]
    rows = [
        f"{end} {word}\t" + "".join(f"{value:.3f}\t" for value in row)
        for end, row in zip(ends, values, strict=True)
    ]
    return "\n".join([f"{title} max\t{values.max():f}", "", title + "\t" + "\t".join(ends), *rows, ""])


def output(values: Matrix, hosts: Sequence[str] = ()) -> str:
    ranks = len(values)
    hosts = hosts or names(ranks)
    heading = f"START mpiGraph v1.5\nMsgSize\t16384\nTimes\t100\nWindow\t50\nProcs\t{ranks}\n\n"
    progress = "".join(f"{d} of {ranks} ({100 * d / ranks:.1f}%)\n" for d in range(1, ranks))
    tables = table("Send", "to", hosts, values.T) + table("Recv", "from", hosts, values)
    return f"{heading}{progress}Gathering results\n\n{tables}END mpiGraph\n"


def record_of(text: str) -> Record[SurveyFacts]:
    (record,) = imported_records(text.encode(), "run.out")
    return record


def network_of(text: str) -> NetworkFacts:
    found = record_of(text).facts.network
    assert found is not None
    return found


def refused(text: str) -> str:
    with pytest.raises(GromaError) as error:
        imported_records(text.encode(), "run.out")
    return error.value.what


def test_an_output_belongs_to_the_surveys() -> None:
    assert kind_of_file(output(received(crossbar(4))).encode()) is KIND


@pytest.mark.parametrize(
    ("network", "kind", "shape"),
    [
        (crossbar(16), "crossbar", []),
        (torus(4, 4), "torus", [4, 4]),
        (torus(9), "ring", [9]),
        (tree(in_blocks(16, 8), 4.0), "tree", [8, 8]),
    ],
)
def test_the_structure_follows_from_its_bandwidths(
    network: Interconnect, kind: str, shape: list[int]
) -> None:
    found = network_of(output(received(network))).topology
    assert found is not None
    assert (found.kind, found.shape) == (kind, shape)


def test_bandwidths_are_those_of_the_distances() -> None:
    network = torus(9)
    distance = network_of(output(received(network, noise=0.0))).distance
    assert distance is not None
    assert (distance.nodes, distance.message) == (9, 16384)
    assert distance.reference.value == pytest.approx(LINK * 2**20)
    assert [one.value for one in distance.ratio if one] == pytest.approx([1.0, 2.0, 3.0, 4.0])


def test_a_slow_node_is_named() -> None:
    values = received(crossbar(12))
    values[SLOW_NODE, :] *= 0.5
    values[:, SLOW_NODE] *= 0.5
    distance = network_of(output(values)).distance
    assert distance is not None
    assert [part.hosts for part in distance.slow] == [[f"h{SLOW_NODE}"]]


def test_of_many_nodes_a_slow_one_is_named() -> None:
    values = received(crossbar(100))
    values[SLOW_NODE, :] *= 0.5
    record = record_of(output(values))
    assert record.facts.network is not None
    assert record.facts.network.distance is not None
    assert [part.hosts for part in record.facts.network.distance.slow] == [[f"h{SLOW_NODE}"]]
    assert sum(map(len, record.samples["net_distance"].values)) < 500


def test_a_value_without_an_interval_is_shown_and_says_so() -> None:
    record = record_of(output(received(crossbar(8))))
    assert record.facts.network is not None
    assert record.facts.network.distance is not None
    ratio = record.facts.network.distance.ratio[2]
    assert ratio is not None
    assert ratio.samples is not None
    assert (ratio.confidence, ratio.samples.n) == (0.0, 1)
    assert record.facts.network.distance.monotone is not False
    codes = [one.code for one in record.warnings]
    assert "network.means" in codes
    assert "network.few_repetitions" not in codes


def test_a_record_says_who_measured() -> None:
    record = record_of(output(received(crossbar(4))))
    assert record.facts.origin == "run.out, written by mpiGraph 1.5"
    assert record.build.version == "mpiGraph 1.5"


def test_versions_that_count_in_powers_of_ten_are_read_so() -> None:
    text = output(received(crossbar(4), noise=0.0)).replace("MsgSize\t16384", "Msg Size: 16384 Bytes")
    distance = network_of(text).distance
    assert distance is not None
    assert distance.reference.value == pytest.approx(LINK * 1e6)


def test_each_run_of_a_file_is_a_record() -> None:
    text = output(received(crossbar(4))) + output(received(crossbar(6)))
    records = imported_records(text.encode(), "runs.out")
    assert [one.facts.origin for one in records] == [
        f"runs.out, run {number} of 2, written by mpiGraph 1.5" for number in (1, 2)
    ]


def test_spaces_stand_for_tabs_and_a_bandwidth_may_be_missing() -> None:
    values = received(crossbar(8))
    values[1, 0] = 0.0
    distance = network_of(output(values).replace("\t", "   ")).distance
    assert distance is not None
    assert distance.per_rank[1][0] is not None


def test_ranks_of_one_host_are_refused() -> None:
    hosts = ["a", "a", "b", "b"]
    assert "4 ranks on 2 hosts" in refused(output(received(crossbar(4)), hosts))


def test_what_breaks_off_is_refused() -> None:
    text = output(received(crossbar(6)))
    assert "incomplete" in refused(text[: text.index("h4:4 from")])
    assert "incomplete" in refused(text[: text.index("Recv")])
    assert "MsgSize" in refused(text.replace("MsgSize", "Size"))
    assert "no run" in refused('printf("START mpiGraph v%s\\n", VERS);')
