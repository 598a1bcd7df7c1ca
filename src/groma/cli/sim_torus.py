"""The verbs below groma sim torus: packets on a torus network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import click.shell_completion

from groma.cli.frame import Output, VerbGroup, pass_output
from groma.errors import GromaError
from groma.record.typed_amounts import parse_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.torus_study import StudyRow
    from groma.machine.description import Machine
    from groma.record import Record
    from groma.sim.torus.protocol import Progress, Run
    from groma.sim.torus.simulation_plan import SimulationOptions
    from groma.sim.torus.studies.study import Case


@click.group(
    "torus",
    cls=VerbGroup,
    examples=["groma sim torus run --machine bluegene-p --shape 8x8x8  # RandomAccess on 512 nodes"],
)
def command() -> None:
    """Simulate a torus network packet by packet."""


def _machines(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[click.shell_completion.CompletionItem]:
    from groma.machine.files import known_machines  # noqa: PLC0415

    return [click.shell_completion.CompletionItem(n) for n in known_machines() if n.startswith(incomplete)]


def _workloads(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[click.shell_completion.CompletionItem]:
    from groma.sim.torus.workloads import WORKLOADS  # noqa: PLC0415

    return [
        click.shell_completion.CompletionItem(name, help=one.title)
        for name, one in WORKLOADS.items()
        if name.startswith(incomplete)
    ]


_seed = click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**53),  # a number of JSON
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Seed of every random choice.",
)
_MOST_THREADS = 256
"""That the simulator starts (native/sim/torus/request.cpp)."""

_threads = click.option(
    "--threads",
    type=click.IntRange(min=1, max=_MOST_THREADS),
    metavar="COUNT",
    help="Threads of the simulator; they do not change the result (default: one per processor, at most "
    f"{_MOST_THREADS}).",
)


@command.command(
    "run",
    examples=[
        "groma sim torus run --machine bluegene-p --shape 8x8x8  # RandomAccess on 512 nodes",
        "groma sim torus run --machine bluegene-l --workload uniform --shape 16x16x16  # saturated",
        "groma sim torus run --shape 4x4x4 --set network.hop_latency=50  # another router",
        "groma sim torus run --from-profile groma-profile.json --workload halo  # nodes like this machine",
        "groma sim torus run --workload replay --trace groma-trace --shape 4x4  # a program, elsewhere",
        "groma sim torus run --shape 4x4x4 --paraver simulated && groma stat simulated  # states, messages",
        "groma sim torus run --machine bluegene-p -o torus.json && groma report torus.json  # a page",
    ],
)
@click.option(
    "--machine",
    metavar="NAME|FILE.toml",
    shell_complete=_machines,
    help="A known machine, or a file of yours (default: bluegene-p).",
)
@click.option(
    "--from-profile",
    "profile",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Links and processors as a survey with --network measured them.",
)
@click.option(
    "--workload",
    metavar="NAME",
    default="randomaccess",
    show_default=True,
    shell_complete=_workloads,
    help="What the nodes do.",
)
@click.option(
    "--algorithm", metavar="NAME", help="Of RandomAccess: multi-core, single-core, direct or hypercube."
)
@click.option("--shape", metavar="8x8x8", default="8x8x8", show_default=True, help="Nodes in each dimension.")
@click.option("--mesh", metavar="z", default="", help="Dimensions whose ends are not joined.")
@click.option(
    "--routing",
    type=click.Choice(["adaptive", "deterministic"]),
    help="How packets find their way (default: as the machine).",
)
@click.option(
    "--bucket",
    type=click.IntRange(min=1),
    metavar="COUNT",
    help="Updates in a packet (default: as printed, or by the rule).",
)
@click.option(
    "--updates",
    type=click.IntRange(min=1, max=2**40),
    metavar="COUNT",
    help="Updates of each node (default: 4096).",
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="TRACE",
    help="Trace to replay: what groma trace made, a .prv, or a time-independent trace.",
)
@click.option(
    "--paraver",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of a trace of the simulated run. It must hold no other trace.",
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Another value of a parameter.")
@_seed
@_threads
@click.option("--time-limit", metavar="TIME", help="Stop after this wall time and show what was done.")
@click.option("--links", is_flag=True, help="Keep the load of each link, also of more than 4096 nodes.")
@click.option(
    "-o", "--record", "target", metavar="FILE", type=click.Path(path_type=Path), help="Write a record."
)
@pass_output
def run(
    output: Output,
    /,
    machine: str | None,
    profile: Path | None,
    target: Path | None,
    **given: Any,
) -> None:
    """Simulate a workload on a torus of any shape.

    Every parameter of the machine, its source and whether it is assumed is in the record: groma show FILE
    parameters.
    """
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415
    from groma.run.interruption import interruptible  # noqa: PLC0415
    from groma.sim.torus.replayed import readable_again  # noqa: PLC0415
    from groma.sim.torus.run import refuse_interrupted, refuse_stuck, run_simulation  # noqa: PLC0415
    from groma.sim.torus.simulation_plan import plan_of  # noqa: PLC0415
    from groma.sim.torus.traced import make_empty, refuse_untraced  # noqa: PLC0415

    options = _options(_machine(machine, profile), **given)
    _refuse_clash(target, machine, profile, options)
    if target is not None:
        refuse_unwritable(target, "--record")
    with readable_again(options) as readable:
        plan = plan_of(readable)
        if options.paraver is not None:
            make_empty(options.paraver)
        with interruptible() as interruption:
            record = run_simulation(plan, output.settings().native.path, interruption, _follower(output))
    _keep(output, record, target)
    refuse_untraced(record)
    if options.paraver is not None:
        from groma.record.unfinished import command_line  # noqa: PLC0415

        stat = command_line("groma", "stat", str(options.paraver))
        output.say(f"trace: {options.paraver}   ({stat} prints its tables)")
    refuse_interrupted(record, interruption)
    refuse_stuck(record)


def _refuse_clash(
    target: Path | None, machine: str | None, profile: Path | None, options: SimulationOptions
) -> None:
    from groma.machine.files import known_machines  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415
    from groma.sim.torus.replayed import trace_of  # noqa: PLC0415
    from groma.sim.torus.traced import files_in  # noqa: PLC0415

    files = [Path(machine)] if machine is not None and machine not in known_machines() else []
    traced = [] if options.paraver is None else files_in(options.paraver)
    outputs = [("--paraver", one) for one in traced]
    refuse_clash([*outputs, ("--record", target)], [*files, profile, trace_of(options)])


def _machine(name: str | None, profile: Path | None) -> Machine:
    from groma.machine.files import find_machine  # noqa: PLC0415

    if name is not None and profile is not None:
        raise GromaError("--machine and --from-profile cannot be combined", "use one of them")
    if profile is not None:
        from groma.sim.torus.surveyed import machine_of_profile  # noqa: PLC0415

        return machine_of_profile(profile)
    return find_machine("bluegene-p" if name is None else name)


def _options(
    machine: Machine,
    *,
    seed: int,
    threads: int | None,
    time_limit: str | None,
    links: bool,
    **given: Any,
) -> SimulationOptions:
    from groma.sim.torus.simulation_plan import SimulationOptions  # noqa: PLC0415

    return SimulationOptions(machine=machine, run=_run(seed, threads, time_limit, links=links), **given)


def _positive(time_limit: str) -> float:
    seconds = parse_duration(time_limit)
    if seconds <= 0:
        raise GromaError(f"--time-limit {time_limit}: it must be above 0", "omit it for no limit")
    return seconds


def _run(seed: int, threads: int | None, time_limit: str | None, *, links: bool = False) -> Run:
    from groma.sim.torus.protocol import Run  # noqa: PLC0415

    return Run(
        seed=seed,
        threads=threads or min(len(os.sched_getaffinity(0)), _MOST_THREADS),
        time_limit=None if time_limit is None else _positive(time_limit),
        links=links,
    )


def _follower(output: Output) -> Callable[[Progress], None]:
    from groma.cli.progress_lines import ProgressLines  # noqa: PLC0415
    from groma.record.units import format_number  # noqa: PLC0415

    say = ProgressLines(output.say, silent=10.0)

    def follow(progress: Progress) -> None:
        time = format_number(progress.time)
        say(f"simulated {time} cycles, {progress.packets} packets in {progress.wall:.0f} s")

    return follow


def _keep(output: Output, record: Record[Any], target: Path | None) -> None:
    from groma.record.partial_file import finish  # noqa: PLC0415
    from groma.report.terminal import document_of  # noqa: PLC0415

    try:
        if target is not None:
            finish(target, record)
            output.say_record(target)
    finally:  # what cannot be kept is not lost
        output.show(record.facts, lambda: document_of(record))


def _studies(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[click.shell_completion.CompletionItem]:
    from groma.sim.torus.studies.study import known_studies  # noqa: PLC0415

    return [
        click.shell_completion.CompletionItem(one.name, help=one.title)
        for one in known_studies()
        if one.name.startswith(incomplete)
    ]


@command.command(
    "study",
    examples=[
        "groma sim torus study table-4 --quick  # up to 512 nodes, seconds",
        "groma sim torus study table-4 -o table-4.json  # up to 65,536 nodes, an hour or more",
        "groma sim torus study table-4 --only multi-core --only 8192  # one row",
        "groma sim torus study latency --json  # as JSON",
    ],
)
@click.argument("name", metavar="[NAME]", required=False, shell_complete=_studies)
@click.option("--quick", is_flag=True, help="Small sizes, in seconds.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this table or row; may be repeated.")
@click.option(
    "--updates",
    type=click.IntRange(min=1, max=2**40),
    metavar="COUNT",
    help="Updates of each node in runs of RandomAccess.",
)
@_seed
@_threads
@click.option("--time-limit", metavar="TIME", help="Stop each run after this wall time.")
@click.option(
    "-o", "--record", "target", metavar="FILE", type=click.Path(path_type=Path), help="Write a record."
)
@pass_output
def study(
    output: Output,
    /,
    name: str | None,
    quick: bool,
    only: tuple[str, ...],
    updates: int | None,
    seed: int,
    threads: int | None,
    time_limit: str | None,
    target: Path | None,
) -> None:
    """Run simulations with a published or calculated result, and compare.

    Each row gives the published or calculated value, the simulated one, and the difference. Without NAME, the
    studies are listed.
    """
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415
    from groma.run.interruption import interruptible  # noqa: PLC0415
    from groma.sim.torus.run import refuse_interrupted  # noqa: PLC0415
    from groma.sim.torus.study_run import StudyRequest, run_study  # noqa: PLC0415

    if name is None:
        _list_studies(output)
        return
    if target is not None:
        refuse_unwritable(target, "--record")
    request = StudyRequest(name, _run(seed, threads, time_limit), quick, only, updates)
    with interruptible() as interruption:
        record = run_study(request, output.settings().native.path, interruption, _row_reporter(output))
    _keep(output, record, target)
    refuse_interrupted(record, interruption)


def _list_studies(output: Output) -> None:
    from groma.cli.sim_torus_studies import list_document, listed  # noqa: PLC0415

    found = listed()
    output.show(found, lambda: list_document(found))


def _row_reporter(output: Output) -> Callable[[int, int, Case, StudyRow], None]:
    from groma.record.units import format_value  # noqa: PLC0415

    def report(number: int, planned: int, case: Case, row: StudyRow) -> None:
        found = format_value(row.simulated.value, row.simulated.unit)
        output.say(f"{number} of {planned}: {case.table}, {case.name}: {found} in {row.wall or 0.0:.1f} s")

    return report
