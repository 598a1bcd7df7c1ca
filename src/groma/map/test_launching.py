"""Launches under a mapping: their commands, what they find, what they gain."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.mapping import MappingFacts, MappingQuality
from groma.facts.opening import records_in
from groma.host.host import FakeHost
from groma.launch.command import SelectedLauncher
from groma.launch.launchers import launcher_named
from groma.launch.mpi_programs import MpiProgram
from groma.launch.prepare import Site, Timeouts
from groma.launch.shape import Room
from groma.map.conftest import PLAIN
from groma.map.gain_inference import GainInference, RecordOutput, begun, infer
from groma.map.launch_files.formats import FORMATS, format_named
from groma.map.launch_files.placement import Numbering, Placement, placement_of
from groma.map.launching import Launches, LaunchFile, launch_file, refuse_absent
from groma.map.measure import LAUNCHES, Experiment, gain_of, measure_launches, new_samples, remarks_on
from groma.map.place import Place
from groma.map.replay import halo_replay, triad_replay
from groma.map.verify import placed_ranks, refuse_misplaced, verified
from groma.record import Build
from groma.record.launch import RankPlace
from groma.run.interruption import Interruption
from groma.run.job import JobResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.placed import Gain
    from groma.launch.command import Command
    from groma.record import Record

BOUND = placement_of(["a", "b"], [Place(1, (0, 1)), Place(0, (4,))])
UNBOUND = placement_of(["a", "b"], [Place(1), Place(0)])


def site(name: str = "openmpi", hostfile: str | None = "/hosts") -> Site:
    launcher = launcher_named(name)
    assert launcher is not None
    selected = SelectedLauncher(
        launcher=launcher, program=f"/usr/bin/{launcher.programs[0]}", hostfile=hostfile, hosts=("a", "b")
    )
    program = MpiProgram(path="/opt/groma-replay", family="", mpi="an MPI", blas="", build=Build(version="1"))
    return Site(selected, program, Room(nodes=2, cores=8))


class FakeJob:
    """Answers as ranks that run where `places` says; an iteration takes `seconds(command)`.

    The user interrupts launch number `interrupted`, from 0.
    """

    def __init__(
        self,
        places: Callable[[Command], list[tuple[str, list[int]]]],
        seconds: Callable[[Command], float] = lambda _: 1.0,
        wrong: float = 0.0,
        interrupted: int | None = None,
    ) -> None:
        self.places, self.seconds, self.wrong, self.interrupted = places, seconds, wrong, interrupted
        self.started: list[Command] = []

    def __call__(
        self,
        command: Command,
        on_line: Callable[[bytes], bool | None],
        interruption: Interruption,
        timeouts: Timeouts,  # noqa: ARG002
    ) -> JobResult:
        if len(self.started) == self.interrupted:
            interruption.requested = True
            return JobResult("interrupted", 0)
        self.started.append(command)
        for event in self._events(command):
            on_line(json.dumps(event).encode().replace(b'"event": ', b'"event":') + b"\n")
        return JobResult("finished", 3 if self.wrong else 0)

    def _events(self, command: Command) -> list[dict[str, Any]]:
        placement = [
            {"rank": rank, "host": host, "boot_id": "x", "cpus": cpus}
            for rank, (host, cpus) in enumerate(self.places(command))
        ]
        plan = {"tests": ["replay"]}
        case = {"unit": "s", "series": "iteration", "mode": "mpi", "rank": 0}
        check = {"name": "wrong results", "value": self.wrong, "limit": 0, "passed": not self.wrong}
        value = self.seconds(command)
        return [
            {"event": "run", "ranks": 2, "build": {"version": "1"}, "plan": plan, "placement": placement},
            {"event": "begin", "probe": "replay", "seed": 0, "cases": [case]},
            {"event": "sample", "case": 0, "round": 0, "value": value},
            {"event": "round", "round": 0, "elapsed": value},
            {"event": "end", "ended": "stable"},
            {"event": "outcome", "benchmark": "replay", "checks": [check], "facts": {}},
        ]


def obedient(_command: Command) -> list[tuple[str, list[int]]]:
    return [("b.domain", [0, 1]), ("a.domain", [4])]


def launches(
    path: Path,
    job: FakeJob,
    placement: Placement = BOUND,
    name: str = "openmpi",
    hostfile: str | None = "/hosts",
) -> Launches:
    where = site(name, hostfile)
    file = launch_file(where, placement, Numbering(PLAIN), path / "file")
    file.write()
    return Launches(FakeHost(), where, file, job)


@pytest.mark.parametrize(
    ("name", "placement", "words"),
    [
        ("openmpi", BOUND, "-n 2 --hostfile /hosts --rankfile {file}"),
        ("openmpi", UNBOUND, "-n 2 --mca rmaps seq --hostfile {file} --bind-to none"),
        ("openmpi-5", BOUND, "-n 2 --hostfile /hosts --map-by rankfile:file={file}"),
        ("openmpi-5", UNBOUND, "-n 2 --hostfile /hosts --map-by seq:file={file} --bind-to none"),
        ("mpich", BOUND, "-n 2 -f {file}"),
        ("intel-mpi", BOUND, "-n 2 -f {file}"),
        ("slurm", UNBOUND, "-n 2 -W 30 --distribution=arbitrary --cpu-bind=none"),
    ],
)
def test_a_launcher_gets_the_file_in_place_of_its_own_rules(
    tmp_path: Path, name: str, placement: Placement, words: str
) -> None:
    command = launches(tmp_path, FakeJob(obedient), placement, name).mapped(triad_replay(64), tmp_path)
    line = " ".join(command.words[1:])
    assert line.startswith(words.format(file=tmp_path / "file"))
    assert line.endswith("/opt/groma-replay run --triad 64")
    assert ("SLURM_HOSTFILE" in command.variables) == (name == "slurm")


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("openmpi", "mpirun --rankfile 'my ranks' -n 2 ./app"),
        ("openmpi-5", "mpirun --map-by 'rankfile:file=my ranks' -n 2 ./app"),
        ("mpich", "mpiexec -f 'my ranks' -n 2 ./app"),
        (
            "slurm",
            "SLURM_HOSTFILE='my ranks' srun -n 2 --distribution=arbitrary --cpu-bind=mask_cpu:0x3 ./app",
        ),
        ("permutation", "in the program: MPI_Comm_split(MPI_COMM_WORLD, 0, key, ...)"),
    ],
)
def test_a_launch_file_says_how_it_is_used(name: str, use: str) -> None:
    alike = placement_of(["a", "b"], [Place(1, (0, 1)), Place(0, (0, 1))])
    assert LaunchFile(format_named(name), alike, Numbering(PLAIN), Path("my ranks")).use() == use


@pytest.mark.parametrize("name", FORMATS)
def test_the_use_of_every_launch_file_names_the_file_or_what_reads_it(name: str) -> None:
    """No field of the table is left as it is."""
    use = LaunchFile(format_named(name), UNBOUND, Numbering(PLAIN), Path("places")).use()
    assert "{" not in use
    assert "places" in use or name == "permutation"


def test_the_default_has_the_same_ranks_and_hosts_but_no_words_on_places(tmp_path: Path) -> None:
    command = launches(tmp_path, FakeJob(obedient)).by_default(triad_replay(64), tmp_path)
    assert " ".join(command.words[1:]).startswith("-n 2 --hostfile /hosts ")
    assert not {"--map-by", "--bind-to", "--rankfile"} & set(command.words)


def test_a_launcher_without_launch_files_is_refused(tmp_path: Path) -> None:
    for where in (
        site("pals"),
        site()._replace(selected=msgspec.structs.replace(site().selected, template="x {cmd}")),
    ):
        with pytest.raises(GromaError, match="no launch file"):
            launch_file(where, BOUND, Numbering(PLAIN), tmp_path / "file")


@pytest.mark.parametrize(("allowed", "named"), [({0, 1, 2, 3}, "4"), ({4, 5}, "0-1"), ({9}, "0-1,4")])
def test_processors_that_are_absent_are_named_before_a_launch(
    tmp_path: Path, allowed: set[int], named: str
) -> None:
    here = placement_of(["walnut"], [Place(0, (0, 1)), Place(0, (4,))])
    file = launch_file(site(), here, Numbering(PLAIN), tmp_path / "file")
    with pytest.raises(GromaError, match=f"needs processors {named}, .* of walnut") as refused:
        refuse_absent(FakeHost(allowed=allowed), file)
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    "placement",
    [
        placement_of(["walnut"], [Place(0, (4, 5))]),
        placement_of(["walnut"], [Place(0)]),
        placement_of(["oak"], [Place(0, (0, 1))]),
        placement_of(["walnut", "oak"], [Place(0, (4,)), Place(1, (0,))]),
    ],
)
def test_ranks_without_cores_and_on_other_machines_are_left_to_the_launch(
    tmp_path: Path, placement: Placement
) -> None:
    file = launch_file(site(), placement, Numbering(PLAIN), tmp_path / "file")
    refuse_absent(FakeHost(allowed={4, 5}), file)


def test_ranks_where_they_are_planned_are_verified(tmp_path: Path) -> None:
    found = verified(launches(tmp_path, FakeJob(obedient)), tmp_path / "pattern", Interruption())
    assert not found.misplaced
    refuse_misplaced(found)


@pytest.mark.parametrize(
    ("places", "named"),
    [
        ([("a", [0, 1]), ("a", [4])], r"1 of 2 .*rank 0 runs on a 0-1, not on b 0-1"),
        ([("b", [0, 1]), ("a", [5])], r"1 of 2 .*rank 1 runs on a 5, not on a 4"),
        ([("b", [0, 1, 2, 3]), ("a", [4])], "rank 0 runs on b 0-3, not on b 0-1"),
    ],
)
def test_a_rank_elsewhere_is_named(tmp_path: Path, places: list[tuple[str, list[int]]], named: str) -> None:
    found = verified(launches(tmp_path, FakeJob(lambda _: places)), tmp_path / "pattern", Interruption())
    with pytest.raises(GromaError, match=named) as refused:
        refuse_misplaced(found)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT


def test_an_unbound_rank_may_be_anywhere_on_its_host(tmp_path: Path) -> None:
    job = FakeJob(lambda _: [("b", [0, 1, 2]), ("a", [7])])
    assert not verified(launches(tmp_path, job, UNBOUND), tmp_path / "pattern", Interruption()).misplaced


def test_ranks_that_do_not_answer_are_no_verification(tmp_path: Path) -> None:
    job = FakeJob(lambda _: [("b", [0, 1])])
    with pytest.raises(GromaError, match="1 rank answered, 2 were mapped"):
        verified(launches(tmp_path, job), tmp_path / "pattern", Interruption())


def is_mapped(command: Command) -> bool:
    return "--rankfile" in command.words


def measured_gain(experiment: Experiment, interruption: Interruption) -> Gain:
    samples = new_samples(experiment)
    measure_launches(experiment, samples, interruption)
    gain = gain_of(samples, experiment.replay.title)
    assert gain is not None
    return gain


def test_the_gain_is_the_time_by_default_over_that_under_the_mapping(tmp_path: Path) -> None:
    job = FakeJob(obedient, lambda command: 1.0 if is_mapped(command) else 3.0)
    gain = measured_gain(
        Experiment(launches(tmp_path, job), halo_replay(2, 8), tmp_path / "p"), Interruption()
    )
    assert gain.gain.value == pytest.approx(3.0)
    assert gain.gain.low == pytest.approx(3.0)
    assert gain.default_hosts == ["b.domain", "a.domain"]
    assert (tmp_path / "p").read_text() == "0 1 8 1\n1 0 8 1\n"


@pytest.mark.parametrize(("pairs", "share"), [(2, "67\u00a0%"), (3, "90\u00a0%"), (4, ""), (LAUNCHES, "")])
def test_an_interval_of_too_few_launches_says_how_sure_it_is(tmp_path: Path, pairs: int, share: str) -> None:
    experiment = Experiment(
        launches(tmp_path, FakeJob(obedient)), halo_replay(2, 8), tmp_path / "p", pairs=pairs
    )
    said = (
        f"with {pairs} launches of each placement, the interval of the gain has a confidence of {share}; "
        "5 give at least 95\u00a0%"
    )
    assert remarks_on(measured_gain(experiment, Interruption())) == ([said] if share else [])


def test_launches_of_both_kinds_take_turns(tmp_path: Path) -> None:
    job = FakeJob(obedient)
    measured_gain(
        Experiment(launches(tmp_path, job), halo_replay(2, 8), tmp_path / "p", pairs=6), Interruption()
    )
    kinds = [is_mapped(command) for command in job.started]
    assert all(kinds[turn] != kinds[turn + 1] for turn in range(0, 12, 2))
    assert len(set(kinds[::2])) == 2, "the order within a pair is drawn"


def test_a_replay_with_wrong_results_is_no_measurement(tmp_path: Path) -> None:
    job = FakeJob(obedient, wrong=2.0)
    with pytest.raises(GromaError, match="wrong results is 2") as refused:
        measured_gain(Experiment(launches(tmp_path, job), halo_replay(2, 8), tmp_path / "p"), Interruption())
    assert refused.value.exit_code == ExitCode.VALIDATION_FAILED


def facts_of_two_ranks() -> MappingFacts:
    return MappingFacts(mapping=[1, 0], quality=MappingQuality(hop_bytes=0.0), launcher="openmpi")


def measured_until(tmp_path: Path, job: FakeJob, *, resume: bool = False) -> Record[MappingFacts]:
    experiment = Experiment(launches(tmp_path, job), halo_replay(2, 8), tmp_path / "p")
    record_output = RecordOutput(tmp_path / "m.json", resume)
    record = begun(record_output, Build(version="1"), facts_of_two_ranks())
    inference = GainInference(experiment)
    samples = inference.samples_in(record)
    partial = inference.partial(record, record_output)
    try:
        measure_launches(experiment, samples, Interruption(), partial.flush)
    except GromaError as problem:
        raise partial.saved(problem) from problem
    infer(record)
    return record


def test_launches_before_an_interruption_are_kept_and_resumed(tmp_path: Path) -> None:
    def seconds(command: Command) -> float:
        return 1.0 if is_mapped(command) else 3.0

    with pytest.raises(GromaError, match="3 of 10 launches are saved in") as stopped:
        measured_until(tmp_path, FakeJob(obedient, seconds, interrupted=3))
    assert stopped.value.exit_code == ExitCode.INTERRUPTED
    assert "--resume" in stopped.value.next_step
    (partial,) = records_in(tmp_path / "m.partial.json")
    assert partial.unfinished is not None
    assert partial.unfinished.done == 3
    assert "--resume" in partial.unfinished.next
    assert partial.facts.gain.gain.value == pytest.approx(3.0)
    rest = FakeJob(obedient, seconds)
    record = measured_until(tmp_path, rest, resume=True)
    assert len(rest.started) == 7
    assert [len(values) for values in record.samples["replay"].values] == [5, 5]
    assert record.facts.gain is not None
    assert record.facts.gain.default_hosts == ["b.domain", "a.domain"]


def test_an_interruption_before_the_first_launch_leaves_no_record(tmp_path: Path) -> None:
    job = FakeJob(obedient, interrupted=0)
    with pytest.raises(GromaError) as stopped:
        measured_until(tmp_path, job)
    assert stopped.value.exit_code == ExitCode.INTERRUPTED
    assert not (tmp_path / "m.partial.json").exists()


def test_launches_of_another_mapping_or_kernel_are_not_resumed(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="nothing to resume"):
        measured_until(tmp_path, FakeJob(obedient), resume=True)
    with pytest.raises(GromaError):
        measured_until(tmp_path, FakeJob(obedient, interrupted=3))
    record_output = RecordOutput(tmp_path / "m.json", resume=True)
    other = msgspec.structs.replace(facts_of_two_ranks(), mapping=[0, 1])
    with pytest.raises(GromaError, match="another mapping"):
        begun(record_output, Build(version="1"), other)
    record = begun(record_output, Build(version="1"), facts_of_two_ranks())
    wide = Experiment(launches(tmp_path, FakeJob(obedient)), halo_replay(2, 16), tmp_path / "p")
    with pytest.raises(GromaError, match="another kernel"):
        GainInference(wide).samples_in(record)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "::1"])
def test_a_loopback_address_is_this_machine(name: str) -> None:
    placement = placement_of([name], [Place(0)])
    here = RankPlace(rank=0, host=socket.gethostname(), cpus=[0])
    (placed,) = placed_ranks(placement, Numbering(PLAIN), [here])
    assert placed.is_as_planned
