"""A redacted record can be shown to anybody, and still be read."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.record import Advice, Record
from groma.record.launch import RankPlace
from groma.record.redact import Words, expand_nodes, redacted, redacted_here
from suite_records import launch

if TYPE_CHECKING:
    from groma.record.record import Record as AnyRecord


LAUNCH = launch(
    2,
    launcher="srun",
    command="srun -w n008,cedar groma-network",
    nodes=2,
    inter_node=True,
    placement=[
        RankPlace(rank=0, host="n008", boot_id="4711", cpus=[0]),
        RankPlace(rank=1, host="cedar", boot_id="4712", cpus=[0]),
    ],
)


@pytest.fixture
def reported(survey: Record[Any]) -> Record[Any]:
    """A record that tells hosts and users in every place where they occur."""
    survey.environment |= {
        "host": "walnut.example",
        "scheduler": {"name": "slurm", "job": "77", "nodes": "n[008-010],walnut"},
        "variables": {
            "SLURM_JOB_USER": "jane",
            "SLURM_JOB_NODELIST": "n[008-010],walnut",
            "OMPI_MCA_hostfile": "/home/jane/hosts",
            "GROMA_SURVEY_OUTPUT": "/scratch/jane/profile.json",
            "OMP_NUM_THREADS": "4",
        },
    }
    survey.command = [
        "/home/mary/bin/groma",
        "survey",
        "-w",
        "n[008-010],walnut",
        "-o",
        "/scratch/jane/p.json",
    ]
    survey.warnings = [
        Advice(code="load", what="walnut is busy, n009 too", next="ask jane; not janet or n0091")
    ]
    network = {
        "topology": {"kind": "ring", "hosts": ["n008", "cedar"]},
        "launches": [{"labels": {"n009": 1.0}, "launch": msgspec.to_builtins(LAUNCH)}],
    }
    survey.facts = {"node": {"cores": [{"logical": 0}]}, "network": network}
    return survey


def text_of(record: AnyRecord[Any]) -> str:
    return msgspec.json.encode(record).decode()


NAMES = ("walnut", "jane/", "jane;", '"jane"', "mary", "n008", "n009 ", "n010", "n[008", "cedar", '"4711')


def test_no_name_is_left_anywhere(reported: Record[Any]) -> None:
    text = text_of(redacted(reported))
    assert [name for name in NAMES if name in text] == []


def test_other_words_that_begin_like_a_name_stay(reported: Record[Any]) -> None:
    assert redacted(reported).warnings[0].next == "ask user; not janet or n0091"


def test_hosts_stay_distinct(reported: Record[Any]) -> None:
    network = redacted(reported).facts["network"]
    (one,) = network["launches"]
    names = {*network["topology"]["hosts"], *one["labels"]}
    assert len(names) == 3
    assert all(name.startswith("host-") for name in names)
    assert [place["boot_id"] for place in one["launch"]["placement"]] == ["boot-1", "boot-2"]


def test_what_is_no_name_stays(reported: Record[Any]) -> None:
    clean = redacted(reported)
    assert clean.environment["variables"]["OMP_NUM_THREADS"] == "4"
    assert clean.environment["variables"]["GROMA_SURVEY_OUTPUT"] == "/scratch/user/profile.json"
    assert clean.environment["scheduler"]["job"] == "77"
    assert clean.facts["node"] == reported.facts["node"]
    assert clean.samples == reported.samples


def test_the_given_record_is_not_changed(reported: Record[Any]) -> None:
    before = text_of(reported)
    redacted(reported)
    assert text_of(reported) == before


def test_a_host_named_as_a_word_of_the_record_leaves_its_meaning(survey: Record[Any]) -> None:
    survey.environment |= {"host": "data", "variables": {"SLURM_JOB_USER": "survey"}}
    clean = redacted(survey)
    assert clean.kind == "survey"
    assert [cache.kind for cache in clean.facts.node.caches] == [c.kind for c in survey.facts.node.caches]


def test_names_are_removed_from_records_of_other_kinds(foreign_record: Record[Any]) -> None:
    foreign_record.environment = {"host": "walnut"}
    foreign_record.facts = {"where": "on walnut"}
    assert redacted(foreign_record).facts == {"where": "on host-1"}


def test_a_record_without_environment_is_redacted_too(foreign_record: Record[Any]) -> None:
    assert redacted(foreign_record) == foreign_record


def test_redacting_twice_changes_nothing_more(reported: Record[Any]) -> None:
    assert redacted(redacted(reported)).facts["node"] == redacted(reported).facts["node"]


def test_a_redacted_record_keeps_its_numbers_of_hosts(reported: Record[Any]) -> None:
    once = redacted(reported)
    assert redacted(once) == once


def test_hosts_that_are_new_to_a_redacted_record_get_numbers_of_their_own(reported: Record[Any]) -> None:
    once = redacted(reported)
    once.facts["network"]["topology"]["hosts"].append("spruce")
    *known, new = redacted(once).facts["network"]["topology"]["hosts"]
    assert known == once.facts["network"]["topology"]["hosts"][:-1]
    assert new not in text_of(once)
    assert new.startswith("host-")


class WithTuples(msgspec.Struct):
    where: tuple[str, ...] = ("on cedar", "/home/mary/x")
    places: tuple[RankPlace, ...] = (RankPlace(rank=0, host="cedar", boot_id="4712", cpus=[0]),)
    byte_of: tuple[tuple[str, int], ...] = (("cedar", 1),)


def test_texts_in_tuples_lose_names_too(foreign_record: Record[Any]) -> None:
    foreign_record.facts = WithTuples()
    assert redacted(foreign_record).facts == WithTuples(
        where=("on host-1", "/home/user/x"),
        places=(RankPlace(rank=0, host="host-1", boot_id="boot-1", cpus=[0]),),
        byte_of=(("host-1", 1),),
    )


@pytest.mark.parametrize(
    "facts",
    [
        {"host": "cedar"},
        {"hosts": ["", "cedar"]},
        {"ranks": [{"planned_host": "cedar.example"}]},
        {"gain": {"default_hosts": ["cedar"]}},
        {"tracing": {"hosts": [{"name": "cedar", "error": 0.0}]}},
        {"baseline": {"host": "oak | cedar"}},
        {"hosts": "oak[1-2],cedar"},
    ],
)
def test_hosts_that_the_facts_name_leave_all_of_the_record(
    facts: dict[str, Any], foreign_record: Record[Any]
) -> None:
    foreign_record.facts = facts
    foreign_record.warnings = [Advice(code="clock", what="the clock of cedar drifts", next="leave cedar out")]
    assert "cedar" not in text_of(redacted(foreign_record))


@pytest.mark.parametrize("host", ["10.0.0.1", "fe80::1"])
def test_of_an_address_no_part_counts_as_a_name(host: str, foreign_record: Record[Any]) -> None:
    foreign_record.facts = {"hosts": [host], "said": f"10 ranks on {host}"}
    assert redacted(foreign_record).facts["said"] == "10 ranks on host-1"


@pytest.mark.parametrize("host", ["0", "?", " ", "-"])
def test_what_names_no_host_is_not_taken_for_one(host: str, foreign_record: Record[Any]) -> None:
    foreign_record.facts = {"hosts": [host], "said": "0.5 s - why?"}
    assert redacted(foreign_record).facts == {"hosts": [host], "said": "0.5 s - why?"}


def trends(machine: str) -> dict[str, Any]:
    """Facts of a history, as groma reads those of another version."""
    file = "/data/groma/records/hpcc_oak17.example_2026-01-01T02-00-00_0123abcd.json"
    return {"trends": [{"machine": machine, "points": [{"file": file}], "unit": "unknown"}]}


@pytest.mark.parametrize("machine", ["oak17.example", "oak*", "unknown", "Example Lake 4-core"])
def test_the_machines_of_a_history_are_hosts(machine: str, foreign_record: Record[Any]) -> None:
    foreign_record.facts = trends(machine)
    (trend,) = redacted(foreign_record).facts["trends"]
    is_host = machine.startswith("oak")
    assert trend["machine"] == ("host-1" if is_host else machine)
    assert trend["unit"] == "unknown"
    assert "oak" not in msgspec.json.encode(trend).decode()


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("host", 5),
        ("host", None),
        ("scheduler", "slurm"),
        ("scheduler", {"nodes": ["walnut", 7]}),
        ("variables", ["HOSTNAME=walnut"]),
        ("variables", {"HOSTNAME": 7, "USER": None}),
    ],
)
def test_a_damaged_environment_is_redacted_too(part: str, value: object, foreign_record: Record[Any]) -> None:
    foreign_record.environment |= {"host": "walnut", part: value}
    foreign_record.warnings = [Advice(code="load", what="walnut is busy", next="")]
    hides = part != "host"
    assert ("walnut" in msgspec.json.encode(redacted(foreign_record)).decode()) is not hides


def test_the_running_user_is_removed(reported: Record[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ottilie")
    reported.parameters = {"output": "/work/ottilie/p.json"}
    assert redacted_here(reported).parameters == {"output": "/work/user/p.json"}


def test_hosts_that_the_caller_knows_are_removed(foreign_record: Record[Any]) -> None:
    foreign_record.facts = {"said": "recv on cedar"}
    assert redacted_here(foreign_record, ["cedar.example"]).facts == {"said": "recv on host-1"}


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("n1", ["n1"]),
        ("n[08-10],login", ["n08", "n09", "n10", "login"]),
        ("a[1,3].net b", ["a1.net", "a3.net", "b"]),
        ("", []),
    ],
)
def test_node_lists_are_expanded(text: str, hosts: list[str]) -> None:
    assert list(expand_nodes(text)) == hosts


@pytest.mark.parametrize(
    "facts", [{"systems": [{"source": "/home/jane/oak/run.txt"}]}, {"source": "/u/jane"}]
)
def test_the_file_that_a_finding_comes_from_names_no_user(
    facts: dict[str, Any], foreign_record: Record[Any]
) -> None:
    foreign_record.facts = facts
    assert "jane" not in text_of(redacted(foreign_record))


def test_a_user_named_as_the_source_of_a_topology_leaves_its_meaning(survey: Record[Any]) -> None:
    source = survey.facts.declared.source
    survey.environment |= {"host": source, "variables": {"SLURM_JOB_USER": source}}
    survey.command = ["groma", "survey", "-o", f"/scratch/{source}/p.json"]
    clean = redacted(survey)
    assert clean.facts.declared == survey.facts.declared
    assert source not in clean.command[-1]


def by_alternation(text: str, replacements: dict[str, str], inside: str) -> str:
    """Names that stand as whole words, the longest first: slow for many names, but plain."""
    words = "|".join(map(re.escape, sorted(filter(None, replacements), key=len, reverse=True)))
    pattern = rf"(?<!{inside})(?:{words})(?!{inside})"
    return re.sub(pattern, lambda match: replacements[match[0]], text)


@pytest.mark.parametrize("seed", range(40))
def test_names_are_replaced_as_whole_words_the_longest_first(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    parts = ["a", "b7", "_", "-", ".", ":", " ", "[", "é", "\n"]

    def text(most: int) -> str:
        return "".join(chance.choices(parts, k=chance.randint(1, most)))

    replacements = {text(4): f"host-{number}" for number in range(chance.randint(1, 12))}
    for inside in (r"\w", r"[^\W_]"):
        words = Words(replacements, inside)
        for _ in range(50):
            line = text(30)
            assert words.replaced(line) == by_alternation(line, replacements, inside), (line, replacements)


def test_the_work_for_a_host_does_not_grow_with_the_number_of_hosts() -> None:
    """Counted in words that are looked up, not in time."""

    class Counting(dict[str, str]):
        asked = 0

        def __contains__(self, key: object) -> bool:
            self.asked += 1
            return super().__contains__(key)

        def get(self, key: str, default: Any = None) -> Any:
            self.asked += 1
            return super().get(key, default)

    asked = []
    for count in (10, 10_000):
        replacements = Counting((f"rack-{number:05}.example", f"host-{number}") for number in range(count))
        words = Words(replacements, r"\w")
        replacements.asked = 0
        assert words.replaced("on rack-00003.example and rack-77777.example") == (
            "on host-3 and rack-77777.example"
        )
        asked.append(replacements.asked)
    assert asked[0] == asked[1]
