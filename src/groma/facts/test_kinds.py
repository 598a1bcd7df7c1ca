"""Each file of facts describes one kind, and what it names in other rooms is there."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import resolve_name
from typing import Any

import pytest

from groma.facts.hpcc import KIND as HPCC
from groma.facts.kinds import Kind, kind_named, kind_of_file, known_kinds

KINDS = known_kinds()


def test_the_kinds_of_this_version_are_found_without_a_list() -> None:
    assert {"survey", "hpcc", "randomaccess"} <= {kind.name for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_a_kind_is_found_by_its_name_in_the_module_of_that_name(kind: Kind[Any]) -> None:
    assert kind_named(kind.name) is kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_what_a_kind_names_in_other_rooms_is_there(kind: Kind[Any]) -> None:
    assert kind.sections is None or resolve_name(kind.sections)
    for reference in (kind.reopened, kind.foreign.reader if kind.foreign else None):
        assert reference is None or callable(resolve_name(reference))


def test_titles_and_schemas_distinguish_kinds() -> None:
    for names in ([kind.title for kind in KINDS], [kind.schema for kind in KINDS]):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "name", ["astrolabe", "kinds", "reading", "test_kinds", "os.path", "", None, 3, ["hpcc"]]
)
def test_other_names_are_those_of_no_kind(name: object) -> None:
    assert kind_named(name) is None


def test_outputs_of_the_original_suite_belong_to_it_where_they_are_no_records() -> None:
    assert kind_of_file(b"Begin of Summary section.\n") is HPCC
    assert kind_of_file(b"This is the DARPA/DOE HPC Challange Benchmark\n") is HPCC  # early versions
    assert kind_of_file(b' {"what": "HPC Challenge Benchmark"}') is None
    assert kind_of_file(b"size_bytes,latency_ns\n") is None


def test_reading_one_kind_loads_no_other() -> None:
    program = (
        "import sys; from groma.facts.kinds import kind_named; kind_named('hpcc');"
        "print(*(name for name in sys.modules if name.startswith('groma.')))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert "groma.facts.hpcc" in loaded.split()
    assert not {"groma.facts.survey", "groma.report.terminal"} & set(loaded.split())
