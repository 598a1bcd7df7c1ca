"""Several runs of the suite beside each other: values, what differed, balance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.infer import facts_of
from groma.balance.systems import Run, system_of
from groma.facts.hpcc import HpccFacts
from groma.hpccoutf.headlines import headlines_of
from groma.report.views.balance.normalised import kiviat
from groma.report.views.balance.rows import entries_of
from groma.report.views.comparing import FEW, Headline, compared, many_figure, relative_figures
from groma.report.views.registry import comparison
from groma.report.views.run.differences import differences_figure
from groma.report.words.environment import environment_of
from groma.report.words.suite import MODES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.balance import System
    from groma.hpccoutf.headlines import Definition
    from groma.record import Record
    from groma.report.blocks import Block
    from groma.report.views.registry import Blocks, Named


@comparison(order=3, of=HpccFacts)
def runs(records: Sequence[Named]) -> Blocks:
    every = compared(records, _headlines)
    note = "Lower latencies are better."
    if len(records) > FEW:
        values = many_figure("hpcc", "HPC Challenge, run by run", every, note)
    else:
        values = relative_figures("hpcc", "HPC Challenge", every, note)
    return [*values, *differences_figure("hpcc-differences", records), *_kiviat(records)]


def _headlines(record: Record[HpccFacts]) -> list[Headline]:
    found = headlines_of(record.facts).values()
    return [Headline(one.definition.full_name, one.quantity, _group(one.definition)) for one in found]


def _group(definition: Definition) -> str:
    return "messages" if definition.of_messages else MODES[definition.mode]


def _kiviat(records: Sequence[Named]) -> list[Block]:
    """Of two records or more that have ratios; each record is a system of its own."""
    facts = facts_of([_system(*one) for one in records])
    entries = [one for one in entries_of(facts) if one.ratios.over_hpl]
    return kiviat(entries, "hpcc") if len(entries) > 1 else []


def _system(name: str, record: Record[HpccFacts]) -> System:
    return system_of(Run(name, record.facts.origin or name, record, environment_of(record), []))
