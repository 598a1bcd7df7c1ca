"""What was measured is never lost to a place that cannot be written any more."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import ExitCode, GromaError
from groma.record import partial_file
from groma.record.io import encoded_record
from groma.record.partial_file import finish, partial_path, remove_partial, write_partial
from groma.record.unfinished import PARTIAL
from groma.record.writing import refuse_unwritable

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.record import Record


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("out", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """From now on nothing more can be created in these folders."""

    def fill(*folders: Path) -> None:
        def create(path: Path, content: bytes, mode: int | None) -> None:
            if path.parent in folders:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            path.write_bytes(content)

        monkeypatch.setattr("groma.record.writing._create", create)

    return fill


def files(folder: Path) -> list[Path]:
    return [one for one in folder.rglob("*") if one.is_file()]


def test_a_finished_record_leaves_nothing_beside_it(tmp_path: Path, survey: Record[Any]) -> None:
    output = tmp_path / "out" / "p.json"
    write_partial(output, survey)
    assert files(tmp_path) == [partial_path(output)]
    finish(output, survey)
    assert files(tmp_path) == [output]
    assert output.read_bytes() == encoded_record(survey)


def test_an_output_that_cannot_be_written_is_refused_at_the_beginning(
    tmp_path: Path, full: Callable[..., None]
) -> None:
    full(tmp_path / "out")
    with pytest.raises(GromaError, match="no space left") as caught:
        refuse_unwritable(tmp_path / "out" / "p.json")
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
    assert files(tmp_path) == []


@pytest.mark.parametrize("filled", [["out"], ["out", "state/groma"]])
def test_a_record_goes_to_a_place_that_the_message_names(
    filled: list[str], tmp_path: Path, survey: Record[Any], full: Callable[..., None]
) -> None:
    output = tmp_path / "out" / "p.json"
    write_partial(output, survey)
    full(*(tmp_path / one for one in filled))
    with pytest.raises(GromaError, match="no space left") as caught:
        finish(output, survey)
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
    place = Path(caught.value.what.rpartition(" is in ")[2])
    assert place.read_bytes() == encoded_record(survey)
    assert str(place) in caught.value.next_step
    assert partial_path(output).exists()


def test_the_command_that_shows_a_record_in_another_place_can_be_pasted(
    tmp_path: Path, survey: Record[Any], full: Callable[..., None]
) -> None:
    output = tmp_path / "out" / "my run.json"
    write_partial(output, survey)
    full(tmp_path / "out")
    with pytest.raises(GromaError, match="no space left") as caught:
        finish(output, survey)
    place = caught.value.what.rpartition(" is in ")[2]
    assert caught.value.next_step.endswith(f"show it with: groma show '{place}'")


def test_a_part_goes_elsewhere_as_well_and_is_replaced_there(
    tmp_path: Path, survey: Record[Any], full: Callable[..., None]
) -> None:
    output = tmp_path / "out" / "p.json"
    full(tmp_path / "out")
    assert write_partial(output, survey) == write_partial(output, survey)
    assert len(files(tmp_path)) == 1
    remove_partial(output, survey)
    assert files(tmp_path) == []


def test_an_output_that_was_taken_meanwhile_leaves_the_record_beside_it(
    tmp_path: Path, survey: Record[Any]
) -> None:
    output = tmp_path / "out" / "p.json"
    write_partial(output, survey)
    output.mkdir()
    with pytest.raises(GromaError, match=str(partial_path(output))):
        finish(output, survey)
    assert partial_path(output).read_bytes() == encoded_record(survey)


def test_without_any_place_all_of_them_are_named(
    tmp_path: Path, survey: Record[Any], full: Callable[..., None]
) -> None:
    full(tmp_path / "out", tmp_path / "state" / "groma", tmp_path / "tmp")
    with pytest.raises(GromaError, match="anywhere") as caught:
        finish(tmp_path / "out" / "p.json", survey)
    for folder in ("out", "state", "tmp"):
        assert str(tmp_path / folder) in caught.value.what


def test_a_device_gets_no_partial_record_beside_it(tmp_path: Path, survey: Record[Any]) -> None:
    output = Path(os.devnull)
    assert partial_path(output).parent == partial_file.state_folder() == tmp_path / "state" / "groma"
    write_partial(output, survey)
    finish(output, survey)
    assert files(tmp_path) == []


def test_a_link_in_a_shared_folder_is_never_followed(
    tmp_path: Path, survey: Record[Any], full: Callable[..., None]
) -> None:
    full(tmp_path / "out", tmp_path / "state" / "groma")
    place = write_partial(tmp_path / "out" / "p.json", survey)
    place.unlink()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    place.symlink_to(victim)
    assert write_partial(tmp_path / "out" / "p.json", survey) == place
    assert victim.read_text() == "mine"


def test_the_part_of_a_run_whose_output_is_an_open_descriptor_goes_to_the_state_folder(
    tmp_path: Path,
) -> None:
    with (tmp_path / "out" / "all.log").open("wb") as stream:
        place = partial_path(Path(f"/proc/self/fd/{stream.fileno()}"))
    assert place.parent == tmp_path / "state" / "groma"


@pytest.mark.parametrize("step", [write_partial, finish])
def test_a_record_that_grows_too_large_leaves_the_part_before_and_says_where_it_is(
    step: Callable[..., object], tmp_path: Path, survey: Record[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out" / "p.json"
    before = write_partial(output, survey).read_bytes()
    monkeypatch.setattr("groma.record.io.MOST_JSON", 1000)
    with pytest.raises(GromaError, match="more than the") as caught:
        step(output, survey)
    assert str(partial_path(output)) in caught.value.what
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
    assert partial_path(output).read_bytes() == before
    assert not output.exists()


def test_a_record_that_is_too_large_from_the_start_names_no_part(
    tmp_path: Path, survey: Record[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groma.record.io.MOST_JSON", 1000)
    with pytest.raises(GromaError, match="more than the") as caught:
        write_partial(tmp_path / "out" / "p.json", survey)
    assert PARTIAL not in caught.value.what
    assert files(tmp_path) == []
