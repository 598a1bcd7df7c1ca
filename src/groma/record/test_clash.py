"""No output takes the place of an input or of another output."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.record.clash import refuse_clash


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("1,2\n")
    return path


@pytest.mark.parametrize("name", ["data.csv", "./data.csv", "folder/../data.csv", "soft.csv", "hard.csv"])
def test_an_input_is_no_output_under_any_of_its_names(
    name: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data.parent)
    Path("folder").mkdir()
    Path("soft.csv").symlink_to(data)
    Path("hard.csv").hardlink_to(data)
    with pytest.raises(GromaError) as refused:
        refuse_clash([("--record", None), ("-o", Path(name))], [None, Path("other.csv"), data])
    assert refused.value.what == f"-o would overwrite the input {Path(name)}"
    assert refused.value.next_step == "name another file with -o"
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize("name", ["trace.json", "trace.prv", "other.prv.gz", "trace.groma", "matrix.csv"])
def test_a_folder_of_a_trace_stands_for_the_files_of_the_trace(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    (tmp_path / "earlier.json").touch()
    with pytest.raises(GromaError, match="would overwrite the input"):
        refuse_clash([("-o", tmp_path / name)], [tmp_path])
    refuse_clash([("-o", tmp_path / "mapping.json"), ("--record", tmp_path / "earlier.json")], [tmp_path])


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    both = tmp_path / "both"  # which is not there yet
    with pytest.raises(GromaError) as refused:
        refuse_clash([("--record", both), ("--launch-file", tmp_path / "." / "both")])
    assert refused.value.what == f"--record and --launch-file would both write {both}"
    assert refused.value.exit_code == ExitCode.USAGE
    refuse_clash([("--record", both), ("--launch-file", tmp_path / "other")], [tmp_path / "input"])


def test_devices_and_pipes_may_be_named_several_times(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (Path("/dev/null"), pipe):
        refuse_clash([("--record", path), ("--output", path)], [path])


def test_what_is_no_name_of_a_file_is_left_to_what_opens_it(tmp_path: Path) -> None:
    refuse_clash([("--record", Path("a\0")), ("--output", tmp_path / "b")], [Path("c\0"), Path("a\0")])
