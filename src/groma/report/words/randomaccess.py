"""How runs and studies of RandomAccess are put into words, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from groma.record.counting import counted
from groma.record.units import format_number, format_share, format_value
from groma.report.words.environment import environment_of, machine_name
from groma.report.words.launch import Validation, launch_entries
from groma.report.words.text import ABSENT, listed, quantity_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.randomaccess import Exchange, RandomAccessFacts
    from groma.facts.randomaccess_bottleneck import BottleneckFacts
    from groma.facts.randomaccess_errors import ErrorFacts, Strategy
    from groma.facts.randomaccess_owner import OwnerLookup
    from groma.record import Quantity, Record

WORD = 8

# ---- a run -------------------------------------------------------------------------------------------------


def algorithm_words(facts: RandomAccessFacts) -> str:
    """`route on a grid of 4x2`."""
    grid = "x".join(map(str, facts.grid))
    return f"{facts.algorithm} on a grid of {grid}" if grid else facts.algorithm


def table_words(words: int) -> str:
    """`8,388,608 words, 64 MiB`."""
    return f"{words:,} words, {format_value(WORD * words, 'B')}"


def what_entries(facts: RandomAccessFacts) -> list[tuple[str, str]]:
    """What was decided before the run; only what the record tells."""
    entries = [
        ("algorithm", algorithm_words(facts)),
        ("mapping mode", str(facts.mapping_mode)),
        ("ranks of a node that route", _positive(facts.plan.routers)),
        ("table", table_words(facts.table_words)),
        ("updates of the whole run", _positive(facts.plan.updates)),
        ("sequence", facts.generator),
        ("owners", f"by {facts.owner}" if facts.owner else ""),
        ("look-ahead allowed", str(facts.look_ahead)),
        ("parts of the run", _positive(facts.plan.repetitions)),
    ]
    return [(name, value) for name, value in entries if value]


def _positive(value: Any) -> str:
    return str(value) if value else ""


def access_entries(record: Record[RandomAccessFacts]) -> list[tuple[str, str]]:
    """What was asked for and what was chosen, one line each; RandomAccess has no BLAS."""
    facts = record.facts
    budget = facts.plan.budget
    launch = launch_entries(facts.launch) if facts.launch else [("ranks", str(facts.ranks))]
    entries = [
        ("machine", machine_name(environment_of(record), "")),
        *what_entries(facts),
        ("budget", f"{budget:g} s" if budget else ""),
        *launch,
    ]
    return [(name, value) for name, value in entries if value and name != "BLAS"]


class MessageFigure(NamedTuple):
    """What leaves a rank for one update."""

    name: str
    unit: str
    of: Callable[[Exchange], float]

    def words(self, exchange: Exchange) -> str:
        value = self.of(exchange)
        return format_value(value, self.unit) if self.unit else format_number(value)


MESSAGE_FIGURES = (
    MessageFigure("messages", "", lambda exchange: exchange.messages),
    MessageFigure("bytes in messages", "B", lambda exchange: exchange.bytes),
    MessageFigure("updates handed on through shared memory", "", lambda exchange: exchange.handed),
)


def message_kinds(exchange: Exchange) -> list[str]:
    """The shares of messages that were not full, where there are messages and the record tells."""
    counted = [("part-full", exchange.part_full), ("empty", exchange.empty)]
    return [
        f"{format_share(count / exchange.messages)} {kind}"
        for kind, count in counted
        if count is not None and exchange.messages
    ]


def message_size(exchange: Exchange) -> str:
    """Of a message, empty where there is none."""
    return format_value(exchange.bytes / exchange.messages, "B") if exchange.messages else ""


def validation_of(facts: RandomAccessFacts) -> Validation:
    checks = counted(len(facts.checks), "check")
    passed = f"passed: {counted(facts.errors or 0, 'wrong word')}, all {checks}"
    return _validation_of(facts, "its table was not verified", passed)


def _validation_of(facts: RandomAccessFacts | BottleneckFacts, missing: str, passed: str) -> Validation:
    if failed := sum(not check.passed for check in facts.checks):
        return Validation("bad", f"failed: {failed} of {counted(len(facts.checks), 'check')}")
    if not facts.success:
        return Validation("warn", f"open: the run ended before its checks, so {missing}")
    return Validation("good", passed)


# ---- the bottleneck among roles ----------------------------------------------------------------------------

NO_FIGURE = (
    "This is an experiment: runs that drop updates leave wrong words by design and are not verified, and no "
    "time here is a figure of the benchmark."
)


def bottleneck_words(facts: BottleneckFacts) -> str:
    """What each of the two methods found."""
    dropping, delaying = facts.by_dropping, facts.by_delaying
    if dropping is None or delaying is None:
        return f"{dropping or delaying}, by one method alone" if dropping or delaying else "open: times vary"
    if dropping == delaying:
        return f"{dropping}, by dropping updates and by delays alike"
    return f"open: {dropping} by dropping updates, {delaying} by delays"


def bottleneck_validation(facts: BottleneckFacts) -> Validation:
    checks = counted(len(facts.checks), "check")
    return _validation_of(facts, "no table was verified", f"passed where nothing was dropped: {checks}")


# ---- lookups of owners -------------------------------------------------------------------------------------


class OwnerMethod(NamedTuple):
    """How the owner of a word is found, and what it costs."""

    name: str
    of: Callable[[OwnerLookup], Quantity | None]


OWNER_METHODS = (
    OwnerMethod("division", lambda lookup: lookup.divided),
    OwnerMethod("prediction", lambda lookup: lookup.predicted),
    OwnerMethod("search", lambda lookup: lookup.searched),
)


def method_without_division(lookup: OwnerLookup) -> str:
    """How the owner is found without a division."""
    return "prediction" if lookup.predicted else "search"


# ---- errors of a shared table ------------------------------------------------------------------------------

ALLOWED = 0.01
"""Wrong words over words that the rules of the benchmark allow."""

RATE_UNIT = "ppm"
"""Error rates are given in wrong words per million words of the table."""

MILLION = 1e6


def rate_words(rate: float | None) -> str:
    return ABSENT if rate is None else f"{format_number(MILLION * rate)} {RATE_UNIT}"


def mean_words(one: Strategy) -> str:
    """`19.0 ppm ± 38.7`: mean and standard deviation of the runs."""
    deviation = one.error_rate.standard_deviation
    spread = f" ± {format_number(MILLION * deviation)}" if deviation else ""
    return f"{rate_words(one.error_rate.mean)}{spread}"


def errors_validation(facts: ErrorFacts) -> Validation:
    exact = [one for one in facts.strategies if one.exact]
    broken = [one.name for one in exact if one.error_rate.wrong_words]
    if broken:
        return Validation("bad", f"failed: {listed(broken)} must not lose an update and did")
    if not exact:
        return Validation("good", "passed: no strategy that must be exact was run")
    runs = sum(one.error_rate.runs for one in exact)
    names = listed([one.name for one in exact])
    every = "all of " if runs > 1 else ""
    return Validation("good", f"passed: exact in {every}{counted(runs, 'run')}: {names}")


def strategy_named(facts: ErrorFacts, name: str) -> Strategy | None:
    return next((one for one in facts.strategies if one.name == name), None)


def fastest_exact(facts: ErrorFacts) -> Strategy | None:
    """Of those that have to share the table and leave no wrong word: what exactness costs."""
    shared = [one for one in facts.strategies if one.exact and one.threads > 1]
    return max(shared, key=lambda one: one.gups.value, default=None)


def wrong_words_text(facts: ErrorFacts) -> str:
    """What threads get wrong that do not synchronise, and what it gains; empty where that was not run."""
    loose = strategy_named(facts, "unsynchronised")
    if loose is None:
        return ""
    rate = loose.error_rate
    runs = counted(rate.runs, "run")
    wrong = (
        f"left wrong words in {rate.wrong_runs} of {runs}, {mean_words(loose)} (largest "
        f"{rate_words(rate.max)}; the rules allow {MILLION * ALLOWED:,.0f} {RATE_UNIT})"
    )
    gain = f", and was {compared_words(loose.to_serial, 'one thread')}" if loose.to_serial else ""
    return f"{wrong if rate.wrong_runs else f'left no wrong word in {runs}'}{gain}"


def compared_words(ratio: Quantity, other: str) -> str:
    """Whether the interval of a ratio leaves open which of the two is faster."""
    words = f"{quantity_text(ratio)} as fast as {other}"
    if ratio.low > 1:
        return words
    return f"only {words}" if ratio.high < 1 else f"{words}: it is open which is faster"
