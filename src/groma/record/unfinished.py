"""How far an interrupted run came, in numbers and in words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from groma.record.counting import counted, plural
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
    """How many steps are planned and done, and the names of the others; `noun` names one step."""

    noun: str
    planned: int
    done: int
    interrupted: Sequence[str] = ()
    failed: Sequence[str] = ()
    missing: Sequence[str] = ()

    @property
    def done_in_words(self) -> str:
        """E.g. "1 of 4 launches"."""
        return f"{self.done} of {self.planned} {plural(self.noun)}"

    @property
    def are_all_there(self) -> bool:
        """Whether nothing is left to do. A failed step would fail again."""
        return not (self.interrupted or self.missing)


def unfinished(steps: Steps, next_step: str) -> Unfinished | None:
    """The state of a run with such steps, None if it completed; `next_step` says how to continue."""
    if steps.are_all_there:
        return None
    return Unfinished(
        planned=steps.planned,
        done=steps.done,
        interrupted=list(steps.interrupted),
        failed=list(steps.failed),
        missing=list(steps.missing),
        what=f"unfinished: {steps.done:,} of {counted(steps.planned, steps.noun)} done",
        details=list(_others(steps)),
        next=next_step,
    )


def _others(steps: Steps) -> Iterator[str]:
    """E.g. "interrupted: tlb_reach", "not measured: numa_read, numa_lockstep"."""
    parts = (("interrupted", steps.interrupted), ("failed", steps.failed), ("not measured", steps.missing))
    for how, names in parts:
        if names:
            yield f"{how}: {', '.join(names)}"


def command_line(*words: str) -> str:
    """As typed in a shell."""
    return shlex.join(words)
