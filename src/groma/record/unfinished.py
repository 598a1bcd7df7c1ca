"""How far a run came that was cut short, in numbers and in words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from groma.record.record import Unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARTIAL = ".partial.json"


def is_partial(path: Path) -> bool:
    return path.name.endswith(PARTIAL)


def output_of(partial: Path) -> Path:
    """The usual output behind a partial record."""
    return partial.with_name(partial.name.removesuffix(PARTIAL) + ".json")


class Steps(msgspec.Struct, frozen=True, kw_only=True):
    """How many were planned and are done, and the names of the others; `noun` is what one is called."""

    noun: str
    planned: int
    done: int
    interrupted: Sequence[str] = ()
    failed: Sequence[str] = ()
    missing: Sequence[str] = ()

    @property
    def are_all_there(self) -> bool:
        """Whether nothing is left to do; a step that failed would fail again."""
        return not (self.interrupted or self.missing)


def unfinished(steps: Steps, next_step: str) -> Unfinished | None:
    """The state of a run with such steps, None where it came to its end; `next_step` says how to go on."""
    if steps.are_all_there:
        return None
    return Unfinished(
        planned=steps.planned,
        done=steps.done,
        interrupted=list(steps.interrupted),
        failed=list(steps.failed),
        missing=list(steps.missing),
        what=f"unfinished: {steps.done} of {_counted(steps.planned, steps.noun)} done",
        details=list(_others(steps)),
        next=next_step,
    )


def _others(steps: Steps) -> Iterator[str]:
    """E.g. "interrupted: tlb_reach", "not measured: numa_read, numa_lockstep"."""
    parts = (("interrupted", steps.interrupted), ("failed", steps.failed), ("not measured", steps.missing))
    for how, names in parts:
        if names:
            yield f"{how}: {', '.join(names)}"


def _counted(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"


def command_line(*words: str) -> str:
    """As one types it in a shell."""
    return shlex.join(words)
