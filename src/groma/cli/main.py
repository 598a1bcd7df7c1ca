"""Entry point: finds the verb, runs it, turns failures into one line and an exit code.

A verb is a module of this package whose first line reads `groma NAME: summary`; it is imported only when
it is used, so that `groma --help` stays fast. Nothing else has to be edited to add one.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from click.shell_completion import CompletionItem

from groma import __version__
from groma.cli.ending import interrupting
from groma.cli.frame import Output, VerbGroup
from groma.cli.shortage import shortage_behind
from groma.cli.streams import Streams, take_over
from groma.errors import ExitCode, GromaError
from groma.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIRST_LINE = re.compile(r'"""groma (?P<name>[a-z-]+): (?P<summary>.*?)(""")?$')

_COMPLETION = "_GROMA_COMPLETE"

EXAMPLES = (
    "groma survey --quick  # a first survey of this machine in seconds",
    "groma show groma-profile.json  # print a profile",
    "groma doctor  # what is missing and what disturbs measurements",
)


class VerbFile(NamedTuple):
    module: str
    summary: str


@functools.cache
def verbs(folder: Path = Path(__file__).parent) -> dict[str, VerbFile]:
    """Every verb with its module and summary, read from the first lines of this package's files."""
    found = {}
    for file in sorted(folder.glob("*.py")):
        with file.open(encoding="utf-8") as stream:
            match = _FIRST_LINE.match(stream.readline().rstrip())
        if match:
            found[match["name"]] = VerbFile(f"groma.cli.{file.stem}", match["summary"])
    return found


class Verbs(VerbGroup):
    """The verbs of groma, imported when they are used."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(verbs())

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in verbs():
            return None
        command: click.Command = importlib.import_module(verbs()[name].module).command
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.summary) for name, verb in verbs().items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(n, help=v.summary) for n, v in verbs().items() if n.startswith(incomplete)]


def _print_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    output, built = context.ensure_object(Output), []
    if output.verbose:
        from groma.cli.build_summary import build_summary  # noqa: PLC0415

        built = list(build_summary())
    if output.json:
        output.show_json({"version": __version__} | ({"build": built} if built else {}))
    else:
        click.echo("\n".join([f"groma {__version__}", *built]))
    context.exit()


@click.group(cls=Verbs, examples=EXAMPLES)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version; with -v also how groma was built.",
)
def groma() -> None:
    """Survey parallel computers."""


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one run of the command line; nothing is raised, errors go to stderr."""
    output = Output()
    try:
        code = groma.main(
            args=None if arguments is None else list(arguments),
            prog_name="groma",
            complete_var=_COMPLETION,
            standalone_mode=False,
            obj=output,
        )
    except SystemExit as left:
        return _completed(left.code)
    except Exception as error:  # noqa: BLE001  (the one place where failures become exit codes)
        return _explain(error, output)
    except KeyboardInterrupt as interrupt:
        return _interrupted(interrupt)
    return int(code or 0)


def _completed(code: object) -> int:
    """Words were completed for a shell (0), or it asked for what is not known (1)."""
    if not code:
        return ExitCode.OK
    what = f"{_COMPLETION}={os.environ.get(_COMPLETION, '')} is not a known completion step"
    return _report(what, "use bash_source, zsh_source or fish_source", ExitCode.USAGE)


_PERMIT = "name another place, or have yourself permitted to use it"


def _interrupted(by: BaseException | None) -> int:
    """`by` is the KeyboardInterrupt, which names the signal where that does not go without saying."""
    name = str(by) if isinstance(by, KeyboardInterrupt) else ""
    return _report(f"interrupted{name}", "", ExitCode.INTERRUPTED)


def _explain(error: Exception, output: Output) -> int:
    """Say what went wrong on stderr; the exit code that belongs to it."""
    match error:
        case click.Abort():
            return _interrupted(error.__cause__)
        case GromaError():
            return _report(error.what, error.next_step, error.exit_code, error.remarks)
        case click.ClickException():
            return _wrong_use(error)
        case PermissionError() if error.filename:
            return _report(f"{error.filename}: permission denied", _PERMIT, ExitCode.ENVIRONMENT)
        case _:
            lacking = shortage_behind(error)
            return _internal(error, output) if lacking is None else _explain(lacking, output)


def _wrong_use(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return ExitCode.USAGE
    context = error.ctx if isinstance(error, click.UsageError) else None
    step = _instead(error, context) or f"{context.command_path if context else 'groma'} --help"
    return _report(_one_line(error.format_message()), step, ExitCode.USAGE)


def _instead(error: click.ClickException, context: click.Context | None) -> str:
    """What the verb offers in place of an option that it does not have, or which of its verbs have it."""
    if context is None or not isinstance(error, click.NoSuchOption):
        return ""
    if isinstance(context.command, click.Group) and context.parent is not None:
        verbs = _verbs_with(error.option_name, context.command, context)
        return f"name a verb before {error.option_name}: {', '.join(verbs)}" if verbs else ""
    return str(getattr(context.command, "instead", {}).get(error.option_name, ""))


def _verbs_with(option: str, group: click.Group, context: click.Context) -> list[str]:
    verbs = {
        name: group.get_command(context, name) for name in group.commands or group.list_commands(context)
    }
    return [
        f"{context.command_path} {name}"
        for name, verb in verbs.items()
        if verb is not None and any(option in parameter.opts for parameter in verb.params)
    ]


def _internal(error: Exception, output: Output) -> int:
    if output.verbose:
        import traceback  # noqa: PLC0415

        for line in "".join(traceback.format_exception(error)).splitlines():
            click.echo(printable(line), err=True)
    what = f"internal error: {type(error).__name__}: {_one_line(str(error))}"
    step = "report this with the output of groma --version -v; the same command with -v prints a trace"
    return _report(what, step, ExitCode.INTERNAL)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _report(what: str, next_step: str, code: ExitCode, remarks: Sequence[str] = ()) -> int:
    click.echo(f"groma: {printable(what)}", err=True)
    if next_step:
        click.echo(f"  -> {printable(next_step)}", err=True)
    for remark in remarks:
        click.echo(f"  note: {printable(remark)}", err=True)
    return int(code)


def main() -> None:
    streams = take_over()
    sys.exit(_delivered(_run_to_the_end(), streams))


def _run_to_the_end() -> int:
    """As `run`, whatever signal comes."""
    try:
        with interrupting():
            return run()
    except KeyboardInterrupt:  # before or after its work
        return _explain(click.Abort(), Output())


def _delivered(code: int, streams: Streams) -> int:
    """The exit code of a run, once what it printed has left this process."""
    sys.stdout.flush()
    failed = streams.out.failed
    if failed is None or code != ExitCode.OK:
        return code
    what = f"cannot write to standard output: {(failed.strerror or str(failed)).lower()}"
    step = "the command is complete otherwise; send its output to another place"
    return _report(what, step, ExitCode.ENVIRONMENT)
