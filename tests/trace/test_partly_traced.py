"""Programs of which some ranks run without the tracer: it waits for none, and sends them nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from traced import GROMA, Traced, start, started_on_hosts

if TYPE_CHECKING:
    from pathlib import Path

    from traced import Programs

UNTRACED = ("env", "-u", "LD_PRELOAD")


def parts_of(program: Path, traced_ranks: str, *before: object) -> list[object]:
    """The words of a launcher: a rank for each letter, t for one with the tracer."""
    words: list[object] = []
    for letter in traced_ranks:
        words += [":"] if words else []
        words += ["-n", 1, *before, *(() if letter == "t" else UNTRACED), program]
    return words


def run_command(cwd: Path, *command: object, options: tuple[str, ...] = ()) -> Traced:
    done = start(GROMA, "trace", "-o", "t", *options, "--", *command, cwd=cwd)
    return Traced(done.returncode, done.stdout, done.stderr, cwd / "t")


@pytest.mark.parametrize(
    ("ranks", "who"),
    [("-tt", "rank 0 "), ("tt-", "rank 2 "), ("-t-t", "ranks 0, 2 "), ("t--", "ranks 1, 2 ")],
)
def test_ranks_without_the_tracer_run_undisturbed_beside_the_others(
    programs: Programs, ranks: str, who: str, tmp_path: Path
) -> None:
    parts = parts_of(programs.c("partly"), ranks)
    run = run_command(tmp_path, programs.mpi.launcher, *parts)
    assert (run.code, run.output) == (0, "undisturbed\n"), run.said
    assert f"{who}had no tracer: messages with" in run.said
    assert "ended" not in run.said
    assert [one["rank"] for one in run.summary["missing"]] == [i for i, one in enumerate(ranks) if one == "-"]
    assert run.summary["ranks"] == [len(ranks)]
    for row, letter in zip(run.trace.rows, ranks, strict=True):
        names = [run.names[one.value] for one in run.trace.calls[row]]
        assert names[:1] + names[-1:] == (["Init", "Finalize"] if letter == "t" else [])


def test_nothing_is_left_of_how_ranks_found_each_other(programs: Programs, tmp_path: Path) -> None:
    for ranks in ("ttt", "t-t"):
        folder = tmp_path / ranks
        folder.mkdir()
        run = run_command(folder, programs.mpi.launcher, *parts_of(programs.c("partly"), ranks))
        assert (run.code, run.output) == (0, "undisturbed\n"), run.said
        assert {one.suffix for one in (run.folder / "logs").iterdir()} == {".log"}


def test_jobs_of_one_command_do_not_take_ranks_of_others_for_their_own(
    programs: Programs, tmp_path: Path
) -> None:
    """Rank 0 is traced in the first job, in the second it is not; they run at the same time."""
    jobs = (parts_of(programs.c("partly"), ranks) for ranks in ("tt", "-t", "t-"))
    commands = [" ".join(map(str, (programs.mpi.launcher, *parts))) for parts in jobs]
    script = " & ".join(commands) + " & wait"
    run = run_command(tmp_path, "sh", "-c", script, options=("--mpi", programs.name))
    assert (run.code, run.output) == (0, "undisturbed\n" * 3), run.said
    assert run.summary["ranks"] == [2, 2, 2]
    assert len(run.summary["missing"]) == 2


def test_clocks_of_hosts_are_not_compared_where_a_rank_has_no_tracer(
    programs: Programs, tmp_path: Path
) -> None:
    parts = parts_of(programs.c("partly"), "tt-", started_on_hosts(tmp_path))
    run = run_command(tmp_path, programs.mpi.launcher, *parts, options=("--mpi", programs.name))
    assert (run.code, run.output) == (0, "undisturbed\n"), run.said
    assert [one["aligned_by"] for one in run.summary["hosts"]] == ["reference", "time of day"]
    assert "clocks of hosts were not compared" in run.said
    assert "the clock of host1 is aligned by its time of day only" in run.said
