"""groma survey: measure this machine and write its profile.

The node survey runs here; docs/tutorial.md walks through it. That of the network starts ranks on its nodes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from groma.cli.completion import listed, probes
from groma.cli.frame import Output, Verb, pass_output
from groma.cli.launching import Launching, measured, shapeless_launch_options, show_record
from groma.errors import GromaError
from groma.record.typed_amounts import parse_bandwidth, parse_duration, parse_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.config import Resolved, Settings
    from groma.survey.network.setup import NetworkSetup


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def _only(text: str | None) -> tuple[str, ...] | None:
    """Raises GromaError (exit code 2) for a choice of nothing: an empty variable of a script is not all."""
    names = _names(text)
    if names == ():
        raise GromaError("--only names no probe", "name probes of groma list, or leave it out")
    return names


def _default_target(target: str | None, *, dry_run: bool) -> str:
    """The profile that programs open; its folder is made."""
    from groma.profile.paths import own_path  # noqa: PLC0415
    from groma.record.writing import make_folder  # noqa: PLC0415

    if target is not None:
        raise GromaError("--default and -o name two files", "leave out one of them")
    path = own_path()
    if not dry_run:
        make_folder(path.parent, "GROMA_PROFILE")
    return str(path)


_SHAPE = "the survey chooses its ranks: use --network --nodes COUNT and --ppn COUNT for its machines"


@click.command(
    cls=Verb,
    instead={"-n": _SHAPE, "-np": _SHAPE, "--ranks": _SHAPE},
    examples=[
        "groma survey  # about a minute; writes groma-profile.json",
        "groma survey --quick  # a first look in seconds",
        "groma survey --only load_latency,tlb_reach -o caches.json  # two probes",
        "groma survey --resume  # continue an interrupted survey",
        "groma survey --dry-run  # print what would run and its duration",
        "groma survey --only numa_read --over cores  # reads between all cores, not NUMA nodes",
        "groma survey --set load_latency.max_size=256MiB  # a parameter of a probe (groma describe)",
        "groma survey --network  # the network between the nodes of this job",
        "groma survey --network --only distance --message 4MiB  # one network probe",
        "groma survey --network --topology 4x4 --link 400mbit  # declare the known topology",
        "groma survey --merge monday.json tuesday.json -o machine.json  # one profile of several days",
        "groma survey --default  # write the profile that programs with libgroma open",
    ],
)
@click.option("--quick", "depth", flag_value="quick", help="Fewer samples, for a first look.")
@click.option("--thorough", "depth", flag_value="thorough", help="More samples, for a reference.")
@click.option(
    "--depth", "depth", type=click.Choice(["quick", "standard", "thorough"]), help="Number of samples."
)
@click.option(
    "--only", metavar="A,B", shell_complete=listed(probes), help="Run only these probes (see groma list)."
)
@click.option("--skip", metavar="A,B", shell_complete=listed(probes), help="Skip these probes.")
@click.option(
    "--budget",
    metavar="TIME",
    help="Time for all probes together, such as 30s or 2m; each probe takes at least one round.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="SEED",
    help="Seed of every random choice (default: a random one).",
)
@click.option(
    "--over",
    type=click.Choice(["auto", "cores", "nodes"]),
    help="Places of the NUMA experiments: cores, NUMA nodes, or auto (nodes on more than 64 cores).",
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="PROBE.PARAMETER=VALUE",
    help="Set a parameter of a probe, as groma describe PROBE lists them. May be given several times.",
)
@click.option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    help="Write the profile to this file (default: groma-profile.json); one that is there is replaced.",
)
@click.option(
    "--default",
    "is_default",
    is_flag=True,
    help="Write the profile that programs open by default: $GROMA_PROFILE or the user's.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted survey.")
@click.option("--dry-run", is_flag=True, help="Print what would run.")
@click.option("--redact", is_flag=True, help="Leave host and user names out of the profile.")
@click.option("--network", is_flag=True, help="Measure the network: messages between cores and nodes.")
@click.option("--message", metavar="SIZE", help="Largest message between nodes (default: 32MiB).")
@click.option(
    "--topology", metavar="SHAPE", help="Known topology: 4x4, 9 (ring), mesh:4x4, switch, tree:8:2."
)
@click.option("--link", metavar="RATE", help="Known rate of the link of a node, such as 100Gb/s.")
@click.option("--merge", is_flag=True, help="Merge the profiles PROFILES of one machine into one.")
@click.argument("profiles", nargs=-1, type=click.Path(path_type=Path))
@shapeless_launch_options
@pass_output
def command(
    output: Output,
    launching: Launching,
    depth: str | None,
    only: str | None,
    skip: str | None,
    budget: str | None,
    seed: int | None,
    over: str | None,
    assignments: tuple[str, ...],
    target: str | None,
    message: str | None,
    topology: str | None,
    link: str | None,
    *,
    is_default: bool,
    resume: bool,
    dry_run: bool,
    redact: bool,
    network: bool,
    merge: bool,
    profiles: tuple[Path, ...],
) -> None:
    """Measure this machine and write its profile, with raw samples, method and environment.

    With --network, MPI jobs measure the network instead. An existing profile of this machine keeps its node
    facts. With --merge, nothing is measured: surveys of several days become one profile with their spread.
    """
    is_named = target is not None
    if is_default:
        target = _default_target(target, dry_run=dry_run)
    if merge:
        _refuse_beside_merge()
        _merge(output, profiles, target, redact=redact)
        return
    if profiles:
        raise GromaError(f"unexpected argument {profiles[0]}", "to merge profiles: groma survey --merge A B")
    if resume and depth is None:
        depth = _recorded_depth(output, target)
    resolved = output.resolved(
        survey__depth=depth,
        survey__only=_only(only),
        survey__skip=_names(skip),
        survey__seed=seed,
        survey__output=target,
    )
    settings = _with_probes_of(resolved, network=network)
    time = None if budget is None else parse_duration(budget)
    if network and over:
        raise GromaError("--over applies only to a survey of the node", "leave out --network")
    if network:
        network_options = _NetworkOptions(
            message=None if message is None else parse_size(message),
            topology=topology,
            link=None if link is None else parse_bandwidth(link),
            assignments=assignments,
        )
        setup = _network_setup(output, settings, launching, time, network_options, resume=resume)
        if dry_run:
            _show_network_plan(output, settings, setup, resume=resume)
        else:
            _survey_network(output, settings, setup, resume=resume, redact=redact)
        return
    _refuse_network_options(launching, {"--message": message, "--topology": topology, "--link": link})
    options = _NodeOptions(time, over or "auto", assignments, may_replace=is_named)
    _survey_node(output, settings, options, resume=resume, dry_run=dry_run, redact=redact)


def _recorded_depth(output: Output, target: str | None) -> str | None:
    """Of the survey to resume: with another one, nothing of it would count."""
    from groma.survey.run import recorded_depth  # noqa: PLC0415

    return recorded_depth(Path(output.settings(survey__output=target).survey.output))


def _with_probes_of(resolved: Resolved, *, network: bool) -> Settings:
    """The settings, where `only` and `skip` name probes of this kind of survey."""
    from msgspec.structs import replace  # noqa: PLC0415

    from groma.cli.selected_probes import selected_probes  # noqa: PLC0415

    probes = selected_probes(resolved, network=network)
    settings = resolved.settings
    return replace(settings, survey=replace(settings.survey, only=probes.only, skip=probes.skip))


class _NodeOptions(NamedTuple):
    """Options of a node survey that no setting gives: its time (s), the places of its NUMA part, parameters
    of single probes, and whether it may replace a profile that has more probes.
    """

    budget: float | None
    over: str
    assignments: tuple[str, ...]
    may_replace: bool


class _NetworkOptions(NamedTuple):
    """Options of the network: the largest message (bytes), what the user knows of its topology and of the
    rate of its links (B/s), and parameters of single probes.
    """

    message: int | None
    topology: str | None
    link: float | None
    assignments: tuple[str, ...]


def _refuse_network_options(launching: Launching, others: Mapping[str, str | None]) -> None:
    given = {f"--{name}": getattr(launching, name) for name in Launching.__dataclass_fields__}
    for name, value in (given | dict(others)).items():
        if value not in {None, "auto"}:
            raise GromaError(f"{name} applies only to a network survey", "add --network")


_WITH_MERGE = {"merge", "profiles", "target", "is_default", "redact"}


def _refuse_beside_merge() -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if parameter.expose_value and name not in _WITH_MERGE and source is ParameterSource.COMMANDLINE:
            raise GromaError(f"--merge measures nothing: {parameter.opts[-1]} has no effect", "leave it out")


def _merge(output: Output, profiles: tuple[Path, ...], target: str | None, *, redact: bool) -> None:
    from groma.cli.frame import read_records  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415
    from groma.record.io import write_record  # noqa: PLC0415
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415
    from groma.survey.merge import Survey, merged  # noqa: PLC0415

    if target is None:
        raise GromaError("--merge needs a file for the profile", "name it with -o FILE")
    path = Path(target)
    refuse_clash([("-o", path)], profiles)
    refuse_unwritable(path)
    files = zip(profiles, read_records(profiles, redact=redact), strict=True)
    record = merged([Survey(name, one) for name, records in files for one in records])
    write_record(path, record)
    show_record(output, record, path, noun="profile")


def _survey_node(
    output: Output, settings: Settings, options: _NodeOptions, *, resume: bool, dry_run: bool, redact: bool
) -> None:
    from groma.launch.native import native_program  # noqa: PLC0415
    from groma.record.counting import counted  # noqa: PLC0415
    from groma.report.plan import plan_document  # noqa: PLC0415
    from groma.report.progress import format_duration  # noqa: PLC0415
    from groma.run.probe import measured_with  # noqa: PLC0415
    from groma.survey.plan import SurveyRequest  # noqa: PLC0415
    from groma.survey.run import node_survey, refuse_loss  # noqa: PLC0415
    from groma.survey.session import (  # noqa: PLC0415
        node_record,
        notes_here,
        plan_here,
        resumed_notes,
        seed_for,
    )

    request = SurveyRequest(
        depth=settings.survey.depth,
        only=settings.survey.only,
        skip=settings.survey.skip,
        seed=seed_for(Path(settings.survey.output), settings.survey.seed, resume=resume),
        budget=options.budget,
        over=options.over,
        assignments=options.assignments,
    )
    program = native_program(folder=settings.native.path)
    plan, notes = plan_here(program, request), notes_here(program, request)
    path = Path(settings.survey.output)
    is_part = bool(settings.survey.only or settings.survey.skip)
    if is_part and not (options.may_replace or resume):
        refuse_loss(plan, path)
    if dry_run:
        of_resumed = resumed_notes(program, plan, path) if resume else ()
        output.show(plan, lambda: plan_document(plan))
        _say_notes(output, [*notes, *of_resumed])
        return
    record, of_record = node_record(program, plan, path, resume=resume)
    probes, duration = counted(len(plan.steps), "probe"), format_duration(plan.budget)
    output.say(f"groma survey ({plan.depth}): {probes} with a budget of {duration}")
    _say_notes(output, [*notes, *of_record])
    survey = node_survey(plan, record, path, measured_with(program))
    show_record(output, measured(output, plan, survey, redact=redact), path, noun="profile")


def _say_notes(output: Output, notes: Sequence[str]) -> None:
    for note in notes:
        output.say(f"note: {note}")


def _network_setup(
    output: Output,
    settings: Settings,
    launching: Launching,
    budget: float | None,
    options: _NetworkOptions,
    *,
    resume: bool,
) -> NetworkSetup:
    from groma.host.host import Host  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415
    from groma.survey.network.request import NetworkRequest  # noqa: PLC0415
    from groma.survey.network.setup import prepare  # noqa: PLC0415
    from groma.survey.session import seed_for  # noqa: PLC0415

    request = NetworkRequest(
        depth=settings.survey.depth,
        only=settings.survey.only,
        skip=settings.survey.skip,
        seed=seed_for(Path(settings.survey.output), settings.survey.seed, resume=resume),
        budget=budget,
        nodes=launching.nodes,
        per_node=launching.ppn,
        **options._asdict(),
    )
    refuse_clash([("-o", Path(settings.survey.output))], launching.inputs)
    return prepare(Host(), request, launching.options(output))


def _show_network_plan(output: Output, settings: Settings, setup: NetworkSetup, *, resume: bool) -> None:
    from groma.launch.native import native_program  # noqa: PLC0415
    from groma.report.network_plan import plan_document  # noqa: PLC0415
    from groma.survey.network.plan import plan_model  # noqa: PLC0415
    from groma.survey.session import resumed_network_notes  # noqa: PLC0415

    program, path = native_program(folder=settings.native.path), Path(settings.survey.output)
    of_resumed = resumed_network_notes(program, setup, path) if resume else ()
    output.show(plan_model(setup.plan, setup.lines()), lambda: plan_document(setup))
    _say_notes(output, of_resumed)


def _survey_network(
    output: Output, settings: Settings, setup: NetworkSetup, *, resume: bool, redact: bool
) -> None:
    from groma.launch.native import native_program  # noqa: PLC0415
    from groma.report.network_plan import headline  # noqa: PLC0415
    from groma.survey.network.run import network_survey  # noqa: PLC0415
    from groma.survey.session import network_record  # noqa: PLC0415

    path = Path(settings.survey.output)
    program = native_program(folder=settings.native.path)
    record, notes = network_record(program, setup, path, resume=resume)
    output.say(headline(setup))
    _say_notes(output, [*setup.plan.notes, *notes])
    survey = network_survey(setup, record, path)
    show_record(output, measured(output, setup.plan, survey, redact=redact), path, noun="profile")
