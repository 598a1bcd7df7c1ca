"""A page is its template with the records in it, written whole or not at all."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.record import Build, Record
from groma.report import page
from groma.report.page import render_page, write_page
from groma.report.template import MAX_PLAIN, PLACEHOLDER, fill

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEMPLATE = f"<html><body>{PLACEHOLDER}<p>after</p></body></html>"


def record(facts: Any) -> Record[Any]:
    return Record(
        kind="other",
        created="2025-03-01T00:00:00+00:00",
        command=["groma"],
        build=Build(version="0"),
        environment={},
        parameters={},
        samples={},
        facts=facts,
    )


def content_of(html: str) -> Any:
    found = re.search(r'<script type="([^"]+)" id="groma-records">(.*?)</script>', html, re.DOTALL)
    assert found
    kind, text = found.groups()
    return json.loads(gzip.decompress(base64.b64decode(text)) if kind == "application/gzip" else text)


def texts_in(content: Any) -> Iterator[str]:
    """All texts of a page, wherever they stand."""
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else []
    for part in parts:
        yield from texts_in(part)
    if isinstance(content, str):
        yield content


def test_records_stand_in_the_page_in_their_order() -> None:
    html = render_page([("b", record(1)), ("a", record(2))], template=TEMPLATE)
    content = content_of(html)
    assert [one["name"] for one in content.get("$value", content)["records"]] == ["b", "a"]
    assert html.endswith("<p>after</p></body></html>")


@pytest.mark.parametrize("hostile", ["</script><b>", "<!--<script>", "a\u2028b\u2029c", "</SCRIPT >"])
def test_text_in_a_record_cannot_leave_its_element(hostile: str) -> None:
    html = render_page([("a", record(hostile))], template=TEMPLATE)
    assert hostile in set(texts_in(content_of(html)))
    assert hostile not in html
    assert html.lower().count("</script") == 1


def test_same_records_give_the_same_page() -> None:
    facts = ["x" * 60] * (MAX_PLAIN // 30)
    first, second = (render_page([("a", record(facts))], template=TEMPLATE) for _ in range(2))
    assert first == second


def test_long_content_is_compressed_and_comes_back_whole() -> None:
    facts = [f"entry {i}" for i in range(MAX_PLAIN // 8)]
    html = render_page([("a", record(facts))], template=TEMPLATE)
    assert 'type="application/gzip"' in html
    assert len(html) < MAX_PLAIN
    assert set(facts) <= set(texts_in(content_of(html)))


def test_template_without_slot_is_refused() -> None:
    with pytest.raises(GromaError, match="another version") as caught:
        fill("<html></html>", "{}")
    assert caught.value.exit_code == ExitCode.ENVIRONMENT


def test_missing_template_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "TEMPLATE", "assets/never-built.html")
    with pytest.raises(GromaError) as caught:
        render_page([("a", record(1))])
    assert "make setup" in caught.value.next_step
    assert caught.value.exit_code == ExitCode.ENVIRONMENT


def test_page_replaces_an_older_one(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")
    write_page(target, "<html>ä</html>")
    assert target.read_text(encoding="utf-8") == "<html>ä</html>"
    assert list(tmp_path.iterdir()) == [target]


def test_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="cannot write") as caught:
        write_page(tmp_path / "missing" / "page.html", "<html></html>")
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
