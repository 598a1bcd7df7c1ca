"""Launches of a mapping are kept by one run at a time."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import FakeHost
from groma.map import job
from groma.map.conftest import SMT
from groma.map.gain_inference import RecordOutput
from groma.map.job import MappingOptions, run_mapping
from groma.map.launching import Launches, LaunchFile
from groma.map.profiles import survey_of
from groma.map.test_launching import FakeJob, site
from groma.map.topologies import node_of
from groma.run.sole_writer import sole_writer

if TYPE_CHECKING:
    from groma.facts.mapping import MappingFacts
    from groma.launch.command import Command
    from groma.launch.prepare import Site
    from groma.record import Record

TWO_NODES = {"topology": "mesh:2", "ranks": 2, "halo": 8, "method": "block", "launches": 2}


def as_asked(_command: Command) -> list[tuple[str, list[int]]]:
    return [("a.domain", [0]), ("b.domain", [0])]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeJob:
    """What stands for the ranks that `mapped` starts on two hosts."""
    fake = FakeJob(as_asked)

    def launches(_host: object, where: Site, file: LaunchFile) -> Launches:
        return Launches(FakeHost(), where, file, fake)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(job, "Launches", launches)
    monkeypatch.setattr(job, "site_of", lambda *_: site())
    return fake


def mapped(output: Path, *, measure: bool = True) -> Record[MappingFacts]:
    options = MappingOptions(**TWO_NODES, measure=measure, verify=not measure)  # type: ignore[arg-type]
    return run_mapping(options, lambda _: None, RecordOutput(output))


def placed_by_class(**options: object) -> list[str]:
    """The remarks on a mapping of two ranks by the weights of Servet."""
    asked = MappingOptions(code="memory", ranks=2, **options)  # type: ignore[arg-type]
    return run_mapping(asked, lambda _: None, RecordOutput(Path("m.json"))).facts.remarks


def test_weights_without_a_profile_are_remarked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "machine_named", lambda *_: node_of(SMT))
    monkeypatch.setattr(job, "declared_topology", lambda *_: SMT)
    monkeypatch.setattr(job, "native_program", lambda **_: "groma-probe")
    for options in ({}, {"topology": "hwloc:machine.xml"}):
        (remark,) = placed_by_class(**options)
        assert remark.startswith("nothing measured was used")


def test_weights_of_a_profile_have_no_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "open_profile", lambda _: SimpleNamespace(facts=survey_of(SMT)))
    assert placed_by_class(profile=Path("p.json")) == []


def test_a_second_run_with_the_same_record_is_refused_before_it_starts_ranks(
    started: FakeJob, tmp_path: Path
) -> None:
    """Both wrote their launches to one partial record."""
    output = tmp_path / "m.json"
    with sole_writer(output), pytest.raises(GromaError, match="another run of groma writes to") as refused:
        mapped(output)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert started.started == []


def test_a_run_leaves_the_place_to_the_next_one(started: FakeJob, tmp_path: Path) -> None:
    output = tmp_path / "m.json"
    for done in (4, 8):
        assert mapped(output).facts.gain is not None
        assert len(started.started) == done
    assert list(tmp_path.glob(".*.lock")) == []


@pytest.mark.usefixtures("started")
def test_a_run_that_keeps_no_launches_does_not_wait_for_another_one(tmp_path: Path) -> None:
    output = tmp_path / "m.json"
    with sole_writer(output):
        assert mapped(output, measure=False).facts.verification is not None


@pytest.mark.usefixtures("started")
def test_a_run_to_a_device_leaves_the_launches_of_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    device = Path("/dev/null")
    with sole_writer(device):
        record = mapped(device)
    assert record.facts.gain is not None
    assert list((tmp_path / "state").rglob("*.json")) == []
