"""`groma map` from its options to its record: a mapping, its launch file, where ranks ran, what it gained."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.facts.mapping import KIND, MappedRank
from groma.host.host import Host
from groma.interconnect.lattice import coordinates
from groma.launch.hostfile import read_hosts
from groma.launch.launchers import LAUNCHERS, launcher_named
from groma.launch.native import declared_topology, native_program
from groma.launch.prepare import LaunchOptions, site_of
from groma.map.existing import ExistingFile, hosts_alone, mapping_in
from groma.map.gain_inference import GainInference, RecordOutput, begun, infer
from groma.map.launch_files.formats import FORMATS, format_named
from groma.map.launch_files.hydra import splits_nodes
from groma.map.launch_files.placement import Numbering, placement_of
from groma.map.launching import REPLAY, Launches, LaunchFile, hosts_of, launch_file, refuse_absent
from groma.map.machine import LatticeMachine
from groma.map.matrix import Matrix, read_matrix
from groma.map.measure import Experiment, measure_launches, remarks_on
from groma.map.profiles import OF_NODE, node_of_profile, placed_by_weights, survey_of
from groma.map.quality import quality_of
from groma.map.replay import halo, halo_replay, replay_of, triad_replay
from groma.map.solve import Engine, Method, Objective, Request, mapped
from groma.map.targets import are_places_apart, on_hosts, places_of, repeated, with_threads
from groma.map.topologies import FoundMachine, machine_named, node_of
from groma.map.verify import refuse_misplaced, verified
from groma.profile import open_profile
from groma.record.counting import counted
from groma.record.partial_file import remove_partial
from groma.record.units import format_value
from groma.run.interruption import interruptible
from groma.run.provenance import analysis_record
from groma.run.sole_writer import sole_writer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from groma.facts.mapping import MappingFacts, MappingQuality
    from groma.facts.survey import SurveyFacts
    from groma.launch.prepare import Site
    from groma.map.existing import ExistingMapping
    from groma.map.launch_files.formats import LaunchFormat
    from groma.map.replay import Replay
    from groma.record import Record
    from groma.run.interruption import Interruption
    from groma.run.partial import PartialRecord

Say = Callable[[str], None]

TRIAD = 64 << 20
"""Bytes of each rank that `--measure` streams through for a program that memory limits."""

HALO = 64 << 10
"""Bytes of a message that `--measure` sends for a program that communication limits."""

UNMEASURED = "nothing measured was used: without PROFILE, the weights follow from declared caches alone"


@dataclass(frozen=True, kw_only=True)
class MappingOptions:
    """The options of the verb, as typed."""

    profile: Path | None = None
    topology: str | None = None
    ranks: int | None = None
    threads: int = 1
    per_place: int = 1
    matrix: Path | None = None
    halo: int | None = None
    code: str | None = None
    explain: bool = False
    method: Method = "topology-aware"
    objective: Objective = "hop-bytes"
    engine: Engine = "groma"
    seed: int = 1
    launch_file: Path | None = None
    launcher: str | None = None
    hostfile: str | None = None
    verify: bool = False
    measure: bool = False
    launches: int = 5
    check: Path | None = None
    folder: str | None = None

    @property
    def starts(self) -> bool:
        """Whether ranks are started."""
        return self.verify or self.measure

    @property
    def needs_hosts(self) -> bool:
        return self.starts or self.launch_file is not None


def run_mapping(options: MappingOptions, say: Say, record_output: RecordOutput) -> Record[MappingFacts]:
    """Raises GromaError: exit code 2 for what cannot be mapped, 4 for a launch that fails or misplaces ranks,
    3 for a replay with wrong results, 130 if interrupted; launches that are done are then kept.
    """
    given = _given(options)
    node = _machine_of(options, given)
    job = _job_of(options, given, node)
    matrix = _matrix_of(options)
    found = _on_job(options, given, job, node)
    facts = _mapping(options, given, job, found, matrix)
    facts.coordinates = _coordinates(options, node, facts.mapping)
    if given.existing is not None and matrix is not None:
        _checked(options, given.existing, job, found, matrix).add_to(facts)
    if found.cores:
        facts.targets = _targets(job, found, facts.mapping)
    if options.needs_hosts:
        return _MappedJob(options, job, found, facts, record_output).launch(_replay_of(options, matrix), say)
    return analysis_record(KIND, facts)


class _Given(NamedTuple):
    """Files that several steps need: each is read once, as it may be a pipe."""

    survey: SurveyFacts | None
    existing: ExistingFile | None


def _given(options: MappingOptions) -> _Given:
    survey = None if options.profile is None else open_profile(options.profile).facts
    if options.check is None:
        return _Given(survey, None)
    return _Given(survey, ExistingFile(options.check, format_named(options.launcher or "")))


# ---- ranks and places --------------------------------------------------------------------------------------


def _matrix_of(options: MappingOptions) -> Matrix | None:
    """None where weights place the ranks."""
    if options.matrix is not None:
        return read_matrix(options.matrix, options.ranks)
    if options.halo is not None and options.ranks is not None:
        return Matrix(options.ranks, tuple(halo(options.ranks, options.halo)))
    return None


def _machine_of(options: MappingOptions, given: _Given) -> FoundMachine:
    """The machine that is named, else that of the profile, else this one; a node is that of every host."""
    if options.topology is not None:
        return machine_named(options.topology, options.folder)
    if options.profile is not None and given.survey is not None:
        return node_of_profile(given.survey, options.profile)
    return node_of(declared_topology(native_program(folder=options.folder)))


def _on_job(options: MappingOptions, given: _Given, job: _Job, node: FoundMachine) -> FoundMachine:
    network = None if given.survey is None else given.survey.network
    return repeated(on_hosts(with_threads(node, options.threads), job.hosts, network), options.per_place)


def _numbering(options: MappingOptions, found: FoundMachine) -> Numbering:
    return Numbering(found.topology or declared_topology(native_program(folder=options.folder)))


def _mapping(
    options: MappingOptions, given: _Given, job: _Job, found: FoundMachine, matrix: Matrix | None
) -> MappingFacts:
    if matrix is None:
        survey = given.survey or _declared(found)
        facts = placed_by_weights(options.code or "", found, survey, job.number, options.ranks or 1)
        if given.survey is None:
            facts.remarks.append(UNMEASURED)
        if not options.explain:
            facts.selections = []
        return facts
    how = (options.method, options.objective, options.seed, options.folder, options.engine)
    facts = mapped(Request(found, matrix, *how))
    facts.traffic = (
        str(options.matrix) if options.halo is None else f"halo, {format_value(options.halo, 'B')}"
    )
    return facts


def _targets(job: _Job, found: FoundMachine, mapping: Sequence[int]) -> list[MappedRank]:
    """Host and hardware threads of places of a node. A host that nobody named has no name."""
    hosts = job.hosts or ("",)
    return [
        MappedRank(host=hosts[place.host], cores=list(place.cores))
        for place in places_of(found, mapping, len(hosts))
    ]


def _coordinates(options: MappingOptions, node: FoundMachine, mapping: Sequence[int]) -> list[list[int]]:
    """Of the places of ranks on a torus or mesh."""
    if not isinstance(node.machine, LatticeMachine):
        return []
    shape = node.machine.shape
    return [list(coordinates(shape, place // options.per_place)) for place in mapping]


class _CheckedFile(NamedTuple):
    """A launch file that is there already, and how good its placement is."""

    name: str
    existing: ExistingMapping
    quality: MappingQuality

    def add_to(self, facts: MappingFacts) -> None:
        name = f"{self.name} (file)" if self.name in facts.baselines else self.name
        facts.baselines[name] = self.quality
        facts.checked_file, facts.checked_mapping = name, self.existing.mapping
        facts.remarks += self.existing.remarks


def _checked(
    options: MappingOptions, file: ExistingFile, job: _Job, found: FoundMachine, matrix: Matrix
) -> _CheckedFile:
    """Raises GromaError (exit code 2) for a file of other hosts, ranks or cores."""
    placement = file.read(_numbering(options, found), job.hosts)
    if len(placement.places) != matrix.ranks:
        raise GromaError(
            f"{file.path} places {counted(len(placement.places), 'rank')}, and {matrix.ranks} send messages",
            "check the file with the matrix of the same job",
        )
    existing = mapping_in(file, placement, found)
    return _CheckedFile(file.path.name, existing, quality_of(found.machine, matrix, existing.mapping))


def _declared(found: FoundMachine) -> SurveyFacts:
    """The facts behind the weights where there is no profile with measured ones."""
    if found.topology is None:
        raise GromaError("the weights of Servet need the cores of a node", OF_NODE)
    return survey_of(found.topology)


def _replay_of(options: MappingOptions, matrix: Matrix | None) -> Replay:
    if options.halo is not None and options.ranks is not None:
        return halo_replay(options.ranks, options.halo)
    if matrix is not None:
        return replay_of(matrix.traffic)
    if options.code == "memory":
        return triad_replay(TRIAD)
    return halo_replay(options.ranks or 1, HALO)


# ---- hosts and launches ------------------------------------------------------------------------------------


class _Job(NamedTuple):
    """`hosts` of the job in their order; `site` starts ranks on them, None where nothing is started."""

    hosts: tuple[str, ...]
    site: Site | None = None

    @property
    def number(self) -> int:
        return len(self.hosts) or 1


def _job_of(options: MappingOptions, given: _Given, node: FoundMachine) -> _Job:
    """A file for a launcher that is named needs nothing that is installed."""
    if not options.starts and (options.launch_file is None or options.launcher in FORMATS):
        return _Job(_named_hosts(options, given, node))
    if options.launcher in FORMATS and launcher_named(options.launcher) is None:
        raise GromaError(
            f"groma starts no ranks with {options.launcher}",
            "write the file alone, without --verify or --measure",
        )
    if not options.starts and options.launcher is not None:
        _refuse_misspelt(options.launcher)
    launch_options = LaunchOptions(
        folder=options.folder, launcher=options.launcher, hostfile=options.hostfile
    )
    site = site_of(Host(), REPLAY, launch_options)
    return _Job(hosts_of(site), site)


def _refuse_misspelt(launcher: str) -> None:
    """A file alone is written for more kinds of launchers than start ranks: the answer names those."""
    name, _, words = launcher.strip().partition(" ")
    known = {known for one in LAUNCHERS for known in (one.name, *one.programs)}
    if name and "{cmd}" not in words and name not in known and Host().find(name) is None:
        format_named(name)


def _named_hosts(options: MappingOptions, given: _Given, node: FoundMachine) -> tuple[str, ...]:
    """The nodes of a network whose launcher knows them by coordinates; else those of the host file, else of
    the launch file that is checked, else this one if a file needs one.
    """
    form = FORMATS.get(options.launcher or "")
    if form is not None and form.nodes_of is not None:
        return _nodes_by_coordinates(options, form, node)
    if options.hostfile is not None:
        return tuple(one.name for one in read_hosts(options.hostfile))
    if given.existing is not None:
        return given.existing.read(_numbering(options, node)).hosts
    return (platform.node(),) if options.launch_file is not None else ()


def _nodes_by_coordinates(options: MappingOptions, form: LaunchFormat, node: FoundMachine) -> tuple[str, ...]:
    if options.hostfile is not None:
        raise GromaError(f"a {form.title} has coordinates and no hosts", "leave out --hostfile")
    if form.nodes_of is None or not isinstance(node.machine, LatticeMachine):
        raise GromaError(
            f"a {form.title} has coordinates, and a {node.machine.title} has none",
            "name a network that has: --topology torus:4x4x2 or mesh:4x4x2",
        )
    return form.nodes_of(node.machine.shape)


@dataclass(frozen=True)
class _MappedJob:
    """A mapping on the hosts of a job: its file, where its ranks run, what it gains."""

    options: MappingOptions
    job: _Job
    found: FoundMachine
    facts: MappingFacts
    record_output: RecordOutput

    def launch(self, replay: Replay, say: Say) -> Record[MappingFacts]:
        """The record of the mapping, with what launches showed. Launchers read files where they are started,
        ranks the pattern where they run: a folder that hosts share.
        """
        shared = str(Path.cwd()) if self.job.number > 1 else None
        with tempfile.TemporaryDirectory(prefix="groma-map-", dir=shared) as folder:
            file = self._launch_file(self.options.launch_file or Path(folder) / "launch_file")
            file.write()
            self._announce(file)
            if self.job.site is None or not self.options.starts:
                return analysis_record(KIND, self.facts)
            refuse_absent(Host(), file)
            launches = Launches(Host(), self.job.site, file)
            experiment = Experiment(
                launches, replay, Path(folder) / "pattern", self.options.launches, self.options.seed, say
            )
            with self._sole_writer() as kept:
                record = begun(self.record_output, self.job.site.program.build, self.facts)
                self._start(record, experiment, kept)
            return record

    def _sole_writer(self) -> AbstractContextManager[Path]:
        """Yields the path beside which finished launches are kept; ranks that are only placed keep none."""
        output = self.record_output.output
        return sole_writer(output) if self.options.measure else nullcontext(output)

    def _launch_file(self, path: Path) -> LaunchFile:
        site, numbering = self.job.site, _numbering(self.options, self.found)
        # Where all hosts lie on the cores of one machine none is for one host alone.
        bound = site is None or not site.room.one_machine
        places = places_of(self.found, self.facts.mapping, self.job.number, bound=bound)
        placement = placement_of(self.job.hosts, places)
        if site is not None:
            return launch_file(site, placement, numbering, path)
        return LaunchFile(format_named(self.options.launcher or ""), placement, numbering, path)

    def _announce(self, file: LaunchFile) -> None:
        facts, placement = self.facts, file.placement
        facts.targets = [
            MappedRank(host=placement.hosts[place.host], cores=list(place.cores))
            for place in placement.places
        ]
        if self.options.launch_file:
            facts.launch_file, facts.launch_command = str(self.options.launch_file), file.use()
        facts.launcher = file.form.name
        if file.form.caution and splits_nodes(placement):
            facts.remarks.append(file.form.caution)
        if not placement.is_bound and are_places_apart(self.found, self.job.number):
            alone = hosts_alone("the launch file", self.found, self.job.number)
            facts.remarks.append(f"{alone}: the launcher decides which rank is on which")

    def _start(self, record: Record[MappingFacts], experiment: Experiment, kept: Path) -> None:
        with interruptible() as interruption:
            if self.options.verify:
                found = verified(experiment.launches, experiment.pattern, interruption)
                record.facts.verification = found
                refuse_misplaced(found)
            if self.options.measure:
                inference = GainInference(experiment)
                partial = inference.partial(record, self.record_output)
                partial.kept = kept
                self._measure(partial, inference, interruption)
                if kept != self.record_output.output:
                    remove_partial(kept, record)

    def _measure(
        self, partial: PartialRecord[MappingFacts], inference: GainInference, interruption: Interruption
    ) -> None:
        record, experiment = partial.record, inference.experiment
        samples = inference.samples_in(record)
        try:
            measure_launches(experiment, samples, interruption, partial.flush)
        except GromaError as problem:
            raise partial.saved(problem) from problem
        infer(record)
        if record.facts.gain is not None:
            record.facts.remarks += remarks_on(record.facts.gain)
