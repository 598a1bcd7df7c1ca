"""What a run over ranks that was cut short has kept. No such verb goes on with it: it is run again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.record.hpcc import HpccFacts
from groma.record.randomaccess import RandomAccessFacts
from groma.record.unfinished import Steps, command_line, unfinished

if TYPE_CHECKING:
    from groma.record import Record, Unfinished


def state_of(record: Record[Any]) -> Unfinished | None:
    """How far the run came, None where it came to its end, was imported or is of another kind."""
    steps = _steps(record)
    return None if steps is None else unfinished(steps, _again(record))


def _steps(record: Record[Any]) -> Steps | None:
    if isinstance(record.facts, HpccFacts):
        return None if record.facts.origin is not None else _tests(record, record.facts)
    return _repetitions(record, record.facts) if isinstance(record.facts, RandomAccessFacts) else None


def _tests(record: Record[Any], facts: HpccFacts) -> Steps:
    cut = {one.probe for one in record.samples.values() if one.ended == "interrupted"}
    begun = {test.name: test.done and test.name not in cut for test in facts.tests}
    planned: list[str] = record.parameters.get("plan", {}).get("tests") or list(begun)
    return Steps(
        noun="test",
        planned=len(planned),
        done=sum(begun.get(name, False) for name in planned),
        interrupted=[name for name in planned if begun.get(name) is False],
        missing=[name for name in planned if name not in begun],
    )


def _repetitions(record: Record[Any], facts: RandomAccessFacts) -> Steps:
    """Without its checks a run is not over; fewer repetitions than were planned may have spent the budget."""
    known = facts.gups.samples if facts.gups is not None else None
    done = known.n if known is not None else 0
    planned = max(int(record.parameters.get("plan", {}).get("repetitions", 0)), done)
    missing = ["verification of the table"] if facts.success is None else []
    return Steps(noun="repetition", planned=planned, done=done, missing=missing)


def _again(record: Record[Any]) -> str:
    program, *words = record.command or ["groma"]
    del program  # its path on that machine, or __main__.py
    return f"such a run cannot be resumed: start it again with: {command_line('groma', *words)}"
