"""groma sim: simulate a program or a benchmark on another machine."""

from __future__ import annotations

import importlib

import click

from groma.cli.frame import VerbGroup


class _Simulators(VerbGroup):
    """The simulators, imported when they are used."""

    NAMES = ("torus",)

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(self.NAMES)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in self.NAMES:
            return None
        found: click.Command = importlib.import_module(f"groma.cli.sim_{name}").command
        return found


@click.group(
    cls=_Simulators,
    examples=["groma sim torus run --machine bluegene-p --shape 8x8x8  # RandomAccess on 512 nodes"],
)
def command() -> None:
    """Simulate what a machine would do."""
