"""The profile that a verb reads where no file is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.record.reading import known

if TYPE_CHECKING:
    from groma.cli.frame import Output


def usual_profile(output: Output) -> Path:
    """What `groma survey` writes by default. Raises GromaError (exit code 2) where it is not there."""
    path = Path(output.settings().survey.output)
    if not known(path.exists):
        raise GromaError(
            f"no file is named, and there is no {path} here", "name a record, or measure with: groma survey"
        )
    return path
