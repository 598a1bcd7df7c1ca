"""Gates: what must not happen to a quantity, as a condition or as a reference with tolerances.

A gate passes only if somebody can tell that it does. On a quantity that is missing, not determined or too
noisy it is undecided, and the verdict says so. On a run with wrong results it fails, whatever the value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from groma.compare.compare import WRONG_RESULTS
from groma.compare.verdicts import POSSIBLY_CHANCE, enough_text, half_width
from groma.errors import GromaError
from groma.facts.comparison import GateResult
from groma.record.amounts import Amount, amount_of, change_text, in_unit
from groma.record.naming import is_named
from groma.record.units import format_quantity, is_determined
from groma.stats.quantities import UNSTABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.comparison import Changed, ComparedQuantity, ComparedRecord, ComparisonFacts
    from groma.record import Quantity

Outcome = Literal["passed", "failed", "undecided"]

_CONDITION = re.compile(r"\s*(?P<name>[^\s<>=]+)\s*(?P<sign><=|>=|<|>)\s*(?P<limit>.+?)\s*")

_HELP = "write a gate as 'hpcc.stream.triad < -5%' or 'survey.node.memory.latency > 150 ns'"


class Gate(NamedTuple):
    """It fails if a quantity named `name` (or below it, or like it) is `sign` `limit`.

    A limit in per cent is one of the change, any other limit one of the value. `text` is its wording.
    """

    name: str
    sign: str
    limit: Amount
    text: str

    def exceeded_by(self, number: float, limit: float) -> bool:
        """Whether a number is where it must not be."""
        if self.sign in {"<=", ">="} and number == limit:
            return True
        return number < limit if self.sign[0] == "<" else number > limit


def parse_gate(text: str) -> Gate:
    """Raises GromaError (exit code 2)."""
    found = _CONDITION.fullmatch(text)
    limit = amount_of(found["limit"]) if found else None
    if found is None or limit is None:
        raise GromaError(f"{text!r} is not a gate", _HELP)
    if limit.is_share and limit.number <= -100 and found["sign"][0] == "<":
        raise GromaError(f"no value falls by {-limit.number:g} %, so '{text}' would never fail", _HELP)
    return Gate(found["name"].lower(), found["sign"], limit, " ".join(text.split()))


def judge(gates: Sequence[Gate], facts: ComparisonFacts, *, first_is_judged: bool) -> list[GateResult]:
    """Every gate on every record; those of a change on every record but the first, and all of them if it is
    only what the others are compared with.
    """
    return [result for gate in gates for result in _results(gate, facts, first_is_judged)]


def _results(gate: Gate, facts: ComparisonFacts, first_is_judged: bool) -> Iterator[GateResult]:
    if gate.limit.is_share and len(facts.records) == 1:
        raise GromaError(
            f"the gate '{gate.text}' needs a second record", "name the record to compare with first"
        )
    chosen = chosen_from(gate.name, facts.quantities)
    is_first_meant = first_is_judged and not gate.limit.is_share
    for number in range(0 if is_first_meant else 1, len(facts.records)):
        yield from _on_record(gate, facts, chosen, number)


def chosen_from(name: str, quantities: Sequence[ComparedQuantity]) -> list[ComparedQuantity]:
    """The quantity of that name, else those below it, else those like it (`*`); no details unless named."""
    exact = [one for one in quantities if one.name == name]
    return exact or [one for one in quantities if not one.detail and is_named(one.name, name)]


def _on_record(
    gate: Gate, facts: ComparisonFacts, chosen: Sequence[ComparedQuantity], number: int
) -> Iterator[GateResult]:
    record = facts.records[number]
    if not chosen:
        what = "does not have it (groma compare --list names what it has)"
        yield GateResult(
            gate=gate.text,
            record=record.name,
            quantity=gate.name,
            outcome="undecided",
            what=what,
            again=record.again,
        )
    for one in chosen:
        outcome, what = _without_proof(gate, facts, number) or _outcome(
            gate, one, number, facts.limits.false_changes
        )
        again = "" if outcome == "passed" else record.again
        yield GateResult(
            gate=gate.text, record=record.name, quantity=one.name, outcome=outcome, what=what, again=again
        )


def _without_proof(gate: Gate, facts: ComparisonFacts, number: int) -> tuple[Outcome, str] | None:
    """The outcome where a run failed its validation: no value of it proves anything."""
    judged, base = (_failed_validation(facts.records[place]) for place in (number, 0))
    if judged:
        return "failed", judged
    if gate.limit.is_share and base:
        return "undecided", f"is compared with {facts.records[0].name}, which {base}"
    return None


def _failed_validation(record: ComparedRecord) -> str:
    """What is wrong, with the name of the run among several that are pooled; empty if nothing is."""
    wrong = next((run for run in record.runs or [record] if WRONG_RESULTS in run.notes), None)
    if wrong is None:
        return ""
    what = "failed its validation: its rates are of wrong results"
    return f"holds {wrong.name}, which {what}" if record.runs else what


def _outcome(gate: Gate, one: ComparedQuantity, number: int, false_changes: float) -> tuple[Outcome, str]:
    if gate.limit.is_share:
        return _of_change(gate, one.others[number - 1], false_changes)
    value = one.first if number == 0 else one.others[number - 1].value
    return _of_value(gate, value)


def _of_change(gate: Gate, changed: Changed, false_changes: float) -> tuple[Outcome, str]:
    """A change that nobody can tell from chance decides nothing, unless it is where it may be; one that
    counts may still be too uncertain to pass. A gate that no change at all exceeds needs no change to fail.
    """
    ratio = changed.ratio
    if ratio is None:
        return "undecided", changed.why
    shown, limit = f"changed by {change_text(ratio)}", gate.limit.number / 100.0
    exceeded = gate.exceeded_by(ratio.value - 1.0, limit)
    may_be_chance = changed.verdict == "same" or changed.why == POSSIBLY_CHANCE
    if changed.verdict == "inconclusive" and not may_be_chance:
        return "undecided", f"{shown}; {changed.why}"
    is_open = ratio.low - 1.0 < limit < ratio.high - 1.0
    is_proven = changed.adjusted is not None and changed.adjusted <= false_changes
    needs_proof = is_open or not (is_proven or gate.exceeded_by(0.0, limit))
    if exceeded and may_be_chance and needs_proof:
        return "undecided", f"{shown}, which may be chance: take more samples"
    if is_open and not exceeded and half_width(ratio) > abs(limit):
        more = enough_text(changed, abs(limit)) or "more samples"
        return "undecided", f"{shown}, an interval too wide for this limit: take {more}"
    return ("failed" if exceeded else "passed"), shown


def _of_value(gate: Gate, value: Quantity | None) -> tuple[Outcome, str]:
    if value is None:
        return "undecided", "not measured"
    limit = in_unit(gate.limit, value.unit)
    if limit is None:
        written, own = gate.limit.unit or "no unit", value.unit or "no unit"
        raise GromaError(
            f"the gate '{gate.text}' is in {written}, the value in {own}",
            f"write the limit in {value.unit or 'plain numbers'}, with a prefix if you like, or in %",
        )
    if not is_determined(value):
        return "undecided", "not determined"
    shown = f"is {format_quantity(value)}"
    wide = value.high - value.low > 2 * UNSTABLE * abs(value.value)
    if wide and value.low < limit < value.high:
        return "undecided", f"{shown}, an interval too wide for this limit"
    return ("failed" if gate.exceeded_by(value.value, limit) else "passed"), shown
