"""groma counters: list what this machine can count, check events, count a program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, VerbGroup, pass_output
from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from groma.counters.native import RunCounts


@click.group(
    "counters",
    cls=VerbGroup,
    invoke_without_command=True,
    examples=[
        "groma counters  # what can be counted, and why the rest cannot",
        "groma counters check cycles instructions cache-misses  # can these be counted together?",
        "groma counters run --group software -- ./program  # count a program and its children",
    ],
)
@click.pass_context
@pass_output
def command(output: Output, context: click.Context) -> None:
    """List the events that this machine can count, and the groups of metrics. Each event is tried out."""
    if context.invoked_subcommand is not None:
        return
    from groma.counters.native import counter_list  # noqa: PLC0415
    from groma.report.counters import list_document  # noqa: PLC0415

    found = counter_list(output.settings().native.path)
    output.show(found, lambda: list_document(found))


@command.command(
    "check",
    cls=Verb,
    examples=[
        "groma counters check page-faults tsc  # can these be counted together?",
        "groma counters check ipc caches --json  # groups stand for their events; as JSON",
    ],
)
@click.argument("events", metavar="EVENT...", nargs=-1, required=True)
@pass_output
def check(output: Output, events: tuple[str, ...]) -> None:
    """Open EVENTs or groups together to see which collide.

    Prints those that collide, and a schedule that counts all of them over several runs. The exit code is 4 if
    none of them can be counted.
    """
    from groma.counters.native import checked_plan, listed_names  # noqa: PLC0415
    from groma.report.counters import check_document  # noqa: PLC0415

    plan = checked_plan(listed_names(",".join(events)), output.settings().native.path)
    output.show(plan, lambda: check_document(plan))
    if not plan.runs:
        raise GromaError(
            "no event can be counted",
            "groma counters lists what this machine counts, and why not the rest",
            ExitCode.ENVIRONMENT,
        )


@command.command(
    "run",
    cls=Verb,
    context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False},
    examples=[
        "groma counters run --group software -- ./program  # metrics of a group",
        "groma counters run -e page-faults -e cycles:u -- make  # single events",
        "groma counters run --group caches --group branches --whole-runs -- ./program  # one run per set",
    ],
)
@click.option(
    "-e", "--event", "events", multiple=True, metavar="EVENT", help="Count this event, or several: a,b."
)
@click.option(
    "-g", "--group", "groups", multiple=True, metavar="GROUP", help="Count a group (default: software)."
)
@click.option(
    "--whole-runs",
    is_flag=True,
    help="Run the program once for each set of events that fit, instead of counting in slices of time.",
)
@click.argument("words", nargs=-1, metavar="-- COMMAND...")
@pass_output
def run(
    output: Output,
    events: tuple[str, ...],
    groups: tuple[str, ...],
    words: tuple[str, ...],
    *,
    whole_runs: bool,
) -> None:
    """Run COMMAND and count it with its threads and children.

    The program keeps its input and output, and this command ends with its exit code. Counts go to standard
    error, also where a signal such as Ctrl-C ends the program.
    """
    from groma.counters.native import count_program, listed_names  # noqa: PLC0415

    if not words:
        raise GromaError("there is no command to count", "give it at the end: -- ./program")
    names = listed_names(",".join([*groups, *events] or ["software"]))
    done = count_program(names, words, output.settings().native.path, whole_runs=whole_runs)
    _show(output, done)
    click.get_current_context().exit(done.exit_code)


def _show(output: Output, done: RunCounts) -> None:
    from groma.report.counters import run_document  # noqa: PLC0415
    from groma.report.renderers import plain  # noqa: PLC0415

    if output.json:
        import msgspec  # noqa: PLC0415

        click.echo(msgspec.json.encode(done).decode(), err=True)
    elif not output.quiet:
        click.echo(plain(run_document(done)), err=True, nl=False)
    sys.stderr.flush()
