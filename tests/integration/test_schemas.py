"""What groma writes fits the schemas that it publishes: a record of every kind."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.cli.main import run
from groma.facts.kinds import kind_named, known_kinds
from groma.record.io import encoded
from groma.schema import record_type

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests/data"

MADE = {
    "survey": ("example_network.py", "example_record"),
    "hpcc": ("example_hpcc.py", "example_record"),
    "randomaccess": ("example_randomaccess.py", "example_run"),
    "randomaccess_errors": ("example_randomaccess.py", "example_errors"),
    "randomaccess_owner": ("example_randomaccess.py", "example_owner"),
    "randomaccess_bottleneck": ("example_randomaccess.py", "example_bottleneck"),
    "mapping": ("example_mapping.py", "example_mapping"),
    "torus": ("example_torus.py", "example_run"),
    "torus_study": ("example_torus.py", "example_study"),
    "trace": ("example_trace.py", "example_trace"),
}
"""Scripts that make records of runs, and their functions."""

REGIONS = """
from groma.counters import region, value
with region("outer"), region("inner"):
    value("step", 7)
"""


def assert_fits(content: bytes, name: str) -> None:
    """The schema of a kind is that of this type (groma.schema), so that what the type takes is valid."""
    kind = kind_named(name)
    assert kind is not None
    assert msgspec.json.decode(content, type=record_type(kind)).kind == name


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bytes]:
    monkeypatch.syspath_prepend(DATA)

    def content(name: str) -> bytes:
        script, function = MADE[name]
        record: Any = runpy.run_path(str(DATA / script))[function]()
        return encoded(record)

    return content


@pytest.fixture
def _a_folder_with_one_record(
    made: Callable[[str], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.json").write_bytes(made("hpcc"))


@pytest.mark.parametrize("name", MADE)
def test_a_record_of_a_run_fits_its_schema(name: str, made: Callable[[str], bytes]) -> None:
    assert_fits(made(name), name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("balance", ["balance", "one.json", "--json"]),
        ("comparison", ["compare", "one.json", "one.json", "--json"]),
        ("history", ["history", "one.json", "--json"]),
    ],
)
@pytest.mark.usefixtures("_a_folder_with_one_record")
def test_a_record_of_other_records_fits_its_schema(
    name: str, words: list[str], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(words) == 0
    assert_fits(capfdbinary.readouterr().out, name)


def test_a_record_of_regions_fits_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (ROOT / "build/default/native/profile/libgroma.so").is_file():
        pytest.skip("libgroma is not built")
    file = tmp_path / "r.json"
    monkeypatch.setenv("GROMA_REGIONS", str(file))
    monkeypatch.setenv("GROMA_COUNTERS", "software")
    subprocess.run([sys.executable, "-c", REGIONS], check=True)
    assert_fits(file.read_bytes(), "regions")


def test_every_kind_is_among_these() -> None:
    assert {kind.name for kind in known_kinds()} == {*MADE, "balance", "comparison", "history", "regions"}
