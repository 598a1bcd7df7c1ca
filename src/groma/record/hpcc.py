"""Facts of a run of the HPC Challenge suite. Fields may be added, none is ever renamed."""

from __future__ import annotations

from typing import Any

import msgspec

from groma.record.launch import CheckResult, Launch
from groma.record.quantity import Quantity


class RankSpread(msgspec.Struct, kw_only=True):
    """Medians of single ranks. `lowest_rank` and `highest_rank` have the smallest and the largest of them."""

    ranks: int
    lowest: Quantity
    lowest_rank: int
    highest: Quantity
    highest_rank: int


class Figure(msgspec.Struct, kw_only=True):
    """One measured figure.

    `mode` is "single" (one rank while the others sleep), "star" (every rank at once, the mean over them) or
    "mpi" (all together). `labels` tell figures of one series apart, such as the size of a message.
    """

    series: str
    mode: str
    value: Quantity
    labels: dict[str, Any] = {}
    spread: RankSpread | None = None


class HpccTest(msgspec.Struct, kw_only=True):
    """`done` is False for a test that was interrupted or failed; its figures are then those so far."""

    name: str
    title: str
    done: bool
    figures: list[Figure] = []
    checks: list[CheckResult] = []


class HpccFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `hpcc`.

    `plan` holds the sizes that were run, `summary` the keys of hpccoutf.txt as they were written there.
    `success` is None where not every test came to its checks. `origin` tells the file and the program of a
    run that groma did not make; such a run has no tests, only a summary.
    """

    tests: list[HpccTest]
    success: bool | None = None
    launch: Launch | None = None
    plan: dict[str, Any] = {}
    summary: dict[str, str] = {}
    origin: str | None = None
