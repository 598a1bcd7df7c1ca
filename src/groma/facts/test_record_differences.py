"""What differs around the numbers: each value shown is one that its record has."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groma.facts.record_differences import differences
from groma.record import Build, Record


def record_in(environment: dict[str, Any], **parameters: Any) -> Record[Any]:
    return Record(
        kind="astrolabe",
        created="2026-01-02T03:04:05+00:00",
        command=["astrolabe"],
        build=Build(version="0.1.0"),
        environment=environment,
        parameters=parameters,
        samples={},
        facts={},
    )


def values_of(*records: Record[Any]) -> dict[str, list[str]]:
    return {one.what: one.values for one in differences(records)}


OLD, NEW = {"kernel": "6.1"}, {"kernel": "6.8"}


@pytest.mark.parametrize(
    ("third", "shown"), [(OLD, "6.1"), (NEW, "6.8"), ({"kernel": "6.9"}, "6.9"), ({}, "-")]
)
def test_each_record_is_shown_with_its_own_value_or_none(third: dict[str, Any], shown: str) -> None:
    assert values_of(record_in(OLD), record_in(NEW), record_in(third)) == {"kernel": ["6.1", "6.8", shown]}
    assert values_of(record_in(OLD), record_in(third), record_in(NEW)) == {"kernel": ["6.1", shown, "6.8"]}


def test_a_host_that_was_redacted_is_not_known() -> None:
    hidden = record_in({"host": "host-1", "redacted": True})
    assert values_of(record_in({"host": "oak"}), record_in({"host": "elm"}), hidden) == {
        "host": ["oak", "elm", "-"]
    }


def test_an_amount_that_is_nearly_the_first_is_known() -> None:
    """Each of the two is as good as the third."""
    amounts = (100 << 20, 107 << 20, 104 << 20)
    found = values_of(*(record_in({"memory": {"total_bytes": amount}}) for amount in amounts))
    assert found == {"memory": ["100 MiB", "107 MiB", "100 MiB"]}


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([None, "kvm", None], ["none", "kvm", "none"]),
        (["kvm", None, "kvm"], ["kvm", "none", "kvm"]),
    ],
)
def test_none_is_a_value(values: list[str | None], shown: list[str]) -> None:
    environments = [{"virtualisation": {"hypervisor": value}} for value in values]
    assert values_of(*map(record_in, environments)) == {"hypervisor": shown}


def test_a_value_by_name_that_two_records_lack_is_none_for_both() -> None:
    mitigations: list[dict[str, str]] = [{}, {"spectre": "on"}, {}]
    found = values_of(*(record_in({"noise": {"mitigations": one}}) for one in mitigations))
    assert found == {"mitigations (spectre)": ["none", "on", "none"]}


def test_a_variable_that_two_records_do_not_set_is_not_set_in_both() -> None:
    variables: list[dict[str, str]] = [{}, {"OMP_NUM_THREADS": "4"}, {}]
    found = values_of(*(record_in({"variables": one}) for one in variables), record_in({}))
    assert found == {"$OMP_NUM_THREADS": ["not set", "4", "not set", "-"]}


def test_a_size_that_a_record_lacks_is_not_that_of_the_first() -> None:
    found = values_of(record_in({}, depth="quick"), record_in({}, depth="full"), record_in({}))
    assert found == {"depth": ["quick", "full", "-"]}


def test_a_build_that_does_not_name_its_compiler_has_none_shown() -> None:
    compilers = ("GNU 12", "GNU 13", None)
    records = [record_in({}) for _ in compilers]
    for record, compiler in zip(records, compilers, strict=True):
        record.build = Build(version="0.1.0", compiler=compiler)
    assert values_of(*records) == {"compiler": ["GNU 12", "GNU 13", "-"]}


def test_caches_of_a_record_without_topology_are_not_those_of_the_first(survey: Record[Any]) -> None:
    def with_topology(declared: Any) -> Record[Any]:
        return msgspec.structs.replace(survey, facts=msgspec.structs.replace(survey.facts, declared=declared))

    topology = survey.facts.declared
    other = msgspec.structs.replace(topology, caches=())
    found = values_of(with_topology(topology), with_topology(other), with_topology(None))
    assert found["caches"][1:] == ["none", "-"]
    assert found["topology"] == ["declared", "declared", "not declared"]
