"""groma compare: say what changed between records, and check them against gates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.cli.frame import Output, Verb, pass_output, redact_option
from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.cli.report import NamedFile
    from groma.compare.compare import Named
    from groma.compare.gates import Gate
    from groma.compare.references import Reference
    from groma.facts.comparison import ComparisonFacts
    from groma.record import Record
    from groma.report.document import Document


class _Sides(Verb):
    """Takes every file after --against as one of it, so that a shell may expand a pattern there."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _spread_out(args))


def _spread_out(words: Sequence[str]) -> list[str]:
    """`--against a b -q` as `--against a --against b -q`, also where the first is `--against=a`."""
    spread: list[str] = []
    is_old = False
    for word in words:
        if is_old and not word.startswith("-") and spread[-1] != _AGAINST:
            spread.append(_AGAINST)
        begins = word == _AGAINST or word.startswith(f"{_AGAINST}=")
        is_old = begins or (is_old and not word.startswith("-"))
        spread.append(word)
    return spread


_AGAINST = "--against"
_WRITE_REFERENCE = "--write-reference"


@click.command(
    "compare",
    cls=_Sides,
    examples=[
        "groma compare before.json after.json  # what got better or worse",
        "groma compare new*.json --against old*.json  # several runs of each: their spread counts",
        "groma compare old.json new.json --fail-if 'hpcc.stream.triad < -5%'  # exit code 1 if it fails",
        "groma compare tonight.json --reference node17.toml  # hold one record against kept values",
        "groma compare hpcc.json --write-reference node17.toml  # make such a file",
        "groma compare hpcc.json --list  # the names of its quantities",
        "groma compare monday.json tuesday.json -o page.html  # the comparison as a page",
    ],
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    _AGAINST,
    "old",
    multiple=True,
    metavar="OLD...",
    type=click.Path(path_type=Path),
    help="Pool the runs in FILE... and compare them with those in OLD..., pooled as well.",
)
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="GATE",
    help="Fail if the condition holds, such as 'NAME < -5%' or 'NAME > 150 ns'.",
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Hold the records against the values in this TOML file.",
)
@click.option("--allow-undecided", is_flag=True, help="Report undecided gates without failing.")
@click.option("--least", metavar="SHARE", default="2%", show_default=True, help="Ignore smaller changes.")
@click.option("--all", "every", is_flag=True, help="Show every quantity, also those that are the same.")
@click.option("--list", "names", is_flag=True, help="List the names of all quantities.")
@click.option(
    _WRITE_REFERENCE,
    "reference_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a reference file from the runs in FILE..., pooled.",
)
@click.option(
    "--tolerance", metavar="SHARE", default="5%", show_default=True, help="Tolerance in the reference file."
)
@click.option("-o", "--output", "page", metavar="PAGE", type=click.Path(path_type=Path), help="Write a page.")
@redact_option
@pass_output
def command(
    output: Output,
    files: Sequence[Path],
    old: Sequence[Path],
    conditions: Sequence[str],
    references: Sequence[Path],
    allow_undecided: bool,
    least: str,
    every: bool,
    names: bool,
    reference_file: Path | None,
    tolerance: str,
    page: Path | None,
    *,
    redact: bool,
) -> int:
    """Compare the records in FILE... with the first of them, or with those of --against.

    Differences of machine, software and test come before the numbers. A change counts if it is larger than
    --least and not chance. The exit code is 1 if a gate failed or is undecided.
    """
    from groma.cli.report import named_files  # noqa: PLC0415
    from groma.compare.compare import nothing_to_compare  # noqa: PLC0415
    from groma.compare.gates import parse_gate  # noqa: PLC0415
    from groma.compare.references import read_reference  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415

    no_comparison = "--list" if names else _WRITE_REFERENCE if reference_file is not None else ""
    if no_comparison:
        others = {_WRITE_REFERENCE: names and reference_file, "--fail-if": conditions}
        _refuse_without_effect(no_comparison, others | {"--reference": references, "-o": page})
    refuse_clash([("-o", page), (_WRITE_REFERENCE, reference_file)], [*old, *files, *references])
    gates = [parse_gate(text) for text in conditions]
    kept = [read_reference(path) for path in references]
    read = named_files([*old, *files], redact=redact)
    sides = _sides(read, len(old))
    if names:
        return _list(output, [record for side in sides for _, _, record in side])
    if reference_file is not None:
        runs = sides[-1] if old else [run for side in sides for run in side]
        return _write_reference(output, runs, reference_file, _share("--tolerance", tolerance))
    if len(sides) == 1 and not (gates or kept):
        raise GromaError(f"{files[0]} is the only record", "name another one to compare it with, or a gate")
    facts = _compared(sides, _share("--least", least))
    if not (facts.quantities or gates or kept):
        raise nothing_to_compare(facts.of, [*old, *files])
    _apply_gates(facts, gates, kept, first_is_judged=not old)
    record = _record_of(facts, read[0].file.hosts if redact else None)
    _show(output, record, every=every)
    if page is not None:
        _write_page(output, page, record)
    return _exit_code(facts, allow_undecided=allow_undecided)


def _refuse_without_effect(verb: str, options: Mapping[str, object]) -> None:
    """Raises GromaError (exit code 2): a gate that nobody judges must not look like one that passed."""
    for option, value in options.items():
        if value:
            raise GromaError(f"{verb} compares nothing: {option} has no effect", "leave one of them out")


def _sides(files: Sequence[NamedFile], old: int) -> list[Sequence[Named]]:
    """Every record by itself, or where there are `old` files those and the others as one each."""
    from groma.cli.report import placed_records  # noqa: PLC0415

    if not old:
        return [[one] for one in placed_records(files)]
    return [placed_records(files[:old]), placed_records(files[old:])]


def _share(option: str, text: str) -> float:
    from groma.record.amounts import amount_of  # noqa: PLC0415

    amount = amount_of(text)
    if amount is None or amount.unit not in {"%", ""} or amount.number < 0:
        raise GromaError(f"{option} {text!r} is not a share", f"write it as {option} 2%")
    if not amount.is_share and amount.number >= 1:
        raise GromaError(
            f"{option} {text!r} would be {100 * amount.number:g} %",
            f"write it as {option} {amount.number:g}%",
        )
    return amount.number / 100.0 if amount.is_share else amount.number


def _compared(sides: Sequence[Sequence[Named]], least: float) -> ComparisonFacts:
    from groma.compare.compare import compare_sides  # noqa: PLC0415
    from groma.facts.comparison import Thresholds  # noqa: PLC0415

    return compare_sides(sides, Thresholds(min_change=least))


def _apply_gates(
    facts: ComparisonFacts, gates: Sequence[Gate], kept: Sequence[Reference], *, first_is_judged: bool
) -> None:
    from groma.compare.gates import judge  # noqa: PLC0415
    from groma.compare.references import gates_for  # noqa: PLC0415

    judged = facts.records if first_is_judged else facts.records[1:]
    facts.gates = judge([*gates, *gates_for(kept, judged)], facts, first_is_judged=first_is_judged)


def _record_of(facts: ComparisonFacts, hosts: frozenset[str] | None) -> Record[ComparisonFacts]:
    """Without names where `hosts` are those of its records."""
    from groma.facts.comparison import KIND  # noqa: PLC0415
    from groma.record.redact import redacted_findings  # noqa: PLC0415
    from groma.run.provenance import analysis_record  # noqa: PLC0415

    record = analysis_record(KIND, facts)
    return record if hosts is None else redacted_findings(record, hosts)


def _show(output: Output, record: Record[ComparisonFacts], *, every: bool) -> None:
    from groma.report.terminal import document_of  # noqa: PLC0415

    chosen = ["records", "differences", "verdict", "all", "gates"] if every else []
    shown = [name for name in chosen if name != "gates" or record.facts.gates]
    output.show(record, lambda: document_of(record, shown))


def _write_page(output: Output, page: Path, record: Record[ComparisonFacts]) -> None:
    from groma.report.page import render_page, write_page  # noqa: PLC0415
    from groma.report.words.comparison import title_of  # noqa: PLC0415

    write_page(page, render_page([(title_of(record.facts), record)]))
    output.say(f"page: {page}")


def _exit_code(facts: ComparisonFacts, *, allow_undecided: bool) -> int:
    bad = {"failed"} if allow_undecided else {"failed", "undecided"}
    failed = any(one.outcome in bad for one in facts.gates)
    return ExitCode.GATE_FAILED if failed else ExitCode.OK


def _list(output: Output, records: Sequence[Record[Any]]) -> int:
    from groma.facts.named import named_quantities_of  # noqa: PLC0415
    from groma.record.units import is_determined  # noqa: PLC0415

    found = {one.name: one for record in records for one in named_quantities_of(record)}
    model = [
        {
            "name": one.name,
            "value": one.quantity.value if is_determined(one.quantity) else None,
            "unit": one.quantity.unit,
            "better": one.better,
            "detail": one.detail,
        }
        for one in found.values()
    ]
    output.show(model, lambda: _list_document(model))
    return ExitCode.OK


def _list_document(model: Sequence[dict[str, Any]]) -> Document:
    from groma.report.document import Table, one_section  # noqa: PLC0415

    rows = [
        [one["name"], _shown(one["value"], one["unit"]), one["better"], "detail" if one["detail"] else ""]
        for one in model
    ]
    return one_section(Table(["name", ">value", "better", ""], rows))


def _shown(value: float | None, unit: str) -> str:
    from groma.record.units import NOT_DETERMINED, format_value  # noqa: PLC0415

    return NOT_DETERMINED if value is None else format_value(value, unit)


def _write_reference(output: Output, runs: Sequence[Named], path: Path, tolerance: float) -> int:
    from groma.compare.references import machine_of, reference_of  # noqa: PLC0415
    from groma.record.amounts import Amount  # noqa: PLC0415
    from groma.record.writing import write_atomically  # noqa: PLC0415

    facts = _compared([runs], 0.0)
    machine, share = machine_of(facts.records[0]), Amount(100.0 * tolerance, "%")
    write_atomically(path, reference_of(facts.quantities, (), machine, share).encode(), _WRITE_REFERENCE)
    output.say(f"reference: {path}")
    return ExitCode.OK
