"""groma filter: keep some of the records of a trace."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, part_option, pass_output


@click.command(
    "filter",
    cls=Verb,
    examples=[
        "groma filter trace.prv --types 50000001-50000005  # calls of MPI only",
        "groma filter groma-trace --burst 1ms --message 64KiB -o large.prv  # long bursts, large messages",
    ],
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--states", metavar="LIST", help="Keep these states: 1,8-13.")
@click.option("--types", metavar="LIST", help="Keep events of these types: 50000001-50000005.")
@click.option("--without-types", metavar="LIST", help="Leave out events of these types.")
@click.option(
    "--ranks", metavar="LIST", help="Keep these ranks of each application, and messages between them: 0-63."
)
@click.option("--burst", metavar="TIME", help="Keep computation (state Running) that lasts at least TIME.")
@click.option("--message", metavar="SIZE", help="Keep messages of at least SIZE.")
@click.option(
    "--no",
    "left_out",
    multiple=True,
    type=click.Choice(["states", "events", "messages"]),
    help="Leave out all records of a kind. May be given several times.",
)
@part_option("-filtered")
@pass_output
def command(
    output: Output,
    /,
    trace: Path,
    states: str | None,
    types: str | None,
    without_types: str | None,
    ranks: str | None,
    burst: str | None,
    message: str | None,
    left_out: tuple[str, ...],
    target: Path | None,
) -> None:
    """Write the records of TRACE that satisfy all rules. Without rules, write all of them.

    Rows stay as they are, also those of which nothing is kept.
    """
    from groma.record.typed_amounts import parse_size  # noqa: PLC0415
    from groma.report.trace_editing import edited_document  # noqa: PLC0415
    from groma.trace.editing import filter_trace, nanoseconds, numbers  # noqa: PLC0415

    lists = {"states": states, "types": types, "without-types": without_types, "ranks": ranks}
    rules = [
        f"--{_WORDS.get(name, name)}={numbers(text, f'--{name}')}"
        for name, text in lists.items()
        if text is not None
    ]
    if burst is not None:
        rules.append(f"--shortest-burst={nanoseconds(burst, None)}")
    if message is not None:
        rules.append(f"--smallest-message={parse_size(message)}")
    rules += [f"--no-{kind}" for kind in left_out]
    made = filter_trace(trace, target, rules, output.settings().native.path)
    output.show(made, lambda: edited_document(made))


_WORDS = {"ranks": "tasks"}
"""What groma-trace-store calls them, where it has another word."""
