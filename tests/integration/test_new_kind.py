"""A kind of record is added by files of its own: no list of kinds is edited."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src/groma"

FACTS = """
import msgspec

from groma.facts.kinds import ForeignFile, Kind
from groma.record import Quantity


class AstrolabeFacts(msgspec.Struct, kw_only=True):
    altitude: Quantity


KIND = Kind(
    name="astrolabe",
    title="Astrolabe",
    what="the altitude of a star",
    facts=AstrolabeFacts,
    schema="astrolabe",
    sections="groma.report.kinds.astrolabe:SECTIONS",
    foreign=ForeignFile(
        called="a log of an astrolabe", marks=(b"ALTITUDE",), reader="groma.facts.astrolabe:read"
    ),
)


def read(content, name):
    from groma.record import Build, Record

    value = float(content.split()[1])
    seen = Quantity(value=value, unit="rad", low=value, high=value, confidence=0.9, method="read")
    return [
        Record(
            kind="astrolabe", created="", command=[], build=Build(version="1"), environment={"captured": ""},
            parameters={}, samples={}, facts=AstrolabeFacts(altitude=seen),
        )
    ]
"""

SECTIONS = """
from groma.record.units import format_quantity
from groma.report.document import Pairs
from groma.report.terminal import Sections

SECTIONS = Sections()


@SECTIONS.section("star", "A star", "facts", "altitude")
def star(record):
    return [Pairs([("altitude", format_quantity(record.facts.altitude))])]
"""

# Without the finder of the editable installation, which would give the checked-out package.
HERE = """
import sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in type(one).__module__]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A groma that knows one kind more."""
    shutil.copytree(
        SOURCES, tmp_path / "groma", ignore=shutil.ignore_patterns("__pycache__", "test_*", "assets")
    )
    (tmp_path / "groma/facts/astrolabe.py").write_text(FACTS, encoding="utf-8")
    (tmp_path / "groma/report/kinds/astrolabe.py").write_text(SECTIONS, encoding="utf-8")
    return tmp_path


def python(folder: Path, program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", HERE + program],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def groma(folder: Path, *words: str) -> str:
    return python(folder, f"from groma.cli.main import main; sys.argv = ['groma', *{words!r}]; main()")


def test_the_terminal_shows_it_and_its_foreign_files(folder: Path) -> None:
    (folder / "star.txt").write_text("ALTITUDE 0.5\n", encoding="utf-8")
    assert "altitude  0.5" in groma(folder, "show", "star.txt")
    assert json.loads(groma(folder, "show", "star.txt", "star", "--json"))["star"]["unit"] == "rad"


def test_it_has_a_schema(folder: Path) -> None:
    listed = python(folder, "from groma.schema import schemas; print(*schemas())")
    assert "astrolabe.schema.json" in listed.split()


def test_the_page_has_its_facts(folder: Path) -> None:
    page = python(
        folder,
        "from groma.facts.astrolabe import read; from groma.report.page import render_page;"
        "from groma.report.template import PLACEHOLDER;"
        "print(render_page([('star', read(b'ALTITUDE 0.5', 'star')[0])], template=PLACEHOLDER))",
    )
    assert "altitude" in page
