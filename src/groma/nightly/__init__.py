"""What runs the suite every night: a script for Slurm and a class for ReFrame, to be copied and changed."""

from __future__ import annotations

import json
import shlex
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Template(NamedTuple):
    """`file` is what a copy of it is called.

    `program` is the place in it that names groma, with {} for the path; `quoted` writes a path in its
    language.
    """

    file: str
    what: str
    program: str
    quoted: Callable[[str], str]

    @property
    def text(self) -> str:
        """It calls the groma that PATH names."""
        return resources.files(__name__).joinpath("templates", self.file).read_text(encoding="utf-8")

    def calling(self, path: str) -> str:
        """The text, calling the groma at this path: a job may have another PATH than who printed it."""
        usual, own = (self.program.replace("{}", self.quoted(one)) for one in ("groma", path))
        return self.text.replace(usual, own)


TEMPLATES = {
    "slurm": Template("nightly.sbatch", "a batch script for Slurm", "${NIGHTLY_GROMA:-{}}", shlex.quote),
    "reframe": Template(
        "groma_checks.py", "a test class for ReFrame", "str, value={})  # the program", json.dumps
    ),
}
