"""The report page: one self-contained HTML file, made of a built template and the records' content."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from groma.errors import ExitCode, GromaError
from groma.record.writing import write_atomically
from groma.report.payload import encode, page_of
from groma.report.template import fill

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.record import Record
    from groma.report.payload import Against

TEMPLATE = "assets/report.html"


def render_page(
    records: Sequence[tuple[str, Record[Any]]],
    *,
    against: Against | None = None,
    template: str | None = None,
) -> str:
    """The page over named records (the name is what a comparison calls them), in their order.

    `against` are comparisons with older records, shown in place. `template` replaces the built one. Raises
    GromaError (exit code 4) where the template was not built.
    """
    html = built_template() if template is None else template
    return fill(html, encode(page_of(records, against)).decode())


def write_page(path: Path, html: str) -> None:
    """Write the page as a whole or not at all. Raises GromaError (exit code 4)."""
    write_atomically(path, html.encode())


def built_template() -> str:
    """The page without records, as `npm run build` in `viewer/` leaves it."""
    try:
        return resources.files("groma.report").joinpath(TEMPLATE).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise GromaError(
            "the report page was not built", "run make setup (it needs node and npm)", ExitCode.ENVIRONMENT
        ) from None
