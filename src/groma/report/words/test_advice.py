from groma.record import Advice
from groma.report.words.advice import MOST_ALIKE, grouped


def advice(number: int, code: str = "odd", step: str = "look") -> list[Advice]:
    return [Advice(code=code, what=f"system {place}", next=step) for place in range(number)]


def test_findings_of_one_kind_stand_together() -> None:
    (odd, *others), cut = advice(3), advice(2, "cut")
    found = grouped([odd, *cut, *others])
    assert [[one.code for one in group] for group in found] == [["odd"] * 3, ["cut"] * 2]


def test_a_hundred_alike_are_a_few_lines_that_tell_how_many_there_are() -> None:
    (group,) = grouped(advice(100))
    assert len(group) == MOST_ALIKE
    assert group[-1].what.startswith("and 96 more")
    assert (group[-1].code, group[-1].next) == ("odd", "look")


def test_as_many_as_fit_are_all_reported() -> None:
    assert grouped(advice(MOST_ALIKE)) == [advice(MOST_ALIKE)]
