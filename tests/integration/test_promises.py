"""What the documents promise of the tree holds for every file of it."""

from __future__ import annotations

import gzip
import re
import subprocess
from pathlib import Path

import pytest

from groma.cli.main import verbs
from groma.launch import native

ROOT = Path(__file__).parents[2]
TEXT_NAMESPACES = ("www.w3.org", "json-schema.org", "www.apache.org/licenses", "simgrid.org/simgrid.dtd")
"""Names of formats, licences and document types: nobody asks these hosts."""
BINARY = {".png", ".ico", ".woff2"}

HOST = re.compile(r"https?://([\w./-]+)")


def committed() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def texts() -> list[tuple[str, str]]:
    """Relative name and content of every committed text but this one; npm writes its lock file itself."""
    kept_out = {Path(__file__).name, "package-lock.json"}
    chosen = [one for one in committed() if one.suffix not in BINARY and one.name not in kept_out]
    return [(str(one.relative_to(ROOT)), content(one).decode()) for one in chosen]


def content(path: Path) -> bytes:
    """Also of a compressed text."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def probes() -> list[str]:
    return [info.name for info in native.catalogue(native.native_program())]


def test_every_probe_has_a_method_page() -> None:
    assert [name for name in probes() if not (ROOT / f"docs/probes/{name}.md").is_file()] == []


def test_every_method_page_belongs_to_a_probe() -> None:
    assert sorted(page.stem for page in (ROOT / "docs/probes").glob("*.md")) == sorted(probes())


def test_every_probe_is_one_source_file_and_has_a_test() -> None:
    tests = [
        *ROOT.glob("native/**/*_test.cpp"),
        *ROOT.glob("src/**/test_*.py"),
        *ROOT.glob("tests/**/test_*.py"),
    ]
    tested = "\n".join(one.read_text(encoding="utf-8") for one in tests)
    for name in probes():
        assert (ROOT / f"native/survey/{name}.cpp").is_file(), name
        assert re.search(rf"\b{name}\b", tested), name


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    places = [f"{place}/" for place in {ROOT, Path.home()} if len(place.parts) > 1]
    assert [name for name, text in texts() if any(place in text for place in places)] == []


def test_no_file_names_a_download_address() -> None:
    found = {name: host for name, text in texts() for host in HOST.findall(text)}
    assert {name: host for name, host in found.items() if not host.startswith(TEXT_NAMESPACES)} == {}


def test_the_map_of_the_native_tree_names_every_folder() -> None:
    readme = (ROOT / "native/README.md").read_text()
    folders = [one.name for one in (ROOT / "native").iterdir() if one.is_dir()]
    assert [name for name in folders if f"`{name}/`" not in readme] == []


def test_the_readme_names_exactly_the_verbs_that_there_are() -> None:
    readme = (ROOT / "README.md").read_text()
    assert set(re.findall(r"^\| `groma ([a-z-]+)", readme, re.MULTILINE)) == set(verbs())


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_every_page_is_in_the_index(page: str) -> None:
    assert page == "README.md" or f"]({page})" in (ROOT / "docs/README.md").read_text()


def test_documents_wrap_at_120_columns() -> None:
    """Tables apart: a row is one line."""
    long = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in committed()
        if page.suffix == ".md"
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > 120 and not line.startswith("|")
    ]
    assert long == []


def test_every_link_between_documents_leads_somewhere() -> None:
    links = [
        (page, target)
        for page in committed()
        if page.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[\w-]*)?\)", page.read_text())
    ]
    broken = [(page.name, target) for page, target in links if not (page.parent / target).exists()]
    assert broken == []
