"""groma randomaccess: random updates of a table over all ranks, by any algorithm."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.durations import parse_duration
from groma.cli.frame import Output, Verb, VerbGroup, pass_output, redact_option
from groma.cli.launching import Launching, launch_options, measured, told
from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from groma.launch.prepare import Prepared
    from groma.record import Record
    from groma.record.randomaccess import ErrorFacts, RandomAccessFacts


@click.group(
    "randomaccess",
    cls=VerbGroup,
    examples=[
        "groma randomaccess run  # the best algorithm on all cores",
        "groma randomaccess owner  # what finding the owner of a word costs",
        "groma randomaccess errors  # what threads on one table cost and get wrong",
    ],
)
def command() -> None:
    """RandomAccess at its limit: updates of a table that no cache holds, over all ranks."""


@command.command(
    "run",
    cls=Verb,
    examples=[
        "groma randomaccess run -n 2 --table 1GiB  # the best algorithm for two ranks",
        "groma randomaccess run -n 8 --algorithm route --grid 4x2  # along the lines of a grid",
        "groma randomaccess run -n 4 --mapping-mode 8  # one core of a node generates",
        "groma randomaccess run -n 8 --algorithm specialise --mapping-mode 8 --routers 3  # roles of ranks",
        "groma randomaccess run -n 6 --owner division  # owners by division, to compare",
        "groma randomaccess run --dry-run  # the launch line, sizes, memory and time",
    ],
)
@launch_options
@click.option("--algorithm", metavar="NAME", help="shared, direct, hypercube, route or specialise.")
@click.option("--grid", metavar="XxY…", help="Lengths of the grid that route and specialise go along.")
@click.option("--routers", type=click.IntRange(min=1), metavar="COUNT", help="Ranks of each node that route.")
@click.option("--mapping-mode", type=int, metavar="MODE", help="1, 5, 6, 7 or 8 (default: 1).")
@click.option("--table", metavar="WORDS|SIZE", help="The whole table, a power of two: 2^27 words or 1GiB.")
@click.option("--updates", metavar="COUNT|TIMESx", help="Of the whole run: 2^29, or 4x its words (default).")
@click.option("--generator", type=click.Choice(["polynomial", "lcg"]), help="The sequence of updates.")
@click.option("--owner", type=click.Choice(["prediction", "division"]), help="How owners are found.")
@click.option("--look-ahead", type=int, metavar="COUNT", help="Updates pending at most, 4 to 1024.")
@click.option("--repeat", type=click.IntRange(min=1), metavar="COUNT", help="Parts the run is cut into.")
@click.option("--budget", metavar="TIME", help="No further repetition begins after this time.")
@click.option("-o", "--record", "target", default="randomaccess.json", metavar="FILE", help="The record.")
@click.option("--dry-run", is_flag=True, help="Only say what would run, and how it would be started.")
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
    """Update a table over all ranks and verify every word of it.

    Ends with exit code 3 where a word is wrong or more updates were pending than allowed.
    """
    from groma.randomaccess.request import Wish  # noqa: PLC0415
    from groma.randomaccess.setup import prepare  # noqa: PLC0415
    from groma.record.host import Host  # noqa: PLC0415

    wish = Wish(
        asked=launching.asked(),
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
    setup = prepare(Host(), wish, launching.means(output))
    if dry_run:
        _tell_plan(output, setup)
    else:
        _run(output, setup, Path(target), redact=redact)


def _tell_plan(output: Output, setup: Prepared) -> None:
    from groma.report.randomaccess_sections import setup_document, setup_model  # noqa: PLC0415

    output.show(setup_model(setup), lambda: setup_document(setup))


def _run(output: Output, setup: Prepared, path: Path, *, redact: bool) -> None:
    from groma.randomaccess.run import random_access  # noqa: PLC0415
    from groma.report.randomaccess_sections import headline  # noqa: PLC0415

    start = functools.partial(random_access, setup, path)
    record = measured(output, setup, headline(setup), start, redact=redact)
    told(output, record, path)
    _refuse_invalid(record)


def _refuse_invalid(record: Record[RandomAccessFacts]) -> None:
    from groma.randomaccess.infer import failed_checks  # noqa: PLC0415

    failed = failed_checks(record.facts)
    if failed:
        raise GromaError(
            f"validation failed: {failed[0]}",
            "the rate means nothing: check memory and MPI of this machine",
            ExitCode.VALIDATION_FAILED,
        )


@command.command(
    "owner",
    cls=Verb,
    examples=[
        "groma randomaccess owner  # some numbers of parts",
        "groma randomaccess owner --parts 96,768 --table 2^38  # those of a table of 2 TiB",
    ],
)
@click.option("--table", metavar="WORDS|SIZE", help="Words of the table, a power of two (default: 2^27).")
@click.option("--parts", metavar="N,…", help="Numbers of parts that the table is divided into.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the indices and of the order of rounds.")
@click.option("-o", "--record", "target", metavar="FILE", help="Where the record goes (default: nowhere).")
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
    """Time how the owner of a word is found: by division, and by prediction without one."""
    from groma.randomaccess.run import measure_owners  # noqa: PLC0415

    _refuse_unwritable(target)
    given = (("--table", table), ("--parts", parts), ("--seed", seed))
    arguments = [f"{name}={value}" for name, value in given if value is not None]
    record = measure_owners(output.settings().native.path, arguments)
    _keep_and_show(output, record, target, redact=redact)


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
    "--threads", type=int, metavar="COUNT", help="Threads on the table (default: one for each CPU)."
)
@click.option("--table", metavar="WORDS|SIZE", help="Words of the table, a power of two (default: 2^24).")
@click.option("--updates", metavar="COUNT|TIMESx", help="Of a run: 2^26, or 4x its words (default).")
@click.option("--generator", type=click.Choice(["polynomial", "lcg"]), help="The sequence of updates.")
@click.option("--runs", type=click.IntRange(min=1), metavar="COUNT", help="Of each strategy (default: 10).")
@click.option(
    "--strategies",
    metavar="NAME,…",
    help="serial, unsynchronised, atomic, locks:COUNT, owner (default: most).",
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the order of strategies in a round.")
@click.option("-o", "--record", "target", metavar="FILE", help="Where the record goes (default: nowhere).")
@redact_option
@pass_output
def errors(output: Output, /, target: str | None, *, redact: bool, **given: str | int | None) -> None:
    """Let threads update one table, with and without synchronisation: rates, and words that get wrong.

    Wrong words of threads that do not synchronise are what is measured; those of any other strategy end with
    exit code 3.
    """
    from groma.launch.native import interruptible  # noqa: PLC0415
    from groma.randomaccess.run import measure_errors  # noqa: PLC0415

    _refuse_unwritable(target)
    arguments = [f"--{name}={value}" for name, value in given.items() if value is not None]
    with interruptible() as interruption:
        record = measure_errors(output.settings().native.path, arguments, interruption)
    _keep_and_show(output, record, target, redact=redact)
    if interruption.requested:
        raise GromaError(
            "interrupted: these are the runs until then",
            "fewer of them take less time: --runs, or a smaller --table",
            ExitCode.INTERRUPTED,
        )
    _refuse_broken(record)


def _refuse_broken(record: Record[ErrorFacts]) -> None:
    from groma.randomaccess.infer_errors import broken_strategies  # noqa: PLC0415

    broken = broken_strategies(record.facts)
    if broken:
        raise GromaError(
            f"validation failed: {broken[0]}",
            "a strategy that cannot lose updates lost some: check memory and processors of this machine",
            ExitCode.VALIDATION_FAILED,
        )


def _refuse_unwritable(target: str | None) -> None:
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415

    if target is not None:
        refuse_unwritable(Path(target))


def _keep_and_show(output: Output, record: Record[Any], target: str | None, *, redact: bool) -> None:
    from groma.record.keeping import finish  # noqa: PLC0415
    from groma.record.redact import redacted_here  # noqa: PLC0415
    from groma.report.terminal import document_of  # noqa: PLC0415

    record = redacted_here(record) if redact else record
    if target is not None:
        finish(Path(target), record)
    output.show(record, lambda: document_of(record))
