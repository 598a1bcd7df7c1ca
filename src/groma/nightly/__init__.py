"""What runs the suite every night: a script for Slurm and a class for ReFrame, to be copied and changed."""

from __future__ import annotations

from importlib import resources
from typing import NamedTuple


class Template(NamedTuple):
    """`file` is what a copy of it is called."""

    file: str
    what: str

    @property
    def text(self) -> str:
        return resources.files(__name__).joinpath("templates", self.file).read_text(encoding="utf-8")


TEMPLATES = {
    "slurm": Template("nightly.sbatch", "a batch script for Slurm"),
    "reframe": Template("groma_checks.py", "a test class for ReFrame"),
}
