"""groma map: place the ranks of a program so that messages travel short distances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.frame import Output, Verb, pass_output, redact_option
from groma.errors import GromaError

if TYPE_CHECKING:
    from groma.map.job import MappingOptions
    from groma.record import Record


class _Count(click.ParamType[int]):
    """A whole number; a refusal says which ones there are, in words."""

    name = "count"

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            number = self.low - 1
        if not self.low <= number <= self.high:
            self.fail(f"{str(value)[:40]!r} is not a whole number from {self.low} to {self.high}", param, ctx)
        return number


MAX_RANKS = 1 << 20
"""Of a mapping, and places of a machine."""

COUNT = _Count(1, MAX_RANKS)


@click.command(
    "map",
    cls=Verb,
    examples=[
        "groma map --topology torus:4x4x4 --matrix m.csv  # which rank on which node",
        "groma map groma-profile.json --ranks 8 --class communication  # by the weights of Servet",
        "groma map --matrix m.csv --launch-file ranks.txt  # for the launcher that is here",
        "groma map --matrix m.csv --verify --measure  # where ranks really run, and what it gains",
        "groma map --matrix m.csv --check ranks.txt --launcher openmpi  # how good is a file of yours?",
        "groma map --topology hwloc:node.xml --ranks 16 --halo 64KiB --json  # a file of lstopo",
    ],
)
@click.argument("profile", required=False, type=click.Path(path_type=Path))
@click.option(
    "--topology",
    metavar="KIND:SHAPE",
    help="torus:4x4x4, mesh:4x4, tree:2x4x8, hwloc:FILE or hwloc:DESCRIPTION (default: PROFILE, or this "
    "machine).",
)
@click.option("-n", "--ranks", type=COUNT, metavar="COUNT", help="Number of ranks.")
@click.option(
    "--threads",
    type=COUNT,
    default=1,
    show_default=True,
    metavar="COUNT",
    help="Hardware threads of each rank.",
)
@click.option(
    "--per-place", type=COUNT, default=1, show_default=True, metavar="COUNT", help="Ranks on each place."
)
@click.option(
    "--matrix",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="What ranks send: a table source,target,bytes[,messages], a square matrix, a Matrix Market file, or "
    "the folder of groma trace.",
)
@click.option(
    "--halo", metavar="SIZE", help="In place of a matrix: a halo exchange with messages of this size."
)
@click.option(
    "--class",
    "code",
    type=click.Choice(["memory", "communication"]),
    help="In place of a matrix: what limits the program. Uses the weights of Servet and a PROFILE.",
)
@click.option(
    "--method",
    type=click.Choice(["topology-aware", "block", "cyclic", "random"]),
    default="topology-aware",
    show_default=True,
    help="How ranks with a matrix are placed.",
)
@click.option(
    "--objective",
    type=click.Choice(["hop-bytes", "congestion"]),
    default="hop-bytes",
    show_default=True,
    help="Quantity to minimise: bytes times distance, or the load of the busiest link.",
)
@click.option(
    "--engine",
    type=click.Choice(["groma", "scotch"]),
    default="groma",
    show_default=True,
    help="Search engine: groma-map, or Scotch where it is installed (tori, meshes, trees; hop-bytes).",
)
@click.option(
    "--seed",
    type=_Count(0, 2**64 - 1),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Seed of the search.",
)
@click.option("--explain", is_flag=True, help="With --class: show why each core was selected.")
@click.option(
    "--launch-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the mapping as a file for the launcher.",
)
@click.option(
    "--launcher",
    metavar="NAME",
    help="Launcher that reads the file: openmpi, openmpi-5, mpich, slurm, cray, permutation, bluegene or "
    "fujitsu (default: the one found here).",
)
@click.option(
    "--check",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="An existing launch file: compare its placement. Needs --launcher.",
)
@click.option("--hostfile", metavar="FILE", help="Hosts in the format of the launcher, one per line.")
@click.option("--verify", is_flag=True, help="Launch a small program and show where each rank runs.")
@click.option(
    "--measure",
    is_flag=True,
    help="Time the messages, or memory traffic, with the mapping and with the placement of the launcher.",
)
@click.option(
    "--launches",
    type=_Count(2, 1_000_000),
    default=5,
    metavar="COUNT",
    help="Launches of each placement (default: 5).",
)
@click.option(
    "-o", "--record", "target", metavar="FILE", type=click.Path(path_type=Path), help="Write a record."
)
@click.option("--resume", is_flag=True, help="With --measure: continue after an interruption.")
@redact_option
@pass_output
def command(
    output: Output,
    /,
    profile: Path | None,
    target: Path | None,
    *,
    redact: bool,
    resume: bool,
    **given: Any,
) -> None:
    """Place ranks on the cores of a node, the nodes of a network, or both.

    PROFILE is a record of groma survey. Ranks are placed by what they send each other (--matrix, --halo), or
    by what limits the program (--class). The answer is compared with the usual orders, written as a file of
    the launcher, checked by a launch, and measured against the launcher's own placement.
    """
    from groma.map.gain_inference import RecordOutput  # noqa: PLC0415
    from groma.map.job import MappingOptions, run_mapping  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415
    from groma.record.redact import redacted_here  # noqa: PLC0415
    from groma.record.typed_amounts import parse_size  # noqa: PLC0415
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415

    halo = given.pop("halo")
    options = MappingOptions(
        profile=profile,
        halo=None if halo is None else parse_size(halo),
        folder=output.settings().native.path,
        **given,
    )
    _refuse(options)
    if resume and not options.measure:
        raise GromaError("--resume continues launches", "use it with --measure")
    outputs = (("--record", target), ("--launch-file", options.launch_file))
    refuse_clash(outputs, _inputs(options))
    for option, path in outputs:
        if path is not None:
            refuse_unwritable(path, option)
    record_output = RecordOutput(target or UNNAMED, resume, redacted_here if redact else _as_it_is)
    record = record_output.redact(run_mapping(options, output.say, record_output))
    _keep(output, record, target)
    _show(output, record)
    if record.facts.launch_file is not None:
        output.say(f"launch file: {record.facts.launch_file}   ({record.facts.launch_command})")


def _inputs(options: MappingOptions) -> list[Path | None]:
    """Files that are read. What follows hwloc: may be a description, which is the name of no file."""
    kind, _, described = (options.topology or "").partition(":")
    return [
        options.profile,
        options.matrix,
        options.check,
        Path(options.hostfile) if options.hostfile else None,
        Path(described) if kind == "hwloc" and described else None,
    ]


def _refuse_unused_search(options: MappingOptions) -> None:
    is_searched = options.code is None and options.method == "topology-aware"
    unused = {"--engine": options.engine != "groma", "--objective": options.objective != "hop-bytes"}
    for option, is_given in unused.items():
        if is_given and not is_searched:
            raise GromaError(
                f"{option} needs a mapping that is searched for",
                "use it with --matrix or --halo, without --method",
            )
    if options.method != "topology-aware" and options.code is not None:
        raise GromaError("--method places ranks with a matrix", "use it with --matrix or --halo")


def _refuse(options: MappingOptions) -> None:
    given = [name for name, value in _TRAFFIC if getattr(options, value) is not None]
    if len(given) != 1:
        what = (
            f"{' and '.join(given)} cannot be combined"
            if given
            else "nothing says what ranks send each other"
        )
        raise GromaError(what, _one_of_traffic(None if given else options.profile))
    if options.profile is not None and options.topology is not None:
        raise GromaError("PROFILE and --topology cannot be combined", "use one of them")
    if options.explain and options.code is None:
        raise GromaError("--explain needs --class", "only the weights of Servet are explained")
    _refuse_unused_search(options)
    if options.check is not None and options.code is not None:
        raise GromaError("--check compares what ranks send", "use it with --matrix or --halo")
    if options.launcher is not None and options.check is None and not options.needs_hosts:
        raise GromaError(
            "--launcher says what kind of file it is, and there is none",
            "use it with --launch-file, --check, --verify or --measure",
        )
    if options.check is not None and options.launcher is None:
        raise GromaError("--check needs to know what kind of file it is", "add --launcher NAME")
    if options.matrix is None and options.ranks is None:
        raise GromaError("the number of ranks is missing", "use --ranks COUNT")


def _one_of_traffic(profile: Path | None) -> str:
    """The next step. A matrix may stand where a profile is expected."""
    from groma.record.unfinished import command_line  # noqa: PLC0415

    if profile is not None and _may_be_a_matrix(profile):
        return f"is it the matrix? {command_line('groma', 'map', '--matrix', str(profile))}"
    return "use one of --matrix FILE, --halo SIZE, --class memory|communication"


def _may_be_a_matrix(path: Path) -> bool:
    """Whether it is a folder or holds text. A pipe is not looked at: it can be read once."""
    from groma.record.io import is_prose  # noqa: PLC0415
    from groma.record.reading import known  # noqa: PLC0415

    return known(lambda: path.is_dir() or (path.is_file() and is_prose(_first_line(path))))


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_LONGEST_LINE)


_LONGEST_LINE = 1 << 16

UNNAMED = Path("groma-mapping.json")
"""Beside which launches are kept where no record is asked for."""


def _as_it_is(record: Record[Any]) -> Record[Any]:
    return record


_TRAFFIC = (("--matrix", "matrix"), ("--halo", "halo"), ("--class", "code"))


def _keep(output: Output, record: Record[Any], target: Path | None) -> None:
    from groma.record.partial_file import finish, remove_partial  # noqa: PLC0415

    if target is None:
        if record.samples:  # else the launches that are kept there are those of another run
            remove_partial(UNNAMED, record)
    else:
        finish(target, record)
        output.say_record(target)


def _show(output: Output, record: Record[Any]) -> None:
    from groma.report.terminal import document_of  # noqa: PLC0415

    output.show(record.facts, lambda: document_of(record))
