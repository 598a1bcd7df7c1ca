"""A square under a header that its rows repeat is a matrix, whatever the names are."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from groma.errors import GromaError
from groma.survey.infer import named_table
from groma.survey.infer.recorded_pairs import read_latencies
from groma.survey.infer.tables import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from groma.survey.infer.latency_matrix import LatencyMatrix

ROWS = [["", "5", "50", "51"], ["5", "", "52", "50"], ["50", "52", "", "5"], ["51", "50", "5", ""]]
NAMES = {
    "letters": ["A", "B", "C", "D"],
    "letters behind numbers": ["n0a", "n0b", "n1a", "n1b"],
    "cities": ["Oslo", "Rome", "New York", "Lima"],
    "devices": ["device0", "device1", "device2", "device3"],
    "hosts": ["a.example.org", "b.example.org", "c.example.org", "d.example.org"],
}


def read(folder: Path, text: str) -> LatencyMatrix:
    path = folder / "matrix.txt"
    path.write_text(text)
    return read_latencies(path)


def test_rows_that_begin_with_words_are_met_once_each() -> None:
    lines = ["left,right,typical", *(f"node{i},node{i + 1},{1.5 + i % 7}" for i in range(500))]
    rows = rows_of("\n".join(lines))
    with patch.object(named_table, "_is_named_row", wraps=named_table._is_named_row) as met:
        assert not list(named_table.named_tables(rows, lines))
    assert met.call_count <= len(rows)


def test_of_several_tables_the_first_counts(tmp_path: Path) -> None:
    doubled = [[cell and str(2 * int(cell)) for cell in row] for row in ROWS]
    first, second = NAMES["letters"], NAMES["cities"]
    assert is_read(read(tmp_path, table(first, ROWS) + table(second, doubled)), first)
    assert is_read(read(tmp_path, table(second, ROWS) + table(first, doubled)), second)


def table(names: list[str], rows: list[list[str]], corner: str = "", separator: str = ",") -> str:
    lines = [[corner, *names], *([name, *row] for name, row in zip(names, rows, strict=True))]
    return "".join(separator.join(line) + "\n" for line in lines)


def markdown(names: list[str], rows: list[list[str]], corner: str = "", *, rule: str = "---") -> str:
    text = table([f"**{name}**" for name in names], rows, corner, " | ")
    header, *body = text.splitlines()
    return "\n".join([f"| {header} |", "|" + f" {rule} |" * 5, *(f"| {line} |" for line in body)])


def is_read(found: LatencyMatrix, names: list[str], factor: float = 1.0) -> bool:
    shown = found.cores == names or found.cores == list(range(4))
    return shown and found.latency[0].tolist()[1:] == [5 * factor, 50 * factor, 51 * factor]


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_names_of_any_kind_are_read(tmp_path: Path, names: list[str]) -> None:
    assert is_read(read(tmp_path, table(names, ROWS)), names)
    assert is_read(read(tmp_path, table(names, ROWS, "from/to", ";")), names)
    assert is_read(read(tmp_path, "some prose\n" + table(names, ROWS) + "mean,35,36,36,35\n"), names)
    assert is_read(read(tmp_path, markdown(names, ROWS)), names)
    assert is_read(read(tmp_path, markdown(names, ROWS, rule="-:")), names)


def test_names_in_columns_of_the_text_may_have_gaps_below(tmp_path: Path) -> None:
    names = NAMES["letters"]
    lines = ["  " + "".join(f"{name:>6}" for name in names)]
    rows = ["".join(f"{cell:>6}" for cell in row) for row in ROWS]
    lines += [f"{name} {row}" for name, row in zip(names, rows, strict=True)]
    assert is_read(read(tmp_path, "\n".join(lines)), names)
    assert is_read(read(tmp_path, "\n".join(" ".join(line.split()) for line in lines)), names)


def test_bold_numbers_are_names(tmp_path: Path) -> None:
    assert is_read(read(tmp_path, markdown(["0", "1", "2", "3"], ROWS)), [])


def test_numbers_beside_stand_for_the_names_above(tmp_path: Path) -> None:
    lines = table(["core0", "core1", "core2", "core3"], ROWS, "offset").splitlines()
    rows = [f"{i},{','.join(row)}" for i, row in enumerate(ROWS)]
    assert is_read(read(tmp_path, "\n".join([lines[0], *rows])), [])
    assert is_read(read(tmp_path, "\n".join([lines[0], *rows[::-1]])), [])


def test_deviations_of_named_ends_are_left_out(tmp_path: Path) -> None:
    names = NAMES["letters"]
    spread = [[cell and "1" for cell in row] for row in ROWS]
    text = "stddev\n" + table(names, spread) + "mean\n" + table(names, ROWS)
    assert is_read(read(tmp_path, text), names)


def test_a_name_that_no_column_has_is_refused(tmp_path: Path) -> None:
    text = table(NAMES["letters"], ROWS).replace("\nC,", "\nE,")
    with pytest.raises(GromaError, match="line 4 has a name that no column has: 'E'"):
        read(tmp_path, text)


def test_a_word_among_latencies_is_refused(tmp_path: Path) -> None:
    text = table(NAMES["letters"], ROWS).replace("D,51,50", "D,51,slow")
    with pytest.raises(GromaError, match="line 5 holds a cell that is not a latency: 'slow'"):
        read(tmp_path, text)
