"""An input that can be read once serves the plan and the ranks, which read it on their own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.hpcc.input_once import readable_again
from groma.hpcc.request import SuiteRequest, sizing_of

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = b"sizes\n" * 3


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """The name of a pipe into which somebody has written TEXT."""
    descriptor, writer = os.pipe()
    os.write(writer, TEXT)
    os.close(writer)
    path = tmp_path / "hpccinf.txt"
    path.symlink_to(f"/dev/fd/{descriptor}")
    yield path
    os.close(descriptor)


def test_a_pipe_is_read_once_into_a_file_of_the_run(pipe: Path, tmp_path: Path) -> None:
    with readable_again(SuiteRequest(input=str(pipe)), tmp_path) as request:
        sizing = sizing_of(request, tmp_path)
        assert sizing.input is not None
        assert [Path(sizing.input).read_bytes() for _ in range(2)] == [TEXT, TEXT]
        assert sizing.arguments == ("--input", sizing.input)
        assert sizing.reason == f"sizes of {pipe}"
    assert [*tmp_path.iterdir()] == [pipe]


def test_the_usual_file_may_be_a_pipe(pipe: Path, tmp_path: Path) -> None:
    with readable_again(SuiteRequest(), tmp_path) as request:
        assert Path(sizing_of(request, tmp_path).input or "").read_bytes() == TEXT
    assert [*tmp_path.iterdir()] == [pipe]


@pytest.mark.parametrize("number", [True, False])
def test_a_descriptor_of_this_process_is_none_of_the_ranks(tmp_path: Path, *, number: bool) -> None:
    file = tmp_path / "sizes"
    file.write_bytes(TEXT)
    descriptor = os.open(file, os.O_RDONLY)
    try:
        path = f"/dev/fd/{descriptor}" if number else f"/proc/self/fd/{descriptor}"
        with readable_again(SuiteRequest(input=path), tmp_path) as request:
            assert Path(sizing_of(request, tmp_path).input or "").read_bytes() == TEXT
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("name", ["sizes", "missing", ""])
def test_other_inputs_are_handed_on_as_they_are(name: str, tmp_path: Path) -> None:
    (tmp_path / "sizes").write_bytes(TEXT)
    asked = SuiteRequest(input=str(tmp_path / name))
    with readable_again(asked, tmp_path) as request:
        assert request == asked
    with readable_again(SuiteRequest(n="100"), tmp_path) as request:
        assert request == SuiteRequest(n="100")


def test_an_input_without_end_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(GromaError, match="/dev/zero is larger than 1 MiB") as refused,
        readable_again(SuiteRequest(input="/dev/zero"), tmp_path),
    ):
        pass
    assert refused.value.exit_code == ExitCode.USAGE


def test_what_is_wrong_in_a_pipe_is_said_of_the_pipe(pipe: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(GromaError) as refused,
        readable_again(SuiteRequest(input=str(pipe)), tmp_path) as request,
    ):
        raise GromaError(f"{request.input_copy}: line 6", "correct it", ExitCode.USAGE)
    assert (refused.value.what, refused.value.exit_code) == (f"{pipe}: line 6", ExitCode.USAGE)


def test_a_folder_that_takes_no_file_is_no_obstacle(
    pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(other))
    with readable_again(SuiteRequest(input=str(pipe)), tmp_path / "gone") as request:
        assert Path(request.input_copy or "").read_bytes() == TEXT
    assert not [*other.iterdir()]
