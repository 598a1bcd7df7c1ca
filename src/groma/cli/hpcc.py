"""groma hpcc: run the HPC Challenge suite under MPI, with statistics."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.completion import ALGORITHMS, benchmarks, listed, one_of
from groma.cli.frame import Output, Verb, pass_output, redact_option
from groma.cli.launching import Launching, launch_options, measured, show_record
from groma.errors import ExitCode, GromaError
from groma.record.typed_amounts import parse_duration

if TYPE_CHECKING:
    from groma.facts.hpcc import HpccFacts
    from groma.hpcc.request import SuiteRequest
    from groma.hpcc.setup import Setup
    from groma.record import Record


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _chosen(text: str | None) -> tuple[str, ...]:
    """Raises GromaError (exit code 2) for a choice of nothing: a script's empty variable is not all tests."""
    names = _names(text)
    if text is not None and not names:
        raise GromaError("--only names no test", "name tests of groma list, or leave it out")
    return names


class ThreadCount(click.ParamType[int]):
    """A count, or auto: 0, which leaves it to the shape."""

    name = "count"

    def convert(self, value: object, _param: click.Parameter | None, _ctx: click.Context | None) -> int:
        text = str(value).strip()
        if text == "auto":
            return 0
        if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
            self.fail(f"{text!r} is not a number of threads: give 1 or more, or auto")
        return int(text)


@click.command(
    "hpcc",
    cls=Verb,
    examples=[
        "groma hpcc  # all tests on all cores of this machine or job",
        "groma hpcc -n 2 -N 6000 --nb 192 --grid 1x2  # given sizes",
        "groma hpcc --nodes 4 --ppn 2 --threads auto --memory 50%  # 8 ranks that fill the cores",
        "groma hpcc --only dgemm,stream --repeat 20  # two tests, more samples",
        "groma hpcc --input hpccinf.txt --output hpccoutf.txt  # the files of hpcc 1.5.0",
        "groma hpcc --dry-run  # print the launch command, sizes, memory and time",
    ],
)
@launch_options
@click.option(
    "--threads",
    type=ThreadCount(),
    default=1,
    show_default=True,
    metavar="COUNT|auto",
    help="Threads of each rank, 1 to 4096; auto fills the cores.",
)
@click.option(
    "--only", metavar="A,B", shell_complete=listed(benchmarks), help="Run only these tests (see groma list)."
)
@click.option("--skip", metavar="A,B", shell_complete=listed(benchmarks), help="Skip these tests.")
@click.option("-N", "n", metavar="N,…", help="Orders of the HPL matrix (default: as --memory).")
@click.option("--nb", metavar="NB,…", help="Block sizes (default: 192).")
@click.option("--grid", metavar="PxQ,…", help="Grids of ranks, rows by columns (default: the squarest).")
@click.option(
    "--memory",
    metavar="AMOUNT",
    help="Memory of the HPL matrix: 8GiB, or 25% of the free memory "
    "(default: what --budget allows, at most 25%).",
)
@click.option(
    "--input",
    "input_file",
    metavar="FILE",
    help="Read the sizes from this hpccinf.txt (default: hpccinf.txt here, unless -N or --memory is given).",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    metavar="COUNT",
    help="Minimum number of samples of each test (default: 5).",
)
@click.option("--budget", metavar="TIME", help="Start no further repetition after this time (default: 60s).")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="SEED",
    help="Seed of every random choice (default: 1).",
)
@click.option(
    "--random-access",
    metavar="NAME",
    shell_complete=one_of(*ALGORITHMS),
    help=f"Algorithm of MPI RandomAccess: {', '.join(ALGORITHMS)} (default: the best one for the ranks).",
)
@click.option("--fft-235", is_flag=True, help="Transform 2^a 3^b 5^c points instead of a power of two.")
@click.option("--curves", is_flag=True, help="Also measure effective bandwidth over all message sizes.")
@click.option(
    "-o",
    "--record",
    "target",
    default="hpcc.json",
    show_default=True,
    metavar="FILE",
    help="Write the record to this file.",
)
@click.option(
    "--output",
    "summary",
    default="hpccoutf.txt",
    show_default=True,
    metavar="FILE",
    help="Write the summary to this file.",
)
@click.option("--append", is_flag=True, help="Append to the summary instead of replacing it.")
@click.option("--dry-run", is_flag=True, help="Print what would run and the launch command.")
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
    """Run and validate the seven tests of the HPC Challenge suite.

    The exit code is 3 if a validation failed.
    """
    from groma.hpcc.request import SuiteRequest  # noqa: PLC0415

    _refuse_json(summary)
    request = SuiteRequest(
        shape=launching.requested_shape(threads),
        only=_chosen(only),
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
    from groma.hpcc.input_once import readable_again  # noqa: PLC0415

    path = Path(target)
    _refuse_clash(request, path, launching)
    with readable_again(request, Path.cwd()) as request:
        setup = _prepared(output, launching, request, path)
        if dry_run:
            from groma.report.hpcc_plan import setup_document, setup_model  # noqa: PLC0415

            output.show(setup_model(setup), lambda: setup_document(setup))
            return
        record = _measured(output, setup, request, path, redact=redact)
    show_record(output, record, path, also=f"summary: {request.summary}   ")
    _refuse_invalid(record)


def _refuse_json(summary: str) -> None:
    """Raises GromaError (exit code 2) for a summary whose name says that it is the record."""
    if Path(summary).suffix.lower() == ".json":
        raise GromaError(
            f"--output {summary}: the summary is text in the form of hpccoutf.txt, not JSON",
            f"name the record with -o {shlex.quote(summary)}",
        )


def _refuse_clash(request: SuiteRequest, record: Path, launching: Launching) -> None:
    from groma.hpcc.request import input_file  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415

    sizes = input_file(request, Path.cwd())
    outputs = (("--record", record), ("--output", Path(request.summary)))
    refuse_clash(outputs, [*launching.inputs, Path(sizes) if sizes else None])


def _prepared(output: Output, launching: Launching, request: SuiteRequest, record: Path) -> Setup:
    from groma.host.host import Host  # noqa: PLC0415
    from groma.hpcc.setup import prepare  # noqa: PLC0415

    try:
        return prepare(Host(), request, launching.options(output, earlier=record))
    except GromaError as error:
        raise _as_typed(error) from error


def _as_typed(error: GromaError) -> GromaError:
    """With the name of the option as it is here, where that of groma-hpcc is another one."""
    return error.saying(re.sub(r"^--n\b(?!-)", "-N", error.what), error.next_step)


def _measured(
    output: Output, setup: Setup, request: SuiteRequest, path: Path, *, redact: bool
) -> Record[HpccFacts]:
    from groma.hpcc.run import suite  # noqa: PLC0415
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415
    from groma.report.hpcc_plan import headline  # noqa: PLC0415

    refuse_unwritable(Path(request.summary), "--output")
    output.say(headline(setup))
    return measured(output, setup, suite(setup, path), redact=redact)


def _refuse_invalid(record: Record[HpccFacts]) -> None:
    from groma.hpcc.infer import failed_checks  # noqa: PLC0415

    failed = failed_checks(record.facts.tests)
    if failed:
        raise GromaError(
            f"validation failed: {failed[0]}{f' (and {len(failed) - 1} more)' if len(failed) > 1 else ''}",
            "do not use the figures of that test; check memory, BLAS and MPI of this machine",
            ExitCode.VALIDATION_FAILED,
        )
