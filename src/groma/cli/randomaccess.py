"""groma randomaccess: update random words of a table over all ranks, with a choice of algorithms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.completion import ALGORITHMS, one_of
from groma.cli.frame import Output, Verb, VerbGroup, pass_output, redact_option
from groma.cli.launching import Launching, launch_options, measured, show_record
from groma.errors import ExitCode, GromaError
from groma.record.typed_amounts import parse_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.cli.frame import F
    from groma.facts.randomaccess import RandomAccessFacts
    from groma.facts.randomaccess_bottleneck import BottleneckFacts
    from groma.facts.randomaccess_errors import ErrorFacts
    from groma.randomaccess.setup import Setup
    from groma.record import Record
    from groma.run.interruption import Interruption


_routers = click.option(
    "--routers",
    type=click.IntRange(min=1),
    metavar="COUNT",
    help="Ranks of each node that route (default: equal loads of all roles).",
)
_table = click.option(
    "--table",
    metavar="WORDS|SIZE",
    help="Size of the whole table, a power of two: 2^27 words or 1GiB "
    "(default: a quarter of the free memory, at most 512 MiB a rank).",
)
_generator = click.option(
    "--generator",
    type=click.Choice(["polynomial", "lcg"]),
    help="The sequence of updates (default: polynomial).",
)


def _seed(of: str) -> Callable[[F], F]:
    return click.option("--seed", type=click.IntRange(min=0), metavar="SEED", help=f"Seed {of} (default: 1).")


@click.group(
    "randomaccess",
    cls=VerbGroup,
    examples=[
        "groma randomaccess run  # the best algorithm on all cores",
        "groma randomaccess bottleneck  # which role of specialised ranks limits the rate",
        "groma randomaccess owner  # cost of finding the owner of a word",
        "groma randomaccess errors  # cost and errors of threads on one table",
    ],
)
def command() -> None:
    """Measure RandomAccess: updates of random words of a table over all ranks."""


@command.command(
    "run",
    cls=Verb,
    examples=[
        "groma randomaccess run -n 2 --table 1GiB  # the best algorithm for two ranks",
        "groma randomaccess run -n 8 --algorithm route --grid 4x2  # along the lines of a grid",
        "groma randomaccess run -n 4 --mapping-mode 8  # one core of a node generates",
        "groma randomaccess run -n 8 --algorithm specialise --mapping-mode 8 --routers 3  # roles of ranks",
        "groma randomaccess run -n 6 --owner division  # find owners by division",
        "groma randomaccess run --dry-run  # print the launch command, sizes, memory and time",
    ],
)
@launch_options
@click.option(
    "--algorithm",
    metavar="NAME",
    shell_complete=one_of(*ALGORITHMS),
    help=f"{', '.join(ALGORITHMS)} (default: the best one for the ranks).",
)
@click.option(
    "--grid",
    metavar="XxY…",
    help="Lengths of the grid of route and specialise (default: few dimensions, short lines).",
)
@_routers
@click.option("--mapping-mode", type=int, metavar="MODE", help="1, 5, 6, 7 or 8 (default: 1).")
@_table
@click.option(
    "--updates", metavar="COUNT|TIMESx", help="Updates of the whole run: 2^29, or 4x its words (default)."
)
@_generator
@click.option(
    "--owner",
    type=click.Choice(["prediction", "division"]),
    help="Method of finding owners (default: prediction).",
)
@click.option(
    "--look-ahead",
    type=int,
    metavar="COUNT",
    help="Maximum number of pending updates, 4 to 1024 (default: 1024).",
)
@click.option(
    "--repeat", type=click.IntRange(min=1), metavar="COUNT", help="Number of parts of the run (default: 5)."
)
@click.option(
    "--budget", metavar="TIME", help="Time in which parts are repeated until the rate settles (default: 20s)."
)
@click.option(
    "-o",
    "--record",
    "target",
    default="randomaccess.json",
    show_default=True,
    metavar="FILE",
    help="Write the record to FILE.",
)
@click.option("--dry-run", is_flag=True, help="Print what would run and the launch command.")
@redact_option
@pass_output
def run(
    output: Output,
    launching: Launching,
    algorithm: str | None,
    grid: str | None,
    routers: int | None,
    mapping_mode: int | None,
    table: str | None,
    updates: str | None,
    generator: str | None,
    owner: str | None,
    look_ahead: int | None,
    repeat: int | None,
    budget: str | None,
    target: str,
    *,
    dry_run: bool,
    redact: bool,
) -> None:
    """Update a table over all ranks and verify every word.

    The exit code is 3 if a word is wrong or more updates were pending than allowed.
    """
    from groma.host.host import Host  # noqa: PLC0415
    from groma.randomaccess.request import RandomAccessRequest  # noqa: PLC0415
    from groma.randomaccess.setup import prepare  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415

    request = RandomAccessRequest(
        shape=launching.requested_shape(),
        algorithm=algorithm,
        grid=grid,
        routers=routers,
        mapping_mode=mapping_mode,
        table=table,
        updates=updates,
        generator=generator,
        owner=owner,
        look_ahead=look_ahead,
        repeat=repeat,
        budget=None if budget is None else parse_duration(budget),
    )
    refuse_clash([("--record", Path(target))], launching.inputs)
    setup = prepare(Host(), request, launching.options(output))
    if dry_run:
        _show_plan(output, setup)
    else:
        _run(output, setup, Path(target), redact=redact)


def _show_plan(output: Output, setup: Setup) -> None:
    from groma.report.randomaccess_plan import setup_document, setup_model  # noqa: PLC0415

    output.show(setup_model(setup), lambda: setup_document(setup))


def _run(output: Output, setup: Setup, path: Path, *, redact: bool) -> None:
    from groma.randomaccess.run import random_access  # noqa: PLC0415
    from groma.report.randomaccess_plan import headline  # noqa: PLC0415

    output.say(headline(setup))
    record = measured(output, setup, random_access(setup, path), redact=redact)
    show_record(output, record, path)
    _refuse_invalid(record)


def _refuse_invalid(record: Record[RandomAccessFacts] | Record[BottleneckFacts]) -> None:
    from groma.randomaccess.infer import failed_checks  # noqa: PLC0415

    failed = failed_checks(record.facts.checks)
    if failed:
        raise GromaError(
            f"validation failed: {failed[0]}",
            "do not use the rate; check memory and MPI of this machine",
            ExitCode.VALIDATION_FAILED,
        )


@command.command(
    "bottleneck",
    cls=Verb,
    examples=[
        "groma randomaccess bottleneck -n 4  # one role generates, the others update",
        "groma randomaccess bottleneck --nodes 8 --ppn 4 --grid 2x2x2  # the roles of the paper",
        "groma randomaccess bottleneck -n 4 --routers 2 --repeat 20  # other roles, more samples",
    ],
)
@launch_options
@click.option(
    "--grid", metavar="XxY…", help="Lengths of the grid of nodes (default: few dimensions, short lines)."
)
@_routers
@click.option("--mapping-mode", type=int, default=8, show_default=True, metavar="MODE", help="5, 6, 7 or 8.")
@_table
@click.option(
    "--updates", default="1x", metavar="COUNT|TIMESx", help="Updates of each intervention (default: 1x)."
)
@click.option("--repeat", type=click.IntRange(min=1), metavar="COUNT", help="Repetitions (default: 5).")
@click.option("--budget", metavar="TIME", help="Start no further repetition after this time (default: 20s).")
@_seed("of the order of interventions")
@click.option(
    "-o",
    "--record",
    "target",
    default="randomaccess-bottleneck.json",
    show_default=True,
    metavar="FILE",
    help="Write the record to FILE.",
)
@click.option("--dry-run", is_flag=True, help="Print what would run and the launch command.")
@redact_option
@pass_output
def bottleneck(
    output: Output,
    /,
    launching: Launching,
    budget: str | None,
    target: str,
    *,
    dry_run: bool,
    redact: bool,
    **given: Any,
) -> None:
    """Find the role of specialised ranks that limits the rate.

    Roles drop what reaches them, one more in each run, and each role is delayed by a known time. Runs that
    drop updates leave wrong words and are not verified. No rate is a figure of the benchmark. The exit code
    is 3 if a word is wrong where nothing was dropped.
    """
    from groma.host.host import Host  # noqa: PLC0415
    from groma.randomaccess.request import RandomAccessRequest  # noqa: PLC0415
    from groma.randomaccess.run import find_bottleneck  # noqa: PLC0415
    from groma.randomaccess.setup import BOTTLENECK, prepare  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415
    from groma.report.randomaccess_plan import headline  # noqa: PLC0415

    request = RandomAccessRequest(
        shape=launching.requested_shape(),
        algorithm="specialise",
        experiment="bottleneck",
        budget=None if budget is None else parse_duration(budget),
        **given,
    )
    refuse_clash([("--record", Path(target))], launching.inputs)
    setup = prepare(Host(), request, launching.options(output), BOTTLENECK)
    if dry_run:
        _show_plan(output, setup)
        return
    output.say(headline(setup, "bottleneck"))
    record = measured(output, setup, find_bottleneck(setup, Path(target)), redact=redact)
    show_record(output, record, Path(target))
    _refuse_invalid(record)


@command.command(
    "owner",
    cls=Verb,
    examples=[
        "groma randomaccess owner  # several numbers of parts",
        "groma randomaccess owner --parts 96,768 --table 2^38  # for a table of 2 TiB",
    ],
)
@click.option("--table", metavar="WORDS|SIZE", help="Words of the table, a power of two (default: 2^27).")
@click.option("--parts", metavar="N,…", help="Numbers of parts of the table.")
@_seed("of the indices and of the order of rounds")
@click.option(
    "-o", "--record", "target", metavar="FILE", help="Write the record to this file (default: no record)."
)
@redact_option
@pass_output
def owner(
    output: Output,
    table: str | None,
    parts: str | None,
    seed: int | None,
    target: str | None,
    *,
    redact: bool,
) -> None:
    """Time the search for the owner of a word in two ways.

    The owner is found by division, or by prediction.
    """
    from groma.randomaccess.run import measure_owners  # noqa: PLC0415
    from groma.run.interruption import interruptible  # noqa: PLC0415

    _refuse_unwritable(target)
    given = (("--table", table), ("--parts", parts), ("--seed", seed))
    arguments = [f"{name}={value}" for name, value in given if value is not None]
    with interruptible() as interruption:
        record = measure_owners(output.settings().native.path, arguments, interruption)
    _keep_and_show(output, record, target, redact=redact)
    _end_interrupted(interruption, "the lookups so far are shown", "use fewer --parts to save time")


@command.command(
    "errors",
    cls=Verb,
    examples=[
        "groma randomaccess errors  # 128 MiB, all CPUs, ten runs of each strategy",
        "groma randomaccess errors --threads 2 --updates 32x --runs 30 --strategies unsynchronised",
        "groma randomaccess errors --strategies serial,atomic,locks:1,locks:1024",
    ],
)
@click.option(
    "--threads",
    type=int,
    metavar="COUNT",
    help="Threads on the table, 1 to 256 (default: one per CPU, at most 256).",
)
@click.option("--table", metavar="WORDS|SIZE", help="Words of the table, a power of two (default: 2^24).")
@click.option("--updates", metavar="COUNT|TIMESx", help="Updates of a run: 2^26, or 4x its words (default).")
@_generator
@click.option(
    "--runs", type=click.IntRange(min=1), metavar="COUNT", help="Runs of each strategy (default: 10)."
)
@click.option(
    "--strategies",
    metavar="NAME,…",
    help="serial, unsynchronised, atomic, locks:COUNT, owner (default: each, with 1, 16 and 32 locks).",
)
@_seed("of the order of strategies in a round")
@click.option(
    "-o", "--record", "target", metavar="FILE", help="Write the record to this file (default: no record)."
)
@redact_option
@pass_output
def errors(output: Output, /, target: str | None, *, redact: bool, **given: str | int | None) -> None:
    """Update one table with threads that synchronise or not.

    Measures the rate and the wrong words of each strategy. Wrong words of unsynchronised threads are a
    result; with any other strategy they are an error, and the exit code is 3.
    """
    from groma.randomaccess.run import measure_errors  # noqa: PLC0415
    from groma.run.interruption import interruptible  # noqa: PLC0415

    _refuse_unwritable(target)
    arguments = [f"--{name}={value}" for name, value in given.items() if value is not None]
    with interruptible() as interruption:
        record = measure_errors(output.settings().native.path, arguments, interruption)
    _keep_and_show(output, record, target, redact=redact)
    saving = "use fewer --runs or a smaller --table to save time"
    _end_interrupted(interruption, "the runs so far are shown", saving)
    _refuse_broken(record)


def _end_interrupted(interruption: Interruption, kept: str, next_step: str) -> None:
    from groma.run.signals import named  # noqa: PLC0415

    if interruption.requested:
        what = f"interrupted{named(interruption.signal_number)}; {kept}"
        raise GromaError(what, next_step, ExitCode.INTERRUPTED)


def _refuse_broken(record: Record[ErrorFacts]) -> None:
    from groma.randomaccess.infer_errors import broken_strategies  # noqa: PLC0415

    broken = broken_strategies(record.facts)
    if broken:
        raise GromaError(
            f"validation failed: {broken[0]}",
            "a strategy that cannot lose updates lost some; check memory and processors of this machine",
            ExitCode.VALIDATION_FAILED,
        )


def _refuse_unwritable(target: str | None) -> None:
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415

    if target is not None:
        refuse_unwritable(Path(target))


def _keep_and_show(output: Output, record: Record[Any], target: str | None, *, redact: bool) -> None:
    from groma.record.partial_file import finish  # noqa: PLC0415
    from groma.record.redact import redacted_here  # noqa: PLC0415
    from groma.report.terminal import document_of  # noqa: PLC0415

    record = redacted_here(record) if redact else record
    try:
        if target is not None:
            finish(Path(target), record)
    finally:  # what cannot be kept is not lost
        output.show(record, lambda: document_of(record))
