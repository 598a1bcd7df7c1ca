"""What every verb shares: output options, examples in the help, hints after a mistake."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import augment_usage_errors

from groma.cli.completion import FileName
from groma.errors import GromaError
from groma.printable import printable, printable_json
from groma.spelling import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from groma.config import Resolved, Settings
    from groma.record import Record
    from groma.report.document import Document

F = TypeVar("F", bound="Callable[..., Any]")


@dataclass
class Output:
    """How the user wants results shown. One of it exists per run; verbs get it with `@pass_output`."""

    json: bool = False
    color: str | None = None
    quiet: bool = False
    verbose: bool = False
    has_file: bool = False
    """Standard output is a file that the verb writes, as with `-o`: text in it would be damage."""

    def show(self, model: Any, document: Callable[[], Document]) -> None:
        """Print one model as JSON, rich tables or plain text, unless standard output is the file."""
        if self.has_file:
            return
        if self.json:
            self.show_json(model)
        elif sys.stdout.isatty() or self._color_choice() == "always":
            self._show_rich(document())
        else:
            self._show_plain(document())

    def say(self, line: str) -> None:
        """A remark on stderr, where it disturbs neither pipes nor JSON."""
        if not self.quiet:
            click.echo(printable(line), err=True)

    def say_record(self, path: Path, *, noun: str = "record", also: str = "") -> None:
        """Where a record lies, and the command that makes a page of it."""
        from groma.record.unfinished import command_line  # noqa: PLC0415

        report = command_line("groma", "report", str(path))
        self.say(f"{noun}: {path}   {also}({report} makes a page)")

    def settings(self, **overrides: Any) -> Settings:
        """All settings; `survey__depth="quick"` stands for `survey.depth` given on the command line."""
        return self.resolved(**overrides).settings

    def resolved(self, **overrides: Any) -> Resolved:
        """As `settings`, with the origin of each."""
        from groma.config import load_resolved  # noqa: PLC0415

        given = {key.replace("__", "."): value for key, value in overrides.items() if value is not None}
        return load_resolved(overrides=given)

    def check_settings(self) -> None:
        """Refuse wrong settings before anything is done, and say which files were left unread."""
        from groma.config import load_resolved  # noqa: PLC0415

        for path, reason in load_resolved().unread.items():
            self.say(f"groma: {path} was not read: {reason}")

    def _color_choice(self) -> str:
        """`--color`, else NO_COLOR, else the settings."""
        if self.color is not None:
            return self.color
        return "never" if os.environ.get("NO_COLOR") else str(self.settings().output.color)

    def show_json(self, model: Any) -> None:
        """Of what is no document, such as a version."""
        import msgspec  # noqa: PLC0415

        from groma.record.io import encoded  # noqa: PLC0415

        document = msgspec.json.format(encoded(model), indent=2).decode()
        click.echo(printable_json(document))

    def _show_rich(self, document: Document) -> None:
        from groma.report.renderers import print_rich  # noqa: PLC0415

        print_rich(document, sys.stdout, color=self._color_choice() != "never", width=_least_width())

    def _show_plain(self, document: Document) -> None:
        from groma.report.renderers import plain  # noqa: PLC0415

        sys.stdout.write(plain(document))


_LEAST_WIDTH = 40


def _least_width() -> int | None:
    """None leaves the width to the terminal. In fewer columns, as COLUMNS may say, tables hold no text."""
    given = os.environ.get("COLUMNS", "")
    return _LEAST_WIDTH if given.isdecimal() and int(given) < _LEAST_WIDTH else None


pass_output = click.make_pass_decorator(Output, ensure=True)


def redact_option(function: F) -> F:
    """The option `--redact`, as the argument `redact` of a verb."""
    return click.option("--redact", is_flag=True, help="Leave host and user names out.")(function)


def part_option(ending: str) -> Callable[[F], F]:
    """The option `-o` of a verb that writes a part of a trace, as its argument `target`."""
    return click.option(
        "-o",
        "--output",
        "target",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help=f"Write to this file (default: NAME{ending} beside the trace).",
    )


class ReadFile(NamedTuple):
    """A file, what is shown of its path, and its records: one, or every run of an hpccoutf.txt.

    `hosts` are the names that were left out.
    """

    path: Path
    place: str
    records: list[Record[Any]]
    hosts: frozenset[str] = frozenset()


def read_files(paths: Iterable[Path], *, redact: bool = False) -> list[ReadFile]:
    """The records of each file, without names where that is asked for; a folder of groma trace stands for its
    record. Raises what `read_record` raises.
    """
    from groma.facts.opening import records_in  # noqa: PLC0415
    from groma.record.redact import hosts_named_in  # noqa: PLC0415
    from groma.record.trace_folder import RECORD, file_in  # noqa: PLC0415

    named = [file_in(path, RECORD) for path in paths]
    files = [ReadFile(path, str(path), records_in(path)) for path in named]
    if not redact:
        return files
    # Together: a host has one number in all of them.
    hosts = frozenset(host for one in files for record in one.records for host in hosts_named_in(record))
    return [_redacted(one, hosts) for one in files]


def _redacted(one: ReadFile, hosts: frozenset[str]) -> ReadFile:
    from groma.record.redact import redacted_here, redacted_path  # noqa: PLC0415

    records = [redacted_here(record, hosts) for record in one.records]
    return ReadFile(one.path, redacted_path(one.place, hosts), records, hosts)


def read_records(paths: Iterable[Path], *, redact: bool = False) -> list[list[Record[Any]]]:
    """As `read_files`: the records alone."""
    return [one.records for one in read_files(paths, redact=redact)]


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a shared option; one given before the verb holds unless it is given again after it."""
    if value not in {None, False} and parameter.name:
        setattr(context.ensure_object(Output), parameter.name, value)


def _shared_options() -> list[click.Parameter]:
    def option(*names: str, **settings: Any) -> click.Option:
        return click.Option(names, expose_value=False, callback=_remember, is_eager=True, **settings)

    return [
        option("--json", is_flag=True, help="Print JSON."),
        option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            help="Colours and rich tables (default: auto, on terminals).",
        ),
        option("-q", "--quiet", is_flag=True, help="Print only results and errors."),
        option(
            "-v", "--verbose", is_flag=True, help="Print more detail, and the trace of an internal error."
        ),
    ]


class _Framed(click.Command):
    """Adds the shared options and the examples to a command or a group."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        settings.setdefault(
            "context_settings", {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        )
        super().__init__(*arguments, **settings)
        self.examples = examples
        self.params.extend(_shared_options())
        for one in self.params:
            if one.type is click.STRING and one.metavar == "FILE":
                one.type = FileName()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            with augment_usage_errors(ctx):
                _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            _refuse_repetition(ctx, given)
        left = super().parse_args(ctx, args)
        for one in self.params:
            target = ctx.params.get(one.name or "")
            if not target or not _OUTPUT.intersection(one.opts):
                continue
            if str(target) == "-":
                raise _no_dash(one)
            if _is_standard_output(str(target)):
                ctx.ensure_object(Output).has_file = True
        return left

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    _write_example(formatter, line)
        super().format_epilog(ctx, formatter)


def _refuse_repetition(ctx: click.Context, given: Iterable[click.Parameter]) -> None:
    """Of two values for one name the last would win and nobody would see it. Raises UsageError.

    Options that differ may set the same name (--depth, --quick); a flag that is repeated says nothing new.
    """
    first: dict[str | None, click.Option] = {}
    for one in given:
        if not isinstance(one, click.Option) or one.multiple or one.count:
            continue
        other = first.setdefault(one.name, one)
        if other is not one:
            raise click.UsageError(f"{_spelling(other)} and {_spelling(one)} cannot be combined", ctx)
    for name, times in Counter(one.name for one in given).items():
        option = first.get(name)
        if times > 1 and option is not None and not option.is_flag:
            raise click.UsageError(f"{_spelling(option)} is given {times} times but takes one value", ctx)


_OUTPUT = {"-o", "--output", "--launch-file", "--paraver", "--write-reference"}
"""Options that name what is written. Those of groma export take a dash themselves."""


def _no_dash(option: click.Parameter) -> GromaError:
    """Standard output shows the results already: a file that went there would mix with them."""
    what, name = _spelling(option), option.opts[0]
    if option.metavar == "DIR":
        return GromaError(f"{what} needs the name of a folder, and - is none", "./- is a folder called -")
    return GromaError(
        f"{what} needs the name of a file, and - is none",
        "--json prints the results as JSON; "
        f"{name} /dev/stdout writes to standard output, ./- to a file called -",
    )


def _is_standard_output(path: str) -> bool:
    try:
        own = os.fstat(sys.__stdout__.fileno() if sys.__stdout__ else -1)
        return os.path.samestat(Path(path).stat(), own)
    except (OSError, ValueError):
        return False


def _spelling(option: click.Parameter) -> str:
    return "/".join(option.opts)


def _write_example(formatter: click.HelpFormatter, line: str) -> None:
    """The comment goes above the command, so that neither is broken on a terminal of 80 columns."""
    command, _, what = line.partition("  # ")
    if what:
        formatter.write_text(f"# {what}")
    formatter.write(f"{' ' * formatter.current_indent}$ {command}\n")


class Verb(_Framed):
    """`@click.command(cls=Verb, examples=["groma show profile.json  # what it does"])`.

    Wrong settings stop it before it does anything, unless it does not need them. `instead` says what to do
    where an option of other verbs is given to it.
    """

    def __init__(
        self,
        *arguments: Any,
        needs_settings: bool = True,
        instead: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.needs_settings = needs_settings
        self.instead = instead or {}

    def invoke(self, ctx: click.Context) -> Any:
        if self.needs_settings:
            ctx.ensure_object(Output).check_settings()
        return super().invoke(ctx)


class VerbGroup(_Framed, click.Group):
    """A verb with sub-verbs, such as `groma config`; unknown ones are answered with the nearest name."""

    command_class = Verb

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[:1] == ["help"]:
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
            args = [*args[1:], "--help"]
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise unknown(
                f"{ctx.command_path} command", args[0], self.list_commands(ctx), f"{ctx.command_path} --help"
            )
        return super().resolve_command(ctx, args)


def unknown(kind: str, name: str, known: Iterable[str], where: str) -> GromaError:
    """The refusal of an unknown name: the nearest known one, or the command that lists them."""
    return GromaError(f"unknown {kind} {name!r}", f"{did_you_mean(name, known)}to list all: {where}")
