"""What verbs that start ranks share: options on how to start them, and the way from a run to its record."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.errors import GromaError
from groma.record.typed_amounts import parse_duration

if TYPE_CHECKING:
    from groma.cli.frame import F, Output
    from groma.launch.prepare import LaunchOptions
    from groma.launch.shape import Binding, RequestedShape
    from groma.record import Record
    from groma.report.progress import Plan
    from groma.run.run import Run


@dataclass
class Launching:
    """How ranks are to be started, as it was typed."""

    ranks: int | None = None
    nodes: int | None = None
    ppn: int | None = None
    bind: Binding = "auto"
    launcher: str | None = None
    hostfile: str | None = None
    timeout: str | None = None

    @property
    def inputs(self) -> list[Path]:
        """Files that are read before ranks start."""
        return [Path(self.hostfile)] if self.hostfile else []

    def requested_shape(self, threads: int = 1) -> RequestedShape:
        from groma.launch.shape import RequestedShape  # noqa: PLC0415

        return RequestedShape(
            ranks=self.ranks, nodes=self.nodes, per_node=self.ppn, threads=threads, bind=self.bind
        )

    def options(self, output: Output, earlier: Path | None = None) -> LaunchOptions:
        """Raises GromaError for a timeout that is no time, or none at all."""
        from groma.launch.prepare import LaunchOptions  # noqa: PLC0415

        timeout = None if self.timeout is None else parse_duration(self.timeout)
        if timeout == 0.0:
            raise GromaError(f"--timeout {self.timeout} ends every launch at once", "use a time such as 5m")

        return LaunchOptions(
            folder=output.settings().native.path,
            launcher=self.launcher,
            hostfile=self.hostfile,
            timeout=timeout,
            earlier=earlier,
        )


_OPTIONS = {
    "ranks": click.option(
        "-n",
        "--ranks",
        type=click.IntRange(min=1),
        metavar="COUNT",
        help="Total number of ranks (default: as many as fill the cores).",
    ),
    "nodes": click.option(
        "--nodes",
        type=click.IntRange(min=1),
        metavar="COUNT",
        help="Number of machines (default: those of the job or of --hostfile).",
    ),
    "ppn": click.option(
        "--ppn",
        type=click.IntRange(min=1),
        metavar="COUNT",
        help="Ranks on each machine (default: as many as fill its cores).",
    ),
    "bind": click.option(
        "--bind",
        type=click.Choice(["auto", "core", "none"]),
        default="auto",
        show_default=True,
        help="Binding of ranks to cores.",
    ),
    "launcher": click.option(
        "--launcher",
        metavar="NAME",
        help="Name of a launcher, or a template with {cmd} (default: the one found here).",
    ),
    "hostfile": click.option(
        "--hostfile", metavar="FILE", help="Host file in the format of the launcher, one host per line."
    ),
    "timeout": click.option(
        "--timeout",
        metavar="TIME",
        help="End a launch that prints nothing for this time (default: as --dry-run prints).",
    ),
}


def launch_options(function: F) -> F:
    """All of them, as the argument `launching` of a verb."""
    return _packed(function, tuple(_OPTIONS))


def shapeless_launch_options(function: F) -> F:
    """Those of a verb that chooses the shapes of its launches itself."""
    return _packed(function, ("nodes", "ppn", "launcher", "hostfile", "timeout"))


def _packed(function: F, names: tuple[str, ...]) -> F:
    @functools.wraps(function)
    def packed(*arguments: Any, **given: Any) -> Any:
        own = {name: given.pop(name) for name in names}
        return function(*arguments, launching=Launching(**own), **given)

    for name in reversed(names):
        packed = _OPTIONS[name](packed)
    return packed  # type: ignore[return-value]


def measured(
    output: Output,
    plan: Plan,
    run: Run[Any],
    *,
    redact: bool,
) -> Record[Any]:
    """Run it with progress until it is done or interrupted."""
    from groma.doctor import advice_of, examine  # noqa: PLC0415
    from groma.record.redact import redacted_here  # noqa: PLC0415
    from groma.report.progress import progress_for  # noqa: PLC0415
    from groma.run.interruption import interruptible  # noqa: PLC0415

    with progress_for(plan, output.settings().output.progress, quiet=output.quiet) as listener:
        run.listener, run.beforehand = listener, tuple(advice_of(examine()))
        if redact:
            run.partial.redact = redacted_here
        with interruptible() as interruption:
            return run.run(interruption)


def show_record(
    output: Output, record: Record[Any], path: Path, *, noun: str = "record", also: str = ""
) -> None:
    """The record on the terminal or in a pipe, and where it lies."""
    from groma.report.terminal import document_of  # noqa: PLC0415

    output.show(record, lambda: document_of(record))
    output.say_record(path, noun=noun, also=also)
