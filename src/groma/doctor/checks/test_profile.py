"""The doctor says which profile programs open by default."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, cast

import pytest

from groma.conftest import MADE
from groma.doctor.checks.profile import default_profile
from groma.facts.mapping import KIND as MAPPING
from groma.facts.mapping import MappingFacts, MappingQuality
from groma.record.io import write_record
from groma.run.provenance import analysis_record

if TYPE_CHECKING:
    from pathlib import Path

    from groma.doctor.finding import CheckContext, Finding


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a user's default profile is."""
    monkeypatch.delenv("GROMA_PROFILE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "site"))
    (tmp_path / "groma").mkdir()
    return tmp_path / "groma" / "profile.json"


def finding() -> Finding:
    (found,) = default_profile(cast("CheckContext", cast("Any", None)))
    return found


def test_without_a_profile_it_says_how_to_make_one(place: Path) -> None:
    found = finding()
    assert (found.code, found.severity, found.repair) == (
        "profile.missing",
        "info",
        "groma survey --default",
    )
    assert str(place) in found.what


def test_a_profile_is_reported_with_its_host(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(MADE / "example-profile.json", place)
    found = finding()
    assert found.severity == "ok"
    assert found.what.startswith(f"{place}, measured on ")
    named = place.with_name("named.json")
    shutil.copy(place, named)
    monkeypatch.setenv("GROMA_PROFILE", str(named))
    assert finding().what.startswith(f"{named} (named by GROMA_PROFILE)")


def test_a_site_profile_stands_in_for_that_of_the_user(place: Path) -> None:
    site = place.parents[1] / "site" / "groma" / "profile.json"
    site.parent.mkdir(parents=True)
    shutil.copy(MADE / "example-profile.json", site)
    assert finding().what.startswith(str(site))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "profile.unreadable"),
        ('{"schema": "groma.record/1", "kind": "mapping"}', "profile.unreadable"),
    ],
)
def test_a_file_that_is_no_profile_is_no_defect_of_measurements(place: Path, text: str, code: str) -> None:
    place.write_text(text)
    found = finding()
    assert (found.code, found.severity, found.repair) == (code, "info", "groma survey --default")


def test_a_record_of_another_kind_is_named(place: Path) -> None:
    write_record(
        place, analysis_record(MAPPING, MappingFacts(mapping=[], quality=MappingQuality(hop_bytes=0)))
    )
    found = finding()
    assert (found.code, found.severity) == ("profile.foreign", "info")
    assert "kind mapping" in found.what


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "profile.unreadable"),
        ("Begin of Summary section.\nStarSTREAM_Triad=10\nEnd of Summary section.\n", "profile.foreign"),
    ],
)
def test_what_the_variable_names_is_not_to_be_replaced(
    place: Path, text: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = place.with_name("hpccoutf.txt")
    named.write_text(text, encoding="utf-8")
    monkeypatch.setenv("GROMA_PROFILE", str(named))
    found = finding()
    assert found.code == code
    assert found.repair == "let GROMA_PROFILE name a profile, or unset it"
