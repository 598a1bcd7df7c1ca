"""groma hpcc: run the HPC Challenge suite under MPI, with statistics."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.durations import parse_duration
from groma.cli.frame import Output, Verb, pass_output, redact_option
from groma.cli.launching import Launching, launch_options, measured, told
from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from groma.hpcc.request import Wish
    from groma.hpcc.setup import Setup
    from groma.record import Record
    from groma.record.hpcc import HpccFacts


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


class ThreadCount(click.ParamType[int]):
    """A count, or auto: 0, which leaves it to the shape."""

    name = "count"

    def convert(self, value: object, _param: click.Parameter | None, _ctx: click.Context | None) -> int:
        text = str(value).strip()
        if text == "auto":
            return 0
        if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
            self.fail(f"{text!r} is no number of threads: give 1 or more, or auto")
        return int(text)


@click.command(
    "hpcc",
    cls=Verb,
    examples=[
        "groma hpcc  # all tests on all cores of this machine or job",
        "groma hpcc -n 2 -N 6000 --nb 192 --grid 1x2  # sizes given",
        "groma hpcc --nodes 4 --ppn 2 --threads auto --memory 50%  # 8 ranks that fill the cores",
        "groma hpcc --only dgemm,stream --repeat 20  # two tests, more samples",
        "groma hpcc --input hpccinf.txt --output hpccoutf.txt  # the files of the original",
        "groma hpcc --dry-run  # the launch line, sizes, memory and time",
    ],
)
@launch_options
@click.option(
    "--threads",
    type=ThreadCount(),
    default=1,
    metavar="COUNT|auto",
    help="Threads of each rank; auto: as many as fill the cores.",
)
@click.option("--only", metavar="A,B", help="Run these tests only (groma list names them).")
@click.option("--skip", metavar="A,B", help="Leave these tests out.")
@click.option("-N", "n", metavar="N,…", help="Orders of the HPL matrix.")
@click.option("--nb", metavar="NB,…", help="Block sizes.")
@click.option("--grid", metavar="PxQ,…", help="Grids of ranks.")
@click.option("--memory", metavar="AMOUNT", help="Memory of the HPL matrix: 25% of what is free, or 8GiB.")
@click.option("--input", "input_file", metavar="FILE", help="Sizes as in hpccinf.txt.")
@click.option("--repeat", type=click.IntRange(min=1), metavar="COUNT", help="Samples of each test, at least.")
@click.option("--budget", metavar="TIME", help="No further repetition begins after this time.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of every random choice.")
@click.option("--random-access", metavar="NAME", help="Algorithm of MPI RandomAccess.")
@click.option("--fft-235", is_flag=True, help="Transforms of 2^a 3^b 5^c points, not of a power of two.")
@click.option("--curves", is_flag=True, help="Effective bandwidth over all message sizes as well.")
@click.option("-o", "--record", "target", default="hpcc.json", metavar="FILE", help="Where the record goes.")
@click.option("--output", "summary", default="hpccoutf.txt", metavar="FILE", help="Where the summary goes.")
@click.option("--append", is_flag=True, help="Append to the summary instead of writing it anew.")
@click.option("--dry-run", is_flag=True, help="Only say what would run, and how it would be started.")
@redact_option
@pass_output
def command(
    output: Output,
    launching: Launching,
    threads: int,
    only: str | None,
    skip: str | None,
    n: str | None,
    nb: str | None,
    grid: str | None,
    memory: str | None,
    input_file: str | None,
    repeat: int | None,
    budget: str | None,
    seed: int | None,
    random_access: str | None,
    target: str,
    summary: str,
    *,
    fft_235: bool,
    curves: bool,
    append: bool,
    dry_run: bool,
    redact: bool,
) -> None:
    """Measure what this machine delivers: the seven tests of the HPC Challenge, validated.

    Ends with exit code 3 where a validation failed.
    """
    from groma.hpcc.request import Wish  # noqa: PLC0415

    wish = Wish(
        asked=launching.asked(threads),
        only=_names(only),
        skip=_names(skip),
        n=n,
        nb=nb,
        grid=grid,
        memory=memory,
        input=input_file,
        repeat=repeat,
        budget=None if budget is None else parse_duration(budget),
        seed=seed,
        curves=curves,
        fft_235=fft_235,
        random_access=random_access,
        summary=summary,
        append=append,
    )
    from groma.hpcc.setup import prepare  # noqa: PLC0415
    from groma.record.host import Host  # noqa: PLC0415

    setup = prepare(Host(), wish, launching.means(output, earlier=Path(target)))
    if dry_run:
        from groma.report.hpcc_plan import setup_document, setup_model  # noqa: PLC0415

        output.show(setup_model(setup), lambda: setup_document(setup))
        return
    path = Path(target)
    record = _measured(output, setup, wish, path, redact=redact)
    told(output, record, path, f"summary: {wish.summary}   ")
    _refuse_invalid(record)


def _measured(output: Output, setup: Setup, wish: Wish, path: Path, *, redact: bool) -> Record[HpccFacts]:
    from groma.hpcc.run import suite  # noqa: PLC0415
    from groma.record.writing import is_same_place, refuse_unwritable  # noqa: PLC0415
    from groma.report.hpcc_plan import headline  # noqa: PLC0415

    summary = Path(wish.summary)
    if is_same_place(summary, path):
        raise GromaError(f"record and summary would both be {path}", "name two files: --record, --output")
    refuse_unwritable(summary, "--output")
    start = functools.partial(suite, setup, path)
    return measured(output, setup, headline(setup), start, redact=redact)


def _refuse_invalid(record: Record[HpccFacts]) -> None:
    from groma.hpcc.infer import failed_checks  # noqa: PLC0415

    failed = failed_checks(record.facts.tests)
    if failed:
        raise GromaError(
            f"validation failed: {failed[0]}{f' (and {len(failed) - 1} more)' if len(failed) > 1 else ''}",
            "the figures of that test mean nothing: check memory, BLAS and MPI of this machine",
            ExitCode.VALIDATION_FAILED,
        )
