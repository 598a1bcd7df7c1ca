"""What the help says of an option is enough to use it: what it takes, and what holds without it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from groma.cli.frame import _OUTPUT
from groma.cli.main import groma
from groma.facts.kinds import kind_named

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS_OF_CLICK = ("INTEGER", "FLOAT", "TEXT", "RANGE")


def _verbs_below(group: click.Group, parent: click.Context) -> Iterator[click.Context]:
    for name in group.list_commands(parent):
        verb = group.get_command(parent, name)
        assert verb is not None
        context = click.Context(verb, parent=parent, info_name=name)
        if isinstance(verb, click.Group):
            yield from _verbs_below(verb, context)
        else:
            yield context


_OF_VALUES = [
    pytest.param(option, context, id=f"{context.command_path} {option.opts[-1]}")
    for context in _verbs_below(groma, click.Context(groma, info_name="groma"))
    for option in context.command.params
    if isinstance(option, click.Option) and not option.is_flag
]


def _help_of(option: click.Option, context: click.Context) -> tuple[str, str]:
    """The option with what it takes, and what it is for."""
    shown = option.get_help_record(context)
    assert shown is not None
    return shown


@pytest.mark.parametrize(("option", "context"), _OF_VALUES)
def test_an_option_with_a_default_states_it(option: click.Option, context: click.Context) -> None:
    value = option.get_default(context)
    if isinstance(value, str | int | float | Path) and value != "":
        assert f"default: {value}" in _help_of(option, context)[1]


@pytest.mark.parametrize(("option", "context"), _OF_VALUES)
def test_an_option_that_writes_a_file_refuses_a_dash_or_says_what_it_is(
    option: click.Option, context: click.Context
) -> None:
    if (option.help or "").startswith("Write ") and option.metavar != "DIR":
        assert _OUTPUT.intersection(option.opts) or "- is standard output" in (option.help or "")


@pytest.mark.parametrize(("option", "context"), _OF_VALUES)
def test_an_option_names_what_it_takes(option: click.Option, context: click.Context) -> None:
    assert not any(word in _help_of(option, context)[0] for word in _WORDS_OF_CLICK)


@pytest.mark.parametrize(
    ("kind", "verb"),
    [
        ("survey", "survey"),
        ("hpcc", "hpcc"),
        ("randomaccess", "randomaccess run"),
        ("randomaccess_bottleneck", "randomaccess bottleneck"),
        ("mapping", "map"),
    ],
)
def test_options_that_take_more_samples_are_those_of_the_verb(
    kind: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = kind_named(kind)
    assert described is not None
    assert described.more_samples
    with pytest.raises(SystemExit):
        groma.main([*verb.split(), "--help"], "groma")
    help_words = capsys.readouterr().out.split()
    assert set(described.more_samples) <= {word.strip(",") for word in help_words}


@pytest.mark.parametrize(
    ("verb", "stated"),
    [
        ("hpcc", "--nb NB,… Block sizes (default: 192)."),
        ("hpcc", "--seed SEED Seed of every random choice (default: 1)."),
        ("hpcc", "(default: the squarest)."),
        (
            "randomaccess run",
            "--table WORDS|SIZE Size of the whole table, a power of two: 2^27 words or 1GiB",
        ),
        ("randomaccess run", "(default: a quarter of the free memory, at most 512 MiB a rank)."),
        ("randomaccess errors", "Threads on the table, 1 to 256 (default: one per CPU, at most 256)."),
        ("model randomaccess", "--record FILE Read this record of a run on that machine, and compare."),
    ],
)
def test_help_states_what_holds_without_an_option(
    verb: str, stated: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        groma.main([*verb.split(), "--help"], "groma")
    assert stated in " ".join(capsys.readouterr().out.split())
