"""groma survey: measure what this machine really is and write its profile.

The node survey runs here; docs/tutorial.md walks through it.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from groma.cli.frame import Output, Verb, pass_output
from groma.errors import GromaError

_TIME = re.compile(r"(?P<amount>\d+(\.\d+)?)\s*(?P<unit>s|m|min|h)?$")
_SECONDS = {None: 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float:
    """Seconds of "90", "90s", "1.5m" or "2h". Raises GromaError."""
    match = _TIME.match(text.strip())
    if not match:
        raise GromaError(f"{text!r} is no time", "write for example 30s, 2m or 1h")
    return float(match["amount"]) * _SECONDS[match["unit"]]


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


@click.command(
    cls=Verb,
    examples=[
        "groma survey  # about a minute; writes groma-profile.json",
        "groma survey --quick  # a first look in seconds",
        "groma survey --only load_latency,tlb_reach -o caches.json  # two probes",
        "groma survey --resume  # go on after an interruption",
        "groma survey --dry-run  # what would run and for how long",
    ],
)
@click.option("--quick", "depth", flag_value="quick", help="Fewer samples: a first look.")
@click.option("--thorough", "depth", flag_value="thorough", help="More samples: for a reference.")
@click.option("--depth", "depth", type=click.Choice(["quick", "standard", "thorough"]), help="How much.")
@click.option("--only", metavar="A,B", help="Run these probes only (groma list names them).")
@click.option("--skip", metavar="A,B", help="Leave these probes out.")
@click.option("--budget", metavar="TIME", help="Time for all probes together, such as 30s or 2m.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of every random choice.")
@click.option("-o", "--output", "target", metavar="FILE", help="Where the profile goes.")
@click.option("--resume", is_flag=True, help="Keep what an interrupted run measured and do the rest.")
@click.option("--dry-run", is_flag=True, help="Only say what would run.")
@click.option("--redact", is_flag=True, help="Leave host and user names out of the profile.")
@pass_output
def command(
    output: Output,
    depth: str | None,
    only: str | None,
    skip: str | None,
    budget: str | None,
    seed: int | None,
    target: str | None,
    *,
    resume: bool,
    dry_run: bool,
    redact: bool,
) -> None:
    """Measure this machine and write its profile, with raw samples, method and environment."""
    settings = output.settings(
        survey__depth=depth,
        survey__only=_names(only),
        survey__skip=_names(skip),
        survey__seed=seed,
        survey__output=target,
    )
    from groma.doctor import advice_of, examine  # noqa: PLC0415
    from groma.launch.native import interruptible, native_program  # noqa: PLC0415
    from groma.report.plan import plan_document  # noqa: PLC0415
    from groma.report.progress import counted, progress_for, spoken  # noqa: PLC0415
    from groma.report.terminal import document_of  # noqa: PLC0415
    from groma.survey.plan import Wish  # noqa: PLC0415
    from groma.survey.run import Survey  # noqa: PLC0415
    from groma.survey.session import drawn_seed, measure_with, plan_here, prepared_record  # noqa: PLC0415

    wish = Wish(
        depth=settings.survey.depth,
        only=settings.survey.only,
        skip=settings.survey.skip,
        seed=drawn_seed() if settings.survey.seed is None else settings.survey.seed,
        budget=None if budget is None else parse_duration(budget),
    )
    program = native_program(folder=settings.native.path)
    plan = plan_here(program, wish)
    if dry_run:
        output.show(plan, lambda: plan_document(plan))
        return
    path = Path(settings.survey.output)
    record = prepared_record(program, plan, path, resume=resume, redact=redact)
    output.say(
        f"groma survey ({plan.depth}): {counted(len(plan.steps), 'probe')}, {spoken(plan.budget)} at most"
    )
    with progress_for(plan, settings.output.progress, quiet=output.quiet) as listener:
        survey = Survey(plan, record, path, measure_with(program), listener, tuple(advice_of(examine())))
        with interruptible() as interruption:
            survey.run(interruption)
    output.show(record, lambda: document_of(record))
    output.say(f"profile: {path}   (groma report {path} makes a page of it)")
