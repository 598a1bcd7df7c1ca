"""The network on the terminal: every figure with its unit, names where something is wrong."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

import pytest

from groma.facts.network import NetworkTopology, PairDesign, TopologyLevel
from groma.record.units import NO_BREAK
from groma.report.kinds.survey_network import NETWORK_SECTIONS
from groma.report.renderers import plain
from groma.report.terminal import document_of, facts_of
from groma.report.words.network import confidence_words, design_words, rank_names, structure_words
from groma.survey.run import infer_facts

if TYPE_CHECKING:
    from groma.facts.survey import SurveyFacts
    from groma.record import Record


def shown(record: Record[SurveyFacts], *sections: str) -> str:
    return re.sub(r" +", " ", plain(document_of(record, sections)))


@pytest.mark.parametrize("name", [section.name for section in NETWORK_SECTIONS])
def test_every_section_of_a_network_has_content(name: str, networked_survey: Record[SurveyFacts]) -> None:
    assert "not measured" not in shown(networked_survey, name)


@pytest.mark.parametrize("name", [section.name for section in NETWORK_SECTIONS])
def test_a_node_without_a_network_says_so(name: str, survey: Record[SurveyFacts]) -> None:
    assert "not measured" in shown(survey, name)
    assert facts_of(survey, [name]) == {name: None}


def test_a_run_of_another_program_says_what_it_was_read_from(networked_survey: Record[SurveyFacts]) -> None:
    record = copy.deepcopy(networked_survey)
    record.facts.origin = "run.out, written by mpiGraph 1.5"
    text = shown(record, "machine")
    assert "read from run.out, written by mpiGraph 1.5" in text
    assert "surveyed" not in text


def test_a_distance_of_which_nobody_knows_whether_it_is_an_exchange_is_shown(
    networked_survey: Record[SurveyFacts],
) -> None:
    record = copy.deepcopy(networked_survey)
    assert record.facts.network is not None
    assert record.facts.network.distance is not None
    record.facts.network.distance.exchange = []
    assert shown(record, "network-distance") == shown(networked_survey, "network-distance")


def test_layers_show_latency_bandwidth_and_switch(networked_survey: Record[SurveyFacts]) -> None:
    text = shown(networked_survey, "network")
    assert re.search(r"same node 4\d\d ns \[.*\] 7\.\d+ GB/s \[.*\] at 16 KiB 9\n", text)
    assert re.search(r"between nodes [\d.]+ µs \[.*\] [\d.]+ MB/s \[.*\] - 144\n", text)


def test_pairs_of_nodes_say_how_much_they_disturb_each_other(networked_survey: Record[SurveyFacts]) -> None:
    text = shown(networked_survey, "network")
    together = (
        r"all 36 measured; 4 pairs at the same time, each of which takes 1\.0\d+ times as long as alone"
    )
    assert re.search(rf"pairs of nodes {together}", " ".join(text.split()))
    assert "one-way latency between nodes" in shown(networked_survey, "network-pairs")


def test_distance_tells_ratios_loads_and_the_slow_link(networked_survey: Record[SurveyFacts]) -> None:
    text = shown(networked_survey, "network-distance")
    assert re.search(r"\n 4 \d\.\d+ x \[.*\] .* 4\.00 4\.00 x", text)
    assert re.search(r"over the link node03 - node04 take longer than others: (1\.9|2)", text)


def test_a_part_that_may_be_sound_is_not_simply_called_slow(networked_survey: Record[SurveyFacts]) -> None:
    record = copy.deepcopy(networked_survey)
    assert record.facts.network is not None
    assert record.facts.network.distance is not None
    record.facts.network.distance.slow[0].otherwise = "tree of 2 groups of 3 to 6"
    text = " ".join(shown(record, "network-distance").split())
    assert "]; or the network is a tree of 2 groups of 3 to 6 with nothing slow" in text


def test_a_known_rate_of_links_stands_beside_the_bandwidth(networked_survey: Record[SurveyFacts]) -> None:
    record = copy.deepcopy(networked_survey)
    record.samples["net_distance"].parameters |= {"topology": "9", "link_bandwidth": "5e7"}
    infer_facts(record)
    text = shown(record, "network-distance")
    assert "; compared with the declared ring of 9, links of 50 MB/s" in text
    assert re.search(r"\n 4 .* 4\.00 4\.00 x 12\.5 MB/s", text)


def test_access_and_distance_tell_pieces_and_exchanges(networked_survey: Record[SurveyFacts]) -> None:
    record = copy.deepcopy(networked_survey)
    network = record.facts.network
    assert network
    assert network.access
    assert network.distance
    network.access.pieces, network.access.exchange = [12288, 61440], [False, True]
    network.distance.piece = 12288
    text = shown(record, "network-access")
    assert "to the next node, in pieces of 12 KiB and 60 KiB" in text
    assert re.search(r"\n 2 .* exchange\n", text)
    assert not re.search(r"\n 1 .* exchange\n", text)
    assert "in pieces of 12 KiB" in shown(record, "network-distance")


def test_receiver_tells_its_limit_and_who_is_slowed(networked_survey: Record[SurveyFacts]) -> None:
    text = shown(networked_survey, "network-receiver")
    assert "without sending is saturated by 2" in text
    assert "from 3 senders on, some are slowed: node00, node01, node02" in text


def test_curves_and_pairs_are_left_for_those_who_ask(networked_survey: Record[SurveyFacts]) -> None:
    text = shown(networked_survey)
    assert "Network by distance" in text
    assert "Network by message size" not in text
    assert "concurrent messages" in shown(networked_survey, "network-curves")


@pytest.mark.parametrize(("total", "line"), [(1, "the only one measured"), (153, "all 153 measured")])
def test_a_whole_design_is_reported_as_it_is(total: int, line: str) -> None:
    assert design_words(PairDesign(kind="all", measured=total, total=total, min_share=0, risk=0)) == line


def test_a_structure_that_times_do_not_tell_is_named_as_such() -> None:
    assert (
        structure_words(NetworkTopology(kind="unknown", shape=[], confidence=0.3))
        == "not clear from the times"
    )
    why = NetworkTopology(kind="unknown", shape=[], confidence=0.9, evidence=["latencies have gaps"])
    assert structure_words(why) == "not clear from the times: latencies have gaps"


def test_a_sampled_design_tells_its_risk() -> None:
    design = PairDesign(kind="sampled", measured=600, total=523776, min_share=0.00498, risk=0.05)
    assert design_words(design).replace(NO_BREAK, " ") == (
        "600 of 523776 measured; a layer that holds 0.5 % of all pairs or more was missed with a risk of 5 % "
        "at most"
    )


@pytest.mark.parametrize(
    ("kind", "shape", "expected"),
    [
        ("ring", [9], "probably a ring of 9"),
        ("torus", [4, 4], "probably a torus 4x4"),
        ("tree", [4, 4, 4], "probably a tree of 3 groups of 4"),
        ("groups", [3, 5], "probably a set of linked groups of 2 groups of 3 and 5"),
        ("crossbar", [], "probably a crossbar"),
    ],
)
def test_a_structure_is_named_as_a_guess(kind: str, shape: list[int], expected: str) -> None:
    topology = NetworkTopology(kind=kind, shape=shape, confidence=0.9, evidence=["times"])
    reported = f"{expected} (inferred from times, confidence 90 %): times"
    assert structure_words(topology).replace(NO_BREAK, " ") == reported


def test_no_confidence_is_reported_as_certainty() -> None:
    assert confidence_words(0.9999).replace(NO_BREAK, " ") == "over 99.9 %"


def with_structure(record: Record[SurveyFacts], topology: NetworkTopology) -> Record[SurveyFacts]:
    changed = copy.deepcopy(record)
    assert changed.facts.network is not None
    changed.facts.network.topology = topology
    return changed


HOSTS = [f"node{number:02}" for number in range(12)]
LEAVES, PODS = ([[*range(first, first + size)] for first in range(0, 12, size)] for size in (3, 6))


def test_the_uplink_and_the_hosts_of_groups_have_a_line_each(networked_survey: Record[SurveyFacts]) -> None:
    tree = NetworkTopology(kind="tree", shape=[3] * 4, confidence=0.9, hosts=HOSTS, groups=LEAVES, uplink=1.5)
    text = shown(with_structure(networked_survey, tree), "network")
    assert "\n uplink of each of 4 groups: 1.50 times the link of a node\n" in text
    assert "\n groups node[00-02]; node[03-05]; node[06-08]; node[09-11]\n" in text
    assert "\n level" not in text


def test_groups_within_groups_have_a_line_for_each_level(networked_survey: Record[SurveyFacts]) -> None:
    levels = [TopologyLevel(groups=LEAVES, adds=0.12), TopologyLevel(groups=PODS, adds=0.3)]
    tree = NetworkTopology(
        kind="tree", shape=[3] * 4, confidence=0.9, hosts=HOSTS, groups=LEAVES, levels=levels
    )
    text = shown(with_structure(networked_survey, tree), "network").replace(NO_BREAK, " ")
    assert (
        "\n level 1 4 groups, another one adds 12 % of the typical latency: node[00-02]; node[03-05]; "
        in text
    )
    assert "\n level 2 2 groups, another one adds 30 % more: node[00-05]; node[06-11]\n" in text
    assert "\n groups" not in text
    assert "\n uplink" not in text


def test_ranks_are_named_after_their_hosts_without_the_domain() -> None:
    assert rank_names([0, 1, 2], ["node0.cluster.org", "10.0.0.7"]) == ["node0 (0)", "10.0.0.7 (1)", "2"]
