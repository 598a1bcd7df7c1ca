"""A communication matrix is read as it is meant, or refused with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import GromaError
from groma.map.matrix import parse_matrix, read_matrix
from groma.map.traffic import Traffic

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "text",
    [
        "source,target,bytes\n0,1,8\n1,2,16\n",
        "source,target,bytes\r\n0,1,8\r\n1,2,16\r\n",
        "\ufeffSource;Target;Bytes\n0;1;8\n1;2;16\n".lstrip("\ufeff"),
        "# made by hand\nbytes target source\n8 1 0\n\n16 2 1 # the last one\n",
        '"source","target","bytes"\n0,1,8\n1,2,16.0\n',
        "0,8,0\n0,0,16\n0,0,0\n",
        "0 8 0\n0 0 16\n0 0 0\n",
        "0\t8\t0\n0\t0\t1.6e1\n0\t0\t0\n",
        "src,dst,volume\n0,1,8\n1,2,16\n",
        "id;sender;receiver;total_bytes\n7;0;1;8\n7;1;2;16\n",
        ",0,1,2\n0,0,8,0\n1,0,0,16\n2,0,0,0\n",
        ',"rank 0","rank 1","rank 2"\n"rank 0",0,8,0\n"rank 1",0,0,16\n"rank 2",0,0,0\n',
        ",8,0\n0,,16\n0,0,\n",
        "0,8,0,\n0,0,16,\n0,0,0,\n",
        "source,target,bytes,\n0,1,8,\n1,2,16,\n",
    ],
)
def test_every_spelling_is_the_same_matrix(text: str) -> None:
    found = parse_matrix(text, "m")
    assert found.ranks == 3
    assert set(found.traffic) == {Traffic(0, 1, 8.0), Traffic(1, 2, 16.0)}
    assert not found.remarks


def test_a_table_without_a_header_is_read_in_the_usual_order() -> None:
    """Where it has as many rows as columns, it is a square matrix."""
    found = parse_matrix("0 1 8\n1 2 16\n", "m")
    assert found.traffic == (Traffic(0, 1, 8.0), Traffic(1, 2, 16.0))
    assert found.remarks == ("the file has no header: its columns are taken as source, target, bytes",)
    assert parse_matrix("0,1,8,2\n" * 3, "m").traffic == (Traffic(0, 1, 24.0, 6.0),)
    assert Traffic(1, 2, 16.0) in parse_matrix("0 1 8\n1 2 16\n2 0 0\n", "m").traffic


BAND = {Traffic(one, one + step, 1.0) for step in (1, -1) for one in range(5) if 0 <= one + step < 5}


@pytest.mark.parametrize(
    "text",
    [
        ",1,,,\n1,,1,,\n,1,,1,\n,,1,,1\n,,,1,\n",
        ",1,,,,\n1,,1,,,\n,1,,1,,\n,,1,,1,\n,,,1,,\n",
        ",1,,,\n1,,1,,,\n,1,,1,,\n,,1,,1\n,,,1,\n",
        ",0,1,2,3,4\n0,,1,,,\n1,1,,1,,\n2,,1,,1,\n3,,,1,,1\n4,,,,1,\n",
        ",0,1,2,3,4,\n0,,1,,,,\n1,1,,1,,,\n2,,1,,1,,\n3,,,1,,1,\n4,,,,1,,\n",
    ],
)
@pytest.mark.parametrize("separator", [",", ";", " , ", "\t", " \t"])
def test_a_matrix_with_empty_last_cells_has_a_column_for_each_row(text: str, separator: str) -> None:
    """A separator that ends a line with a cell for each row ends no other cell."""
    found = parse_matrix(text.replace(",", separator), "m", ranks=5)
    assert set(found.traffic) == BAND
    assert found.remarks == ()


@pytest.mark.parametrize("label", ["{}", "rank{}", '"node {}"'])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_labels_that_count_from_1_are_no_traffic(label: str, separator: str, ranks: int) -> None:
    """They were a first rank that sends 1, 2, 3 bytes."""
    labels = [label.format(one + 1) for one in range(ranks)]
    rows = [["", *labels]]
    rows += [[own, *(str(10 + one + other) for other in range(ranks))] for one, own in enumerate(labels)]
    found = parse_matrix("".join(separator.join(row) + "\n" for row in rows), "m")
    assert found.ranks == ranks
    assert set(found.traffic) == {
        Traffic(one, other, 10.0 + one + other)
        for one in range(ranks)
        for other in range(ranks)
        if one != other
    }
    assert "the file counts ranks from 1: its rank 1 is rank 0 here" in found.remarks
    assert not found.without_first


def test_a_first_row_of_1_2_3_is_traffic_where_the_first_column_is_not() -> None:
    """An empty cell is no traffic."""
    found = parse_matrix(",1,2,3\n1,,5,6\n2,1,,2\n9,3,4,\n", "m")
    assert found.ranks == 4
    assert Traffic(0, 3, 3.0) in found.traffic
    assert Traffic(3, 0, 9.0) in found.traffic
    assert not found.remarks
    assert set(parse_matrix(",1\n1,\n", "m").traffic) == {Traffic(0, 1, 1.0), Traffic(1, 0, 1.0)}


@pytest.mark.parametrize("number", ["1_000", "1_0e3", "\u0661\u0660", "\uff11", "0x10", "1e1_0"])
@pytest.mark.parametrize(
    "text",
    ["source,target,bytes\n0,1,{}\n", "0,1\n{},0\n", "%%MatrixMarket matrix array real general\n1 1\n{}\n"],
)
def test_numbers_are_written_in_plain_digits(number: str, text: str) -> None:
    """Not as in programs, nor in the digits of other scripts."""
    with pytest.raises(GromaError, match=f"bytes '{number}' is not a number"):
        parse_matrix(text.format(number), "m")


def test_a_matrix_whose_last_column_is_empty_is_no_table() -> None:
    """It was read as rows of source, target and bytes."""
    text = "0,1,2,\n1,0,3,\n2,3,0,\n0,1,1,\n"
    for ranks in (None, 4):
        found = parse_matrix(text, "m", ranks)
        assert sum(one.bytes for one in found.traffic if one.source != one.target) == 14.0
        assert found.traffic == parse_matrix(text.replace(",\n", ",0\n"), "m").traffic
    assert parse_matrix(",5,,\n5,,7,\n,7,,\n,,9,\n", "m").ranks == 4


def test_a_matrix_with_tabs_has_empty_cells() -> None:
    """It was read as rows of source, target and bytes: each row has three values."""
    text = "\t4\t2\t3\t\t\n4\t\t1\t\t3\t\n2\t1\t\t\t\t3\n3\t\t\t\t5\t2\n\t3\t\t5\t\t1\n\t\t3\t2\t1\t\n"
    found = parse_matrix(text, "m")
    assert (found.ranks, len(found.traffic), found.remarks) == (6, 18, ())
    assert found == parse_matrix(text.replace("\t", ","), "m")
    assert found == parse_matrix("# by hand, of a run\n\n \t # a remark\n" + text.replace("\n", "\r\n"), "m")


def test_a_row_of_nothing_but_tabs_is_a_rank_that_sends_nothing() -> None:
    found = parse_matrix("\t8\t\n\t\t16\n\t\t\n", "m")
    assert set(found.traffic) == {Traffic(0, 1, 8.0), Traffic(1, 2, 16.0)}


@pytest.mark.parametrize(
    ("rows", "separator", "indent"),
    [
        (4, "\t", "\t"),
        (5, "\t\t", ""),
        (6, "\t\t", "\t"),
        (7, "\t\t\t", ""),
        (6, "\t\t", ""),
        (3, "\t", "\t\t"),
    ],
)
@pytest.mark.parametrize("header", [False, True])
def test_a_table_that_tabs_align_is_no_matrix(rows: int, separator: str, indent: str, header: bool) -> None:
    """Also where it has as many rows as cells between tabs."""
    words = [("source", "target", "bytes")] * header
    words += [(str(at), str(at + 1), "8") for at in range(rows - header if rows > 3 else 2)]
    found = parse_matrix("".join(f"{indent}{separator.join(row)}\n" for row in words), "m")
    assert set(found.traffic) == {Traffic(at, at + 1, 8.0) for at in range(len(words) - header)}


def test_a_tab_behind_values_that_spaces_separate_is_no_cell() -> None:
    found = parse_matrix("0 1 8 1\t\n1 2 8 1\t\n2 3 8 1\t\n3 4 8 1\t\n4 0 8 1\t\n", "m")
    assert found.traffic == tuple(Traffic(at, (at + 1) % 5, 8.0, 1.0) for at in range(5))
    assert parse_matrix("0 8\t\n4 0\t\n", "m").ranks == 2


def test_a_label_between_tabs_may_have_a_space() -> None:
    text = "\trank 0\trank 1\nrank 0\t\t8\nrank 1\t\t\n"
    assert set(parse_matrix(text, "m").traffic) == {Traffic(0, 1, 8.0)}


def test_a_matrix_that_tabs_indent_is_read_without_an_empty_column() -> None:
    assert parse_matrix("\t0\t8\n\t4\t0\n", "m").ranks == 2
    assert parse_matrix("\t0\t8\n\t4\t0\n\t\t\n", "m").ranks == 2


def test_messages_are_counted_where_they_are_given() -> None:
    found = parse_matrix("source,target,bytes,messages\n0,1,8,2\n0,1,4,1\n", "m")
    assert found.traffic == (Traffic(0, 1, 12.0, 3.0),)
    assert found.remarks == ("1 entry of a pair that was there already is added to it",)


def test_traffic_of_a_rank_with_itself_is_left_out() -> None:
    found = parse_matrix("5,1\n0,7\n", "m")
    assert found.traffic == (Traffic(0, 1, 1.0),)
    assert found.remarks == ("traffic of 2 ranks with themselves is left out",)


def test_remarks_count_one_as_one() -> None:
    found = parse_matrix("source,target,bytes\n1,1,5\n0,1,2\n0,1,3\n", "m.csv")
    assert found.remarks == (
        "traffic of 1 rank with itself is left out",
        "1 entry of a pair that was there already is added to it",
    )


def test_several_entries_of_a_rank_with_itself_are_of_one_rank() -> None:
    found = parse_matrix("source,target,bytes\n0,0,5\n0,0,6\n0,1,3\n", "m.csv")
    assert found.remarks == ("traffic of 1 rank with itself is left out",)


def test_silent_ranks_at_the_end_count() -> None:
    assert parse_matrix("0,1,0\n0,0,0\n0,0,0\n", "m").ranks == 3
    assert parse_matrix("source,target,bytes\n0,1,8\n", "m", ranks=6).ranks == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m is empty"),
        ("\n# nothing\n", "m is empty"),
        ("\t\n\t\n", "m is empty"),
        ("source,target,bytes\n", "m has no traffic"),
        ("source,target\n0,1\n", "m, line 1: the header has no column bytes"),
        ("# by hand\n\nsource,target\n0,1\n", "m, line 3: the header has no column bytes"),
        ("source,target,bytes\n0,1\n", "m, line 2: 2 values, the header has 3"),
        ("source,target,bytes\n0,1,-3\n", "m, line 2: bytes is -3"),
        ("source,target,bytes\n0,1,nan\n", "m, line 2: bytes is nan"),
        ("source,target,bytes\n0,1,1e308\n", "m, line 2: bytes is 1e308"),
        ("0,1e308\n1,0\n", "m, line 1: bytes is 1e308"),
        ("source,target,bytes\n0,1,1,5\n", "m, line 2: 4 values"),
        ("source,target,bytes\n0,1.5,3\n", "m, line 2: '1.5' is not a rank"),
        ("source,target,bytes\n0,-1,3\n", "m, line 2: '-1' is not a rank"),
        ("source,target,bytes\n0,99999999,3\n", "m, line 2: '99999999' is not a rank"),
        ("0,1\n1,0,3\n", "m, line 2: 3 values in row 2, 2 in the first one"),
        (",0,1\n1,0,5\n0,5,0\n", "m, line 2: row 1 is not of rank 0"),
        (",0,1\n", "m has 0 rows and 0 columns"),
        ("0.5 1 8\n1 2 16\n", "m has 2 rows and 3 columns"),
        ("0,1\n1,0\n0,0\n", "m has 3 rows and 2 columns, so it is not square"),
        ("0,1\n1,x\n", "m, line 2: bytes 'x' is not a number"),
        ("0,nan\n1,0\n", "m, line 1: bytes is nan"),
        ("0,1\n-1,0\n", "m, line 2: bytes is -1"),
        ("0,inf\n1,0\n", "m, line 1: bytes is inf"),
        ("0.5,8,2\n", "m has 1 row and 3 columns, so it is not square"),
        ("0,99999999999,5\n", "m, line 1: '99999999999' is not a rank"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(GromaError) as refused:
        parse_matrix(text, "m")
    assert refused.value.what.startswith(message)
    assert refused.value.next_step


@pytest.mark.parametrize("text", ["source,target,bytes\n0,1,1KiB\n", "0,1\n4k,0\n"])
def test_an_amount_with_a_unit_is_refused_with_a_number_as_example(text: str) -> None:
    with pytest.raises(GromaError, match=r"bytes '\w+' is not a number") as refused:
        parse_matrix(text, "m")
    assert refused.value.next_step == "write plain numbers without units: 65536 or 6.5e4"


@pytest.mark.parametrize("text", ["source,target,bytes\n0,99999999999,5\n", "0,1048576,5\n"])
def test_a_rank_beyond_the_limit_is_refused_with_the_limit(text: str) -> None:
    with pytest.raises(GromaError, match="is not a rank") as refused:
        parse_matrix(text, "m")
    assert refused.value.next_step == "ranks are whole numbers from 0 to 1048575"


def test_a_matrix_for_other_ranks_is_refused() -> None:
    for ranks in (2, 4):
        with pytest.raises(GromaError, match=f"m has 3 rows, but there are {ranks} ranks"):
            parse_matrix("0,1,0\n0,0,0\n0,0,0\n", "m", ranks=ranks)
    with pytest.raises(GromaError, match="traffic of rank 2, but there are 2 ranks"):
        parse_matrix("source,target,bytes\n0,2,1\n", "m", ranks=2)
    for text in ("source,target,bytes\n0,2,1\n", "0,1\n1,0\n"):
        with pytest.raises(GromaError, match="but there is 1 rank:") as refused:
            parse_matrix(text, "m", ranks=1)
        assert refused.value.next_step.endswith("the matrix of a run on 1 rank")


@pytest.mark.parametrize("header", ["source,target,bytes\n", ""])
def test_a_table_without_rank_0_may_count_from_1(header: str) -> None:
    text = f"{header}1,2,8\n2,3,8\n3,4,8\n4,1,8\n"
    found = parse_matrix(text, "m")
    assert found.remarks[-1] == "rank 0 neither sends nor receives: the file may count ranks from 1"
    assert found.without_first
    with pytest.raises(GromaError, match="traffic of rank 4, but there are 4 ranks") as refused:
        parse_matrix(text, "m", ranks=4)
    assert "number the ranks from 0" in refused.value.next_step


def test_a_file_that_counts_from_0_has_no_remark_on_that() -> None:
    square = "0,0,0\n0,0,8\n0,8,0\n"
    market = "%%MatrixMarket matrix coordinate real general\n3 3 1\n2 3 8\n"
    for text in (square, market, "source,target,bytes\n0,0,8\n1,2,8\n"):
        found = parse_matrix(text, "m")
        assert not found.without_first
        assert not any("from 1" in one for one in found.remarks)


def test_ranks_that_a_table_leaves_out_are_reported() -> None:
    found = parse_matrix("source,target,bytes\n0,2,1\n", "m", ranks=8)
    assert (found.ranks, found.remarks) == (8, ("the file has nothing of ranks 3 to 7",))
    assert parse_matrix("source,target,bytes\n0,7,1\n", "m", ranks=8).remarks == ()
    assert parse_matrix("source,target,bytes\n0,6,1\n", "m", ranks=8).remarks == (
        "the file has nothing of rank 7",
    )


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(GromaError, match="is not text"):
        read_matrix(path)


@given(st.text(st.sampled_from("0123456789,;. \t\n-ensourctagbyi#x"), max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_matrix(text, "m")
    except GromaError as error:
        assert "\n" not in error.what  # noqa: PT017
    else:
        assert all(max(one.source, one.target) < found.ranks for one in found.traffic)
