"""Facts of RandomAccess. Fields may be added, none is ever renamed."""

from __future__ import annotations

from typing import Any

import msgspec

from groma.record.launch import CheckResult, Launch
from groma.record.quantity import Quantity


class Exchange(msgspec.Struct, kw_only=True):
    """What leaves ranks for one update, over the whole run.

    `messages` and `bytes` go through MPI, `handed` are updates passed on through shared memory. An update may
    be sent several times (once for each dimension of a grid), or not at all.
    """

    messages: float
    bytes: float
    handed: float


class Load(msgspec.Struct, kw_only=True):
    """How the ranks of one role spend a repetition: seconds of work and of waiting, mean over the ranks."""

    role: str
    ranks: int
    worked: Quantity
    waited: Quantity


class RandomAccessFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `randomaccess`.

    `gups` is in GUP/s (1e9 updates a second), over the repetitions; None where none was finished.
    `seconds` is the time of a repetition from barrier to barrier. `errors` counts wrong words of the table,
    over all repetitions and the warm-up. `look_ahead_max` is the highest number of updates that a core (a
    node in mapping modes 6 and 8) held at once, `look_ahead` what was allowed. `updates` are all that were
    timed. `grid` is empty for an algorithm without one. `success` is None where the run did not come to its
    checks.
    """

    ranks: int
    table_words: int
    algorithm: str = ""
    mapping_mode: int = 1
    grid: list[int] = []
    generator: str = ""
    owner: str = ""
    look_ahead: int = 1024
    gups: Quantity | None = None
    seconds: Quantity | None = None
    updates: int | None = None
    errors: int | None = None
    look_ahead_max: int | None = None
    exchange: Exchange | None = None
    loads: list[Load] = []
    checks: list[CheckResult] = []
    success: bool | None = None
    launch: Launch | None = None
    plan: dict[str, Any] = {}


class OwnerLookup(msgspec.Struct, kw_only=True):
    """The cost (s) of finding the owner of a word in `parts` parts of a table.

    `predicted` is None where parts are too many for one correction (theorem 4.1); `searched` is then the cost
    without a division. `ratio` is division over the faster one, from the rounds in which both were timed.
    """

    parts: int
    table_words: int
    divided: Quantity
    predicted: Quantity | None = None
    searched: Quantity | None = None
    ratio: Quantity | None = None


class OwnerFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `randomaccess_owner`."""

    lookups: list[OwnerLookup]


class ErrorRate(msgspec.Struct, kw_only=True):
    """Wrong words over the words of the table, over the runs of a strategy: a random variable.

    `standard_deviation` is that of the sample, None for a single run; `relative` is it over the mean, None
    where no word was ever wrong. `rates` are those of all runs in their order.
    """

    runs: int
    mean: float
    standard_deviation: float | None
    relative: float | None
    min: float
    p25: float
    p50: float
    p75: float
    max: float
    wrong_runs: int
    wrong_words: int
    rates: list[float]


class Strategy(msgspec.Struct, kw_only=True):
    """One way in which threads update a shared table.

    `exact` says that no word may be wrong. `gups` is in GUP/s (1e9 updates a second), over the runs.
    `to_unsynchronised` and `to_serial` are ratios of rates within a round, None where that strategy did not
    run.
    """

    name: str
    exact: bool
    threads: int
    gups: Quantity
    error_rate: ErrorRate
    to_unsynchronised: Quantity | None = None
    to_serial: Quantity | None = None


class ErrorFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `randomaccess_errors`. `success` is False where an exact strategy was not."""

    table_words: int
    updates: int
    threads: int
    strategies: list[Strategy]
    success: bool
