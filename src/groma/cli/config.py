"""groma config: print the settings in force and the origin of each, or write a settings file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.frame import Output, VerbGroup, pass_output
from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from groma.config import Resolved
    from groma.report.document import Document


@click.group(
    cls=VerbGroup,
    examples=[
        "groma config show --origin  # the settings in force and their origins",
        "groma config init  # write a file that explains all settings",
        "GROMA_SURVEY_DEPTH=quick groma survey  # change one setting for one command",
    ],
)
def command() -> None:
    """Show or initialise the settings.

    Later sources override earlier ones: built-in values, system file, user file, project file (groma.toml),
    GROMA_* variables, command line.
    """


@command.command(
    "show",
    examples=[
        "groma config show  # all settings; values are written as in a settings file",
        "groma config show --origin --json  # with origins, for a program",
    ],
)
@click.option("--origin", is_flag=True, help="Print where each value was set.")
@pass_output
def show(output: Output, *, origin: bool) -> None:
    """Show all settings in force."""
    from groma.config import load_resolved  # noqa: PLC0415

    resolved = load_resolved()
    output.show(_model(resolved, origin=origin), lambda: _document(resolved, origin=origin))


def _model(resolved: Resolved, *, origin: bool) -> Any:
    if not origin:
        return resolved.settings
    return {
        name: {"value": value, "layer": resolved.origins[name].layer, "place": resolved.origins[name].place}
        for name, value in resolved.values().items()
    }


def _document(resolved: Resolved, *, origin: bool) -> Document:
    from groma.config.template import to_toml  # noqa: PLC0415
    from groma.report.document import Table, one_section  # noqa: PLC0415

    columns = ["setting", "value", *(["set by"] if origin else [])]
    rows = [
        [name, "" if value is None else to_toml(value), *([str(resolved.origins[name])] if origin else [])]
        for name, value in resolved.values().items()
    ]
    return one_section(Table(columns, rows))


@command.command(
    "init",
    examples=[
        "groma config init  # for this user",
        "groma config init --project  # for all users of this folder",
    ],
    needs_settings=False,
)
@click.option("--project", is_flag=True, help="Write groma.toml in this folder instead of the user file.")
@pass_output
def init(output: Output, *, project: bool) -> None:
    """Write a file that explains every setting, all of them commented out."""
    from groma.config.layers import PROJECT_FILE, ConfigSources  # noqa: PLC0415
    from groma.config.template import write_default_file  # noqa: PLC0415
    from groma.report.document import Text, one_section  # noqa: PLC0415

    path = Path(PROJECT_FILE) if project else ConfigSources.current().user_file()
    if path is None:
        raise GromaError(
            "no folder for your settings is known: HOME is not set to one",
            "set HOME or XDG_CONFIG_HOME, or use --project",
            ExitCode.ENVIRONMENT,
        )
    write_default_file(path, "XDG_CONFIG_HOME, without --project" if project else "--project")
    output.show({"written": str(path)}, lambda: one_section(Text([f"written: {path}"])))
