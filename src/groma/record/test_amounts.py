import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.record import Quantity
from groma.record.amounts import Amount, amount_of, change_text, in_unit, percent


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("30 GB/s", "B/s", 30e9),
        ("30GB/s", "B/s", 30e9),
        ("150 ns", "s", 150e-9),
        ("1.5 µs", "s", 1.5e-6),
        ("32 KiB", "B", 32768),
        ("0.05 GUP/s", "GUP/s", 0.05),
        ("50 MUP/s", "GUP/s", 0.05),
        ("3e9", "ratio", 3e9),
        ("2 x", "1", 2),
        ("4 cycles", "cycles", 4),
    ],
)
def test_amounts_are_read_in_any_prefix(text: str, unit: str, expected: float) -> None:
    amount = amount_of(text)
    assert amount is not None
    assert in_unit(amount, unit) == pytest.approx(expected)


@pytest.mark.parametrize(("text", "unit"), [("30 GB/s", "s"), ("5 m", "s"), ("1", "s"), ("1 s", "B/s")])
def test_an_amount_of_something_else_has_no_number(text: str, unit: str) -> None:
    amount = amount_of(text)
    assert amount is not None
    assert in_unit(amount, unit) is None


@pytest.mark.parametrize("text", ["", "fast", "%", "nan", "1e999", "--5", "-5,5%", "5.5.5%", "9_000 B"])
def test_what_is_no_number_is_no_amount(text: str) -> None:
    assert amount_of(text) is None


def test_a_share_keeps_its_sign() -> None:
    assert amount_of("-5%") == Amount(-5.0, "%")
    assert amount_of("\u22125 %") == Amount(-5.0, "%")


@given(st.text())
def test_any_text_is_an_amount_or_none(text: str) -> None:
    amount = amount_of(text)
    assert amount is None or amount_of(str(amount)) is not None


def test_a_change_is_reported_in_per_cent_with_its_interval() -> None:
    ratio = Quantity(value=0.929, unit="ratio", low=0.91, high=0.948, confidence=0.95, method="m")
    assert change_text(ratio) == "-7.1 % [-9.0, -5.2]"
    assert percent(1.0) == "0.0 %"
    assert percent(3.5) == "+250 %"
    assert percent(1e299) == "+1.00e+301 %"
