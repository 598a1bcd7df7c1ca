"""What counters have to say on a terminal."""

from __future__ import annotations

from groma.counters.native import CounterGroup, CounterList, CounterMetric, DerivedMetric, RunCounts
from groma.report.counters import list_document, run_document
from groma.report.renderers import plain

LONG = " + ".join(["p"] * 3000)


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_a_long_formula_or_name_is_shortened() -> None:
    metric = DerivedMetric(group="g", name="n" * 5000, unit="1/s", formula=LONG, value=2.0)
    shown = plain(run_document(RunCounts(seconds=1.0, exit_code=0, counts=[], metrics=[metric])))
    assert "2 1/s" in shown
    assert "p + p + p" in shown
    assert "…" in shown
    assert widest(shown) < 250


def test_a_group_with_long_texts_does_not_widen_the_list() -> None:
    metric = CounterMetric(name="n" * 5000, unit="1", formula=LONG)
    group = CounterGroup(name="g", title="t" * 5000, place="", events=[], names={}, metrics=[metric])
    assert widest(plain(list_document(CounterList(events=[], groups=[group], defects=[])))) < 250
