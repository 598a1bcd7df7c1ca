"""What verbs that start ranks share: options on how to start them, and the way from a run to its record."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from groma.cli.durations import parse_duration

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groma.cli.frame import F, Output
    from groma.launch.listener import Listener
    from groma.launch.prepare import Means, Prepared
    from groma.launch.run import Run
    from groma.launch.shape import Asked, Binding
    from groma.record import Advice, Record


@dataclass
class Launching:
    """How ranks are to be started, as it was typed."""

    ranks: int | None = None
    nodes: int | None = None
    ppn: int | None = None
    bind: Binding = "auto"
    launcher: str | None = None
    hostfile: str | None = None
    patience: str | None = None

    def asked(self, threads: int = 1) -> Asked:
        from groma.launch.shape import Asked  # noqa: PLC0415

        return Asked(ranks=self.ranks, nodes=self.nodes, per_node=self.ppn, threads=threads, bind=self.bind)

    def means(self, output: Output, earlier: Path | None = None) -> Means:
        """Raises GromaError for a patience that is no time."""
        from groma.launch.prepare import Means  # noqa: PLC0415

        return Means(
            folder=output.settings().native.path,
            launcher=self.launcher,
            hostfile=self.hostfile,
            silence=None if self.patience is None else parse_duration(self.patience),
            earlier=earlier,
        )


_OPTIONS = {
    "ranks": click.option("-n", "--ranks", type=click.IntRange(min=1), metavar="COUNT", help="Ranks of MPI."),
    "nodes": click.option("--nodes", type=click.IntRange(min=1), metavar="COUNT", help="Machines to use."),
    "ppn": click.option("--ppn", type=click.IntRange(min=1), metavar="COUNT", help="Ranks on each machine."),
    "bind": click.option(
        "--bind", type=click.Choice(["auto", "core", "none"]), default="auto", help="Ranks to cores."
    ),
    "launcher": click.option(
        "--launcher", metavar="NAME", help="A launcher by name, or a template with {cmd}."
    ),
    "hostfile": click.option(
        "--hostfile", metavar="FILE", help="Machines to start on, one a line, as the launcher writes them."
    ),
    "patience": click.option(
        "--patience", metavar="TIME", help="End a launch that says nothing for so long."
    ),
}


def launch_options(function: F) -> F:
    """All of them, as the argument `launching` of a verb."""
    return _packed(function, tuple(_OPTIONS))


def shapeless_launch_options(function: F) -> F:
    """Those of a verb that chooses the shapes of its launches itself."""
    return _packed(function, ("nodes", "ppn", "launcher", "hostfile", "patience"))


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
    setup: Prepared,
    headline: str,
    start: Callable[[Listener, tuple[Advice, ...]], Run[Any]],
    *,
    redact: bool,
) -> Record[Any]:
    """Run what `start` makes, with progress, until it is done or interrupted."""
    from groma.doctor import advice_of, examine  # noqa: PLC0415
    from groma.launch.native import interruptible  # noqa: PLC0415
    from groma.record.redact import redacted_here  # noqa: PLC0415
    from groma.report.progress import progress_for  # noqa: PLC0415

    output.say(headline)
    with progress_for(setup, output.settings().output.progress, quiet=output.quiet) as listener:
        run = start(listener, tuple(advice_of(examine())))
        if redact:
            run.redact = redacted_here
        with interruptible() as interruption:
            return run.run(interruption)


def told(output: Output, record: Record[Any], path: Path, also: str = "") -> None:
    """The record on the terminal or in a pipe, and where it lies."""
    from groma.report.terminal import document_of  # noqa: PLC0415

    output.show(record, lambda: document_of(record))
    output.say(f"record: {path}   {also}(groma report {path} makes a page of it)")
