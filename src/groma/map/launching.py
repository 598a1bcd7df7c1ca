"""Start ranks under a mapping, or as the launcher places them by itself.

Both launches have the same launcher, ranks and hosts; only the words that place ranks differ.
"""

from __future__ import annotations

import platform
import shlex
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.prepare import LaunchPlan, Timeouts, Tool, command_of
from groma.launch.shape import Shape
from groma.map.launch_files.formats import format_named
from groma.record.launch import Plan
from groma.record.units import format_ids
from groma.run.job import run_job
from groma.run.launch_results import EventParser, LaunchResults
from groma.run.problems import LaunchEnd, problem_of

if TYPE_CHECKING:
    from pathlib import Path

    from groma.host.host import Host
    from groma.launch.command import Command, SelectedLauncher
    from groma.launch.prepare import Site
    from groma.map.launch_files.formats import LaunchFormat
    from groma.map.launch_files.placement import Numbering, Placement
    from groma.map.replay import Replay
    from groma.run.interruption import Interruption
    from groma.run.job import Job

REPLAY = Tool("groma-replay", "groma map")

TIMEOUTS = Timeouts(start=120.0, silence=300.0)

_BINDINGS = ("core", "none", "oversubscribed")


def hosts_of(site: Site) -> tuple[str, ...]:
    """The machines that the launcher starts on, by the names that it knows."""
    return site.selected.hosts or (platform.node(),)


class LaunchFile(NamedTuple):
    """A mapping as a file of the launcher that is here."""

    form: LaunchFormat
    placement: Placement
    numbering: Numbering
    path: Path

    def write(self) -> None:
        """Raises GromaError (exit code 2) where the launcher cannot place ranks like this."""
        self.path.write_text(self.form.written(self.placement, self.numbering), encoding="utf-8")

    def flags(self) -> tuple[str, ...]:
        return tuple(
            word.replace("{file}", str(self.path)) for word in self.form.flags(self.placement, self.numbering)
        )

    def variables(self) -> dict[str, str]:
        return {name: value.replace("{file}", str(self.path)) for name, value in self.form.variables}

    def use(self) -> str:
        """How users start ranks with it, to be pasted into a shell."""
        return self.form.use.format(
            variables=" ".join(f"{name}={shlex.quote(value)}" for name, value in self.variables().items()),
            flags=shlex.join(self.flags()),
            ranks=len(self.placement.places),
            file=shlex.quote(str(self.path)),
        )


def launch_file(site: Site, placement: Placement, numbering: Numbering, path: Path) -> LaunchFile:
    """In the format of the selected launcher. Raises GromaError (exit code 2) where it takes none."""
    name = site.selected.launcher.name
    if site.selected.template or not site.selected.program:
        raise GromaError("this launcher takes no launch file", "use --launcher openmpi, mpich or slurm")
    return LaunchFile(format_named("mpich" if name == "intel-mpi" else name), placement, numbering, path)


def refuse_absent(host: Host, file: LaunchFile) -> None:
    """Where ranks run on this machine alone; what others have, their launch tells.

    Raises GromaError (exit code 2) for processors that are not here, or that this process may not use.
    """
    allowed, placement = host.affinity(), file.placement
    if allowed is None or placement.hosts != (host.name(),):
        return
    needed = {one for place in placement.places for one in file.numbering.kernel_numbers(place.cores)}
    if needed - allowed:
        raise GromaError(
            f"the mapping needs processors {format_ids(sorted(needed - allowed))}, "
            f"and this command may use {format_ids(sorted(allowed))} of {host.name()}",
            "map with a profile of this machine, in a shell that may use all of its cores",
        )


@dataclass(frozen=True)
class Launches:
    """Launches of groma-replay at one place, with and without a launch file."""

    host: Host
    site: Site
    file: LaunchFile
    job: Job = run_job

    def mapped(self, replay: Replay, path: Path) -> Command:
        """The command that starts it under the mapping. `path` is that of the pattern."""
        command = self._command(_with_launch_file(self.site.selected, self.file), replay, path)
        return msgspec.structs.replace(command, variables=command.variables | self.file.variables())

    def by_default(self, replay: Replay, path: Path) -> Command:
        """As the launcher places ranks by itself."""
        return self._command(_placing(self.site.selected, ()), replay, path)

    def _command(self, selected: SelectedLauncher, replay: Replay, path: Path) -> Command:
        kernel = ["--pattern", str(path)] if replay.pattern else ["--triad", str(replay.triad)]
        return command_of(self.host, self.site._replace(selected=selected), self._shape(), kernel)

    def _shape(self) -> Shape:
        on_hosts = [len(ranks) for ranks in self.file.placement.on_hosts() if ranks]
        crowded = max(on_hosts) * (len(on_hosts) if self.site.room.one_machine else 1)
        return Shape(
            ranks=sum(on_hosts),
            nodes=len(on_hosts),
            per_node=max(on_hosts),
            bind="oversubscribed" if crowded > self.site.room.cores else "none",
        )

    def run(self, command: Command, interruption: Interruption) -> LaunchResults:
        """Raises GromaError: exit code 4 for a launch that fails, 3 for wrong results, 130 if interrupted."""
        event_parser = EventParser()
        ended = self.job(command, event_parser.take, interruption, TIMEOUTS)
        plan = LaunchPlan(
            selected=self.site.selected,
            program=self.site.program,
            shape=self._shape(),
            plan=Plan(),
            steps=(),
            command=command,
            timeouts=TIMEOUTS,
        )
        problem = problem_of(LaunchEnd(REPLAY, plan, event_parser.results, ended), _retry)
        if problem is not None:
            raise problem
        _refuse_wrong(event_parser.results)
        return event_parser.results


def _retry(_current: str | None) -> str:
    return "write the file with --launch-file FILE, and start a program of yours with it by hand"


def _refuse_wrong(known: LaunchResults) -> None:
    failed = [check for one in known.outcomes.values() for check in one.checks if not check.passed]
    if failed:
        raise GromaError(
            f"the replay went wrong: {failed[0].in_words()}",
            "check MPI and the network: groma survey --network",
            ExitCode.VALIDATION_FAILED,
        )


def _placing(selected: SelectedLauncher, words: tuple[str, ...]) -> SelectedLauncher:
    """The launcher with these words in place of all that places ranks."""
    launcher = selected.launcher
    hostfile = () if launcher.hostfile and launcher.hostfile[0] in words else launcher.hostfile
    placed = msgspec.structs.replace(
        launcher, placement=dict.fromkeys(_BINDINGS, words), nodes=(), hostfile=hostfile
    )
    return msgspec.structs.replace(selected, launcher=placed)


def _with_launch_file(selected: SelectedLauncher, file: LaunchFile) -> SelectedLauncher:
    return _placing(selected, file.flags())


def time_of(known: LaunchResults) -> float:
    """The median time (s) of an iteration in one launch."""
    (samples,) = known.samples.values()
    return statistics.median(samples.values[0])
