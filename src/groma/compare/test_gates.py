from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.compare.compare import compare, compare_sides
from groma.compare.gates import judge, parse_gate
from groma.compare.references import gates_for, machine_of, read_reference, reference_of
from groma.compare.verdicts import POSSIBLY_CHANCE
from groma.errors import GromaError
from groma.facts.comparison import Changed, ComparedQuantity, ComparedRecord, ComparisonFacts
from groma.record import Quantity
from groma.record.amounts import Amount

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.compare.conftest import Make
    from groma.facts.comparison import GateResult, Verdict

RATES = [1e10 * (1 + 0.001 * step) for step in range(-10, 10)]


def judged(facts: ComparisonFacts, *gates: str, first: bool = False) -> list[GateResult]:
    return judge([parse_gate(text) for text in gates], facts, first_is_judged=first)


def outcomes(facts: ComparisonFacts, *gates: str, first: bool = False) -> list[str]:
    return [one.outcome for one in judged(facts, *gates, first=first)]


def pair(made: Make, factor: float, old: Sequence[float] = RATES) -> ComparisonFacts:
    new = {"triad": [factor * one for one in old], "copy": old}
    records = [made({"triad": old, "copy": old}), made(new)]
    return compare([(name, f"{name}.json", one) for name, one in zip(("a", "b"), records, strict=True)])


def test_a_gate_on_the_change_fails_beyond_its_limit(made: Make) -> None:
    gates = ("hpcc.stream.triad < -5%", "hpcc.stream.triad.star > +5%", "hpcc.stream.copy < -5%")
    assert outcomes(pair(made, 0.9), *gates) == ["failed", "passed", "passed"]
    assert outcomes(pair(made, 0.97), *gates) == ["passed", "passed", "passed"]
    assert outcomes(pair(made, 1.1), *gates) == ["passed", "failed", "passed"]


def test_a_gate_on_the_value_takes_any_prefix(made: Make) -> None:
    gates = ("hpcc.stream.triad < 9.5 GB/s", "hpcc.stream.triad <= 9500 MB/s", "hpcc.stream.triad > 8e9 B/s")
    assert outcomes(pair(made, 0.9), *gates) == ["failed", "failed", "failed"]
    assert outcomes(pair(made, 0.97), *gates) == ["passed", "passed", "failed"]


def test_a_failed_gate_names_the_command_that_measures_again(made: Make) -> None:
    (failed,) = judged(pair(made, 0.9), "hpcc.stream.triad < -5%")
    assert failed.again == "groma hpcc --only stream"
    assert failed.what.startswith("changed by -10.0 % [")


def test_a_name_above_several_quantities_means_all_of_them(made: Make) -> None:
    results = judged(pair(made, 0.9), "hpcc.stream < -5%")
    assert {one.quantity: one.outcome for one in results} == {
        "hpcc.stream.triad.star": "failed",
        "hpcc.stream.copy.star": "passed",
    }


def test_a_quantity_that_nobody_measured_is_undecided(made: Make) -> None:
    (result,) = judged(pair(made, 1.0), "hpcc.fft < -5%")
    assert result.outcome == "undecided"
    assert "does not have it" in result.what


def test_a_single_sample_decides_no_change_but_a_value(made: Make) -> None:
    facts = pair(made, 0.5, [1e10])
    assert outcomes(facts, "hpcc.stream.triad < -5%", "hpcc.stream.triad < 7 GB/s") == ["undecided", "failed"]


def test_a_change_that_may_be_chance_decides_nothing(made: Make) -> None:
    noisy = [1e10 * (1 + 0.05 * (-1) ** step + 0.002 * step) for step in range(20)]
    old, new = (
        made({"triad": noisy}),
        made({"triad": [one * (0.985 if i % 3 else 0.97) for i, one in enumerate(noisy)]}),
    )
    facts = compare([("a", "a.json", old), ("b", "b.json", new)])
    assert outcomes(facts, "hpcc.stream.triad < -1%") == ["undecided"]


NOISE = (
    [109.6, 85.7, 104.9, 100.3, 106.8, 101.9, 109.6, 100.2, 97.5, 102.9],
    [97.1, 93.3, 93.8, 98.5, 98.4, 92.7, 93.3, 86.8, 103.3, 93.9],
)
"""GB/s; the ratio is 0.917 [0.884, 0.969] with a probability of 2 %."""


def test_a_change_that_compare_calls_chance_fails_no_gate(made: Make) -> None:
    records = [made({"triad": [1e9 * one for one in samples]}) for samples in NOISE]
    facts = compare([(name, f"{name}.json", one) for name, one in zip("ab", records, strict=True)])
    assert facts.quantities[0].others[0].why == POSSIBLY_CHANCE
    (result,) = judged(facts, "hpcc.stream < -1%")
    assert (result.outcome, "may be chance" in result.what) == ("undecided", True)


def test_gates_on_many_quantities_that_did_not_change_do_not_fail(made: Make) -> None:
    random = np.random.default_rng(31)
    failed = 0
    for _ in range(20):
        sides = [{f"s{n}": (1e10 * random.normal(1, 0.05, 10)).tolist() for n in range(50)} for _ in range(2)]
        facts = compare([(name, name, made(one)) for name, one in zip("ab", sides, strict=True)])
        failed += "failed" in outcomes(facts, "hpcc.stream < -1%")
    assert failed <= 1


def test_a_small_change_that_is_certain_fails_its_gate(made: Make) -> None:
    """It is the same by --least, but nobody takes it for chance."""
    facts = pair(made, 0.985)
    assert facts.quantities[0].others[0].verdict == "same"
    assert outcomes(facts, "hpcc.stream.triad < -0.5%") == ["failed"]


def changed(verdict: Verdict, value: float, low: float, high: float, why: str = "") -> Changed:
    ratio = Quantity(value=value, unit="ratio", low=low, high=high, confidence=0.95, method="")
    return Changed(verdict=verdict, ratio=ratio, why=why, counts=(10, 10), counted="sample")


def with_probability(one: Changed, adjusted: float) -> Changed:
    return msgspec.structs.replace(one, adjusted=adjusted)


@pytest.mark.parametrize(
    ("one", "gate", "outcome"),
    [
        (changed("worse", 0.96, 0.70, 0.975), "a < -5%", "undecided"),  # it may be 30 % worse
        (changed("worse", 0.80, 0.50, 0.97), "a < -5%", "failed"),
        (changed("worse", 0.96, 0.95, 0.97), "a < -5%", "passed"),
        (changed("worse", 0.86, 0.808, 0.98), "a < -15%", "passed"),
        (changed("better", 1.30, 1.02, 2.00), "a < -5%", "passed"),
        (changed("better", 1.30, 1.02, 2.00), "a > 35%", "undecided"),
        (changed("same", 0.96, 0.70, 1.20), "a < -5%", "undecided"),
        (changed("same", 0.94, 0.85, 1.00), "a > 5%", "passed"),
        (changed("inconclusive", 0.94, 0.90, 0.975, POSSIBLY_CHANCE), "a < -5%", "undecided"),
        (changed("inconclusive", 0.91, 0.88, 0.94, POSSIBLY_CHANCE), "a < -5%", "undecided"),
        (with_probability(changed("same", 0.985, 0.981, 0.989), 0.03), "a < -1%", "undecided"),
        (with_probability(changed("same", 0.985, 0.981, 0.989), 0.001), "a < -1%", "failed"),
        (with_probability(changed("same", 0.985, 0.979, 0.991), 0.001), "a < -1%", "undecided"),
        (with_probability(changed("same", 1.0, 0.98, 1.02), 0.9), "a < 5%", "failed"),  # nothing changed
        (changed("same", 1.001, 0.992, 1.012), "a < 0%", "undecided"),
        (changed("same", 1.001, 0.992, 1.012), "a > 0%", "undecided"),
        (changed("better", 1.03, 1.02, 1.04), "a < 0%", "passed"),
        (changed("inconclusive", 0.97, 0.96, 0.98, POSSIBLY_CHANCE), "a < -5%", "passed"),
        (changed("inconclusive", 0.97, 0.60, 1.50, "too wide: ±45 %"), "a < -50%", "undecided"),
    ],
)
def test_a_change_whose_interval_is_wider_than_the_limit_passes_no_gate(
    one: Changed, gate: str, outcome: str
) -> None:
    quantity = ComparedQuantity(name="a", unit="B/s", better="higher", others=[one])
    records = [ComparedRecord(name=name, file=f"{name}.json", created="") for name in "rs"]
    facts = ComparisonFacts(of="hpcc", records=records, quantities=[quantity])
    assert outcomes(facts, gate) == [outcome]


def test_an_absolute_gate_judges_the_first_record_unless_it_is_only_the_base(made: Make) -> None:
    facts, gate = pair(made, 1.25, [8e9] * 20), "hpcc.stream.triad < 9 GB/s"
    assert [(one.record, one.outcome) for one in judged(facts, gate, first=True)] == [
        ("a", "failed"),
        ("b", "passed"),
    ]
    assert [(one.record, one.outcome) for one in judged(facts, gate)] == [("b", "passed")]


def test_a_change_judges_no_first_record(made: Make) -> None:
    assert outcomes(pair(made, 0.9), "hpcc.stream.triad < -5%", first=True) == ["failed"]


def test_what_no_record_has_is_undecided_on_each_that_is_judged(made: Make) -> None:
    assert outcomes(pair(made, 1.0), "hpcc.fft < 5 Gflop/s", first=True) == ["undecided", "undecided"]


def test_no_gate_passes_on_wrong_results(made: Make) -> None:
    good, wrong = made({"triad": RATES}), made({"triad": RATES}, created="2026-01-02T00:00:00+00:00")
    wrong.facts.success = False
    gates = ("hpcc.stream.triad < 5 GB/s", "hpcc.stream.triad < -5%")
    after = compare([("a", "a.json", good), ("b", "b.json", wrong)])
    assert [(one.outcome, one.what) for one in judged(after, *gates)] == [
        ("failed", "failed its validation: its rates are of wrong results")
    ] * 2
    before = compare([("b", "b.json", wrong), ("a", "a.json", good)])
    assert outcomes(before, *gates) == ["passed", "undecided"]
    pooled = compare_sides([[("a", "a.json", good), ("b", "b.json", wrong)]])
    (result,) = judged(pooled, gates[0], first=True)
    assert (result.outcome, result.what.partition(":")[0]) == (
        "failed",
        "holds b, which failed its validation",
    )


def test_a_missing_value_of_the_first_record_does_not_stop_an_absolute_gate(made: Make) -> None:
    records = [made({"copy": RATES}), made({"triad": RATES})]
    facts = compare([("a", "a.json", records[0]), ("b", "b.json", records[1])])
    assert outcomes(facts, "hpcc.stream.triad < 5 GB/s", "hpcc.stream.triad < -5%") == ["passed", "undecided"]


@pytest.mark.parametrize(
    "text", ["", "triad", "triad < fast", "< 5%", "triad = 5%", "a b < 5%", "x < 5% 7%%s <"]
)
def test_what_is_no_gate_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(GromaError, match="is not a gate") as refused:
        parse_gate(text)
    assert "hpcc.stream.triad < -5%" in refused.value.next_step


@pytest.mark.parametrize("text", ["triad < -100%", "triad <= -500%"])
def test_a_gate_that_nothing_would_fail_is_refused(text: str) -> None:
    with pytest.raises(GromaError, match="would never fail"):
        parse_gate(text)


@given(st.text())
def test_any_text_is_a_gate_or_refused(text: str) -> None:
    try:
        gate = parse_gate(text)
    except GromaError:
        return
    assert gate.name


def test_a_limit_in_another_unit_is_refused(made: Make) -> None:
    with pytest.raises(GromaError, match="is in ns, the value in B/s"):
        outcomes(pair(made, 1.0), "hpcc.stream.triad < 5 ns")


# ---- reference files ---------------------------------------------------------------------------------------


def reference(folder: Path, body: str, machine: str = "node*") -> Path:
    path = folder / "reference.toml"
    path.write_text(f'machine = "{machine}"\n[quantity."hpcc.stream.triad.star"]\n{body}\n', encoding="utf-8")
    return path


def held(made: Make, path: Path) -> list[str]:
    facts = compare([("a", "a.json", made({"triad": RATES}))])
    gates = gates_for([read_reference(path)], facts.records)
    return [one.outcome for one in judge(gates, facts, first_is_judged=True)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('value = 10.2\nunit = "GB/s"\nminus = "5%"\nplus = "10%"', ["passed", "passed"]),
        ('value = 11.0\nunit = "GB/s"\nminus = "5%"', ["failed"]),
        ('value = 11.0\nunit = "GB/s"\nminus = -0.05', ["failed"]),
        ('value = 11.0\nunit = "GB/s"\nminus = "2 GB/s"', ["passed"]),
        ('value = 9000\nunit = "MB/s"\nplus = "500 MB/s"', ["failed"]),
    ],
)
def test_a_value_outside_its_tolerance_fails(
    made: Make, tmp_path: Path, body: str, expected: list[str]
) -> None:
    assert held(made, reference(tmp_path, body)) == expected


def test_the_file_of_another_machine_is_refused(made: Make, tmp_path: Path) -> None:
    path = reference(tmp_path, 'value = 1\nunit = "GB/s"\nminus = "5%"', machine="login*")
    with pytest.raises(GromaError, match=r"for machines named login\*, a.json is of node17"):
        held(made, path)


def of_hosts(*hosts: str | None) -> ComparedRecord:
    runs = [ComparedRecord(name="r", file=f"{host}.json", created="", host=host, again="") for host in hosts]
    return ComparedRecord(
        name="all", file="a.json", created="", host=" | ".join(map(str, hosts)), again="", runs=runs
    )


def test_the_pattern_of_several_hosts_matches_them_all() -> None:
    assert machine_of(of_hosts("node17", "node17")) == "node17"
    assert machine_of(of_hosts("node17", "node18")) == "node1*"
    assert machine_of(of_hosts("node17", None)) == "*"
    assert machine_of(of_hosts("alpha", "beta")) == "*"


def test_each_of_the_runs_must_be_of_the_machine(tmp_path: Path) -> None:
    kept = read_reference(reference(tmp_path, 'value = 1\nminus = "5%"', machine="node17"))
    assert gates_for([kept], [of_hosts("node17", "NODE17")])
    with pytest.raises(GromaError, match=r"node18.json is of node18"):
        gates_for([kept], [of_hosts("node17", "node18")])


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ('value = 1\nunit = "GB/s"', "neither minus nor plus"),
        ('value = "fast"\nminus = "5%"', "Expected `float`, got `str`"),
        ('value = 1\nunit = "GB/s"\nminus = "5 ns"', "is not a tolerance"),
        ('value = nan\nunit = "GB/s"\nminus = "5%"', "nan is not a value"),
        ('value = inf\nunit = "GB/s"\nminus = "5%"', "inf is not a value"),
        ('value = 1\nunit = "GB/s"\nplus = inf', "is not a tolerance"),
        ('value = 1\nunit = "GB/s"\nminus = 5', "no value is less by 5, so none would fail"),
        ('value = 1\nunit = "GB/s"\nminus = "2 GB/s"', "no value is less by 2 GB/s, so none would fail"),
        ('value = 0\nunit = "GB/s"\nminus = "5%"', "no value is less by 5%, so none would fail"),
        ('value = -1\nunit = "GB/s"\nminus = "5%"', "no value is less by 5%, so none would fail"),
        ('value = -1\nunit = "ns"\nminus = "2 ns"', "no value is less by 2 ns, so none would fail"),
        ('value = 1\nlower = "5%"', "unknown field `lower`"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_place(made: Make, tmp_path: Path, body: str, what: str) -> None:
    with pytest.raises(GromaError, match=what) as refused:
        held(made, reference(tmp_path, body))
    assert "reference.toml" in refused.value.what


def test_every_record_must_be_of_the_machine(tmp_path: Path) -> None:
    kept = read_reference(reference(tmp_path, 'value = 1\nminus = "5%"', machine="node3"))
    with pytest.raises(GromaError, match=r"node2.json is of node2"):
        gates_for([kept], [of_hosts("node2"), of_hosts("node3")])


def test_a_reference_without_any_value_is_refused(made: Make) -> None:
    facts = compare([("a", "a.json", made({"triad": [1e10]}))])
    with pytest.raises(GromaError, match="no value of the runs has an interval") as refused:
        reference_of(facts.quantities, (), "node17", Amount(5.0, "%"))
    assert "several runs" in refused.value.next_step


def test_a_file_made_from_a_record_holds_for_it(made: Make, tmp_path: Path) -> None:
    facts = compare([("a", "a.json", made({"triad": RATES, "copy": RATES}))])
    path = tmp_path / "made.toml"
    path.write_text(reference_of(facts.quantities, (), "node17", Amount(5.0, "%")), encoding="utf-8")
    gates = gates_for([read_reference(path)], facts.records)
    assert len(gates) == 2
    assert {one.outcome for one in judge(gates, facts, first_is_judged=True)} == {"passed"}
    assert path.read_text(encoding="utf-8").count('minus = "5%"') == 2
    slow = compare([("a", "a.json", made({"triad": [0.9 * one for one in RATES], "copy": RATES}))])
    assert sorted(one.outcome for one in judge(gates, slow, first_is_judged=True)) == ["failed", "passed"]


@pytest.mark.parametrize("tolerance", [100.0, 200.0, 500.0])
def test_no_reference_of_a_rate_is_written_that_nothing_would_fail(made: Make, tolerance: float) -> None:
    facts = compare([("a", "a.json", made({"triad": RATES}))])
    with pytest.raises(GromaError, match=f"no value is less by {tolerance:g} ?%, so none would fail"):
        reference_of(facts.quantities, [], "*", Amount(tolerance, "%"))


def test_a_reference_of_a_time_can_be_read_however_large_its_tolerance(tmp_path: Path) -> None:
    first = Quantity(value=1e-7, unit="s", low=0.99e-7, high=1.01e-7, confidence=0.95, method="m")
    latency = ComparedQuantity(name="latency", unit="s", better="lower", first=first)
    path = tmp_path / "node.toml"
    path.write_text(reference_of([latency], [], "*", Amount(500.0, "%")), encoding="utf-8")
    assert 'plus = "500%"' in path.read_text(encoding="utf-8")
    assert len(read_reference(path).gates) == 1


@pytest.mark.parametrize("value", [41.8599, 45.4132, 39.1082, 92.36])
@pytest.mark.parametrize("whole", ['"100%"', "1.0", '"{0} GB/s"', '"{1:.1f} MB/s"'])
def test_a_tolerance_of_the_whole_value_is_refused_whatever_its_digits(
    tmp_path: Path, value: float, whole: str
) -> None:
    """41.8599 * 100.0 / 100.0 is more than 41.8599."""
    minus = whole.format(value, 1000 * value)
    with pytest.raises(GromaError, match="so none would fail"):
        read_reference(reference(tmp_path, f'value = {value}\nunit = "GB/s"\nminus = {minus}'))


def test_a_value_that_may_be_below_zero_may_have_any_tolerance(tmp_path: Path) -> None:
    assert read_reference(reference(tmp_path, 'value = -2.0\nunit = ""\nminus = "50%"')).gates


def test_a_value_that_may_be_zero_is_in_no_reference(tmp_path: Path) -> None:
    """Down to which bound it may fall, nobody can say."""
    sure, open_ = (
        ComparedQuantity(
            name=name,
            unit="x",
            better="neither",
            first=Quantity(value=0.0014, unit="x", low=low, high=0.0016, confidence=0.95, method="m"),
        )
        for name, low in (("sure", 0.0012), ("open", -0.019))
    )
    path = tmp_path / "made.toml"
    path.write_text(reference_of([sure, open_], (), "*", Amount(5.0, "%")), encoding="utf-8")
    facts = ComparisonFacts(of="hpcc", records=[of_hosts("node2")], quantities=[sure, open_])
    results = judge(read_reference(path).gates, facts, first_is_judged=True)
    assert {(one.quantity, one.outcome) for one in results} == {("sure", "passed")}


@pytest.mark.parametrize(
    ("low", "high", "kept"),
    [(0.8, 3.5, ['minus = "20%"']), (0.001, 900.0, [])],
    ids=["of runs that scatter", "of runs that agree in nothing"],
)
def test_a_reference_has_no_gate_that_nothing_would_fail(low: float, high: float, kept: list[str]) -> None:
    """Intervals of few pooled runs reach much further up than down."""
    rates = [
        ComparedQuantity(
            name=name,
            unit="B/s",
            better="higher",
            first=Quantity(value=1.0, unit="B/s", low=below, high=above, confidence=0.95, method="m"),
        )
        for name, below, above in (("sure", 0.99, 1.01), ("unsure", low, high))
    ]
    text = reference_of(rates, (), "*", Amount(5.0, "%"))
    assert re.findall(r"minus = .*", text) == ['minus = "5%"', *kept]


def test_a_tolerance_is_not_less_than_the_uncertainty(made: Make, tmp_path: Path) -> None:
    loose = [1e10 * (1 + 0.02 * step) for step in range(-10, 10)]
    facts = compare([("a", "a.json", made({"triad": loose}))])
    text = reference_of(facts.quantities, (), "node17", Amount(5.0, "%"))
    assert 'minus = "9%"' in text or 'minus = "11%"' in text or 'minus = "10%"' in text
