"""The cause is found among the words of a launcher, as really recorded, and nothing else is quoted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from groma.launch.causes import MOST_SHOWN, Process, cause_of, ending_of, notes_by, said_by

RECORDED = Path(__file__).parents[3] / "tests" / "data" / "launchers"

RANKS = tuple(Process(1, "vm", pid) for pid in (24296, 24305, 24323, 24357))

KILLED = "rank 1 exited on signal 9 (Killed)"
SEGMENTATION = "rank 1 exited on signal 11 (Segmentation fault)"
TERMINATED = "rank 1 exited on signal 15 (Terminated)"
STARTED_NOT = (
    "was unable to launch the specified application as it could not access or execute an executable:"
)
STEP_NOT = "srun: error: Unable to create step for job 1:"

CAUSES = {
    "openmpi-signal-9": KILLED,
    "openmpi-signal-11": SEGMENTATION,
    "openmpi-signal-15": TERMINATED,
    "openmpi-cabort": "rank 1 exited on signal 6 (Aborted)",
    "openmpi-abort": "rank 1 called MPI_Abort(7)",
    "openmpi-exit": "rank 1 ended with exit code 7",
    "openmpi-mpierr": "rank 1 ended with MPI_ERR_RANK: invalid rank",
    "openmpi-missing": f"{STARTED_NOT} Executable: /no/such/program",
    "openmpi-slots": "There are not enough slots available in the system to satisfy the 64 slots that were "
    "requested by the application",
    "openmpi-badopt": 'mpirun: Error: unknown option "--foo"',
    "openmpi-bind": "While computing bindings, we found no available cpus on the following node: Node: vm",
    "openmpi-unknown-host": "ssh: Could not resolve hostname nosuchhost: Name or service not known",
    "openmpi-no-hosts-file": "Open RTE was unable to open the hostfile: missing Check to make sure the path "
    "and filename are correct",
    "openmpi-bad-slots": "Open RTE detected a bad parameter in the hostfile: hbad The slots parameter is "
    "less than 0: slots=-1",
    "openmpi-duplicate-host": "A hostfile was provided that contains multiple definitions of the slot count "
    "for at least one node: hostfile: hdup node: vm",
    "openmpi-empty-hosts": "No nodes are available for this job, either due to a failure to allocate nodes "
    "to the job, or allocated nodes being marked as unavailable (e.g., down, rebooting, or a process "
    "attempting to be relocated to another node when none are available)"[:MOST_SHOWN],
    "mpich-signal-9": KILLED,
    "mpich-signal-11": SEGMENTATION,
    "mpich-signal-15": TERMINATED,
    "mpich-cabort": "rank 1 exited on signal 6 (Aborted)",
    "mpich-abort": "rank 1 called MPI_Abort(7)",
    "mpich-mpierr": "rank 1 ended with Fatal error in internal_Send: Invalid rank",
    "mpich-missing": "execvp error on file /no/such/program (No such file or directory)",
    "mpich-badopt": "unrecognized argument foo",
    "mpich-bind": 'mapping option "core:99" larger than total system size',
    "mpich-unknown-host": "ssh: Could not resolve hostname nosuchhost.invalid: Name or service not known",
    "mpich-ssh-refused": "ssh: connect to host 127.0.0.9 port 22: Connection refused",
    "mpich-no-hosts-file": "unable to open host file: missing",
    "mpich-bad-slots": "token slots not supported at this time",
    "slurm-openmpi-9": KILLED,
    "slurm-openmpi-11": SEGMENTATION,
    "slurm-openmpi-15": TERMINATED,
    "slurm-openmpi-abort": "rank 1 called MPI_Abort(7)",
    "slurm-openmpi-exit": "rank 1 ended with exit code 7",
    "slurm-mpich-9": KILLED,
    "slurm-mpich-exit": "rank 1 ended with exit code 7",
    "slurm-missing": "execve(): /no/such/program: No such file or directory",
    "slurm-slots": f"{STEP_NOT} More processors requested than permitted",
    "slurm-node": f"{STEP_NOT} Requested node configuration is not available",
    "slurm-badmpi": "srun: error: Couldn't find the specified plugin name for mpi/foo looking at all files",
}


def said(name: str) -> list[str]:
    return (RECORDED / f"{name}.txt").read_text(errors="replace").splitlines()


@pytest.mark.parametrize("name", CAUSES)
def test_the_real_cause_of_a_recorded_failure_is_quoted(name: str) -> None:
    assert cause_of(said(name), RANKS) == CAUSES[name]


def test_every_recorded_failure_has_its_cause() -> None:
    assert CAUSES.keys() == {path.stem for path in RECORDED.iterdir()}


NO_LIBRARY = "error while loading shared libraries: libmpi.so.40: cannot open: No such file or directory"

# Output of launchers that are not installed where the tests run, from their sources or from users.
OTHER_LAUNCHERS = {
    "Open MPI 5 wraps its lines": (
        """\
--------------------------------------------------------------------------
prterun noticed that process rank 0 with PID 2718 on node vm exited on
signal 9 (Killed).
--------------------------------------------------------------------------""",
        "rank 0 exited on signal 9 (Killed)",
    ),
    "Open MPI 5, an exit code": (
        """\
--------------------------------------------------------------------------
prterun detected that one or more processes exited with non-zero status,
thus causing the job to be terminated. The first process to do so was:

   Process name: [prterun-vm-2718@1,3]
   Exit code:    7
--------------------------------------------------------------------------""",
        "rank 3 ended with exit code 7",
    ),
    "Intel MPI": (
        """\
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   RANK 5 PID 412 RUNNING AT n1
=   KILLED BY SIGNAL: 9 (Killed)
===================================================================================""",
        "rank 5 exited on signal 9 (Killed)",
    ),
    "Slurm on many tasks": (
        "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026 ***\nsrun: error: n1: tasks 3-5: Killed",
        "rank 3 exited on signal 9 (Killed)",
    ),
    "Slurm and the time of the job": (
        """\
slurmstepd: error: *** STEP 12.0 ON n1 CANCELLED AT 2026-11-27T07:00:00 DUE TO TIME LIMIT ***
srun: Job step aborted: Waiting up to 32 seconds for job step to finish.
srun: error: n1: tasks 0-1: Terminated""",
        "STEP 12.0 ON n1 CANCELLED AT 2026-11-27T07:00:00 DUE TO TIME LIMIT",
    ),
    "Slurm and a node that failed": (
        """\
srun: error: Node failure on n7
slurmstepd: error: *** STEP 12.0 ON n1 CANCELLED AT 2026-11-27T07:00:00 DUE TO NODE FAILURE, SEE LOG ***
srun: error: n1: task 0: Killed""",
        "Node failure on n7",
    ),
    "Slurm and the memory of the job": (
        """\
slurmstepd: error: StepId=5.0 exceeded memory limit (2098200 > 2048000), being killed
srun: error: n1: task 0: Killed""",
        "StepId=5.0 exceeded memory limit (2098200 > 2048000)",
    ),
    "one rank of ours was signalled": (
        "srun: error: n1: task 1: Exited with exit code 130",
        "rank 1 was ended from outside by a signal",
    ),
    "Hydra, an exit code": (
        """\
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 412 RUNNING AT n1
=   EXIT CODE: 7
=   CLEANING UP REMAINING PROCESSES
===================================================================================""",
        "process 412 on n1 ended with exit code 7",
    ),
    "Intel MPI, an exit code": (
        """\
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   RANK 1 PID 412 RUNNING AT n1
=   EXIT STATUS: 7
===================================================================================""",
        "rank 1 ended with exit code 7",
    ),
    "PALS": (
        "x1c0: rank 3 died from signal 11 and dumped core\nx1c1: rank 9 died from signal 15",
        "rank 3 exited on signal 11 (Segmentation fault)",
    ),
    "PALS, an exit code": ("x1c0s0b0n0.hsn: rank 0 exited with code 7", "rank 0 ended with exit code 7"),
    "PBS and the time of the job": (
        "=>> PBS: job killed: walltime 62 exceeded limit 60\nTerminated",
        "PBS: job killed: walltime 62 exceeded limit 60",
    ),
    "ALPS": (
        """\
_pmiu_daemon(SIGCHLD): [NID 00012] [c0-0c0s3n0] [Fri Nov 27 2026] PE RANK 3 exit signal Segmentation fault
[NID 00012] 2026-11-27 07:00:00 Apid 123: initiated application termination
Application 123 exit codes: 139
Application 123 resources: utime ~1s, stime ~1s, Rss ~4000, inblocks ~0, outblocks ~0""",
        "rank 3 exited on signal 11 (Segmentation fault)",
    ),
    "ALPS names no rank": (
        """\
[NID 00012] 2026-11-27 07:00:00 Apid 123: initiated application termination
Application 123 exit signals: Killed
Application 123 resources: utime ~1s, stime ~3s, Rss ~15584, inblocks ~0, outblocks ~0""",
        "exit signals: Killed",
    ),
    "ALPS and the memory of a node": (
        "[NID 00012] 2026-11-27 07:00:00 Apid 123: OOM killer terminated this process.",
        "OOM killer terminated this process",
    ),
    "JSM": (
        "ERROR:  One or more process (first noticed rank 1) terminated with signal 9",
        "rank 1 exited on signal 9 (Killed)",
    ),
    "Flux": (
        """\
0.060s: flux-shell[0]: FATAL: task-exit: groma-hpcc: task rank 1 on host n1 failed and exit-on-error is set
0.060s: job.exception \u0192SuWV8vK type=exec severity=0 groma-hpcc: task rank 1 on host n1 failed
flux-job: task(s) Terminated""",
        "groma-hpcc: task rank 1 on host n1 failed",
    ),
    "ibrun with MVAPICH": (
        """\
TACC:  Starting parallel tasks...
[n1:mpispawn_0][child_handler] MPI process (rank: 3, pid: 1234) terminated with signal 9 -> abort job
TACC:  MPI job exited with code: 137
TACC:  Shutdown complete. Exiting.""",
        "rank 3 exited on signal 9 (Killed)",
    ),
    "Slurm and its memory": (
        "srun: error: n1: task 1: Out Of Memory\nsrun: error: n1: task 0: Killed",
        "rank 1 ran out of memory",
    ),
    "a library is missing": (
        f"groma-hpcc: {NO_LIBRARY}",
        NO_LIBRARY,
    ),
    "a remote shell": (
        """\
ssh: connect to host h4 port 22: No route to host
--------------------------------------------------------------------------
ORTE was unable to reliably start one or more daemons.
* compilation of the orted with dynamic libraries when static are required
--------------------------------------------------------------------------""",
        "ssh: connect to host h4 port 22: No route to host",
    ),
    "a key is missing": (
        "root@h4: Permission denied (publickey,password).",
        "root@h4: Permission denied (publickey,password).",
    ),
    "no shell said why": (
        """\
--------------------------------------------------------------------------
ORTE was unable to reliably start one or more daemons.
This usually is caused by:

* not finding the required libraries
--------------------------------------------------------------------------""",
        "ORTE was unable to reliably start one or more daemons",
    ),
    "a note stands": ("groma-hpcc: note: vectors are short\nlast words", "last words"),
    "nothing but a note": ("groma-hpcc: note: vectors are short", ""),
    "nothing known": ("something\nlast words\n-----", "last words"),
    "nothing at all": ("-----\n\n", ""),
}


@pytest.mark.parametrize("case", OTHER_LAUNCHERS)
def test_the_cause_is_found_among_the_words_of_other_launchers(case: str) -> None:
    text, cause = OTHER_LAUNCHERS[case]
    assert cause_of(text.splitlines()) == cause


def test_a_process_of_no_known_rank_is_named_by_its_number() -> None:
    elsewhere = (Process(0, "a", 24296), Process(1, "b", 24296))
    assert cause_of(said("mpich-signal-9"), elsewhere) == "process 24296 on vm exited on signal 9 (Killed)"
    assert cause_of(said("mpich-signal-9"), (Process(3, "10.0.0.1", 24296),)).startswith("rank 3 ")
    of_host = (Process(0, "a", 24296), Process(1, "vm.cluster", 24296))
    assert cause_of(said("mpich-signal-9"), of_host).startswith("rank 1 ")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@example(["-" * 20, "==== backtrace (tid:  24305) ====", "-" * 20])
@given(st.lists(st.sampled_from([line for name in CAUSES for line in said(name)]) | st.text(), max_size=40))
def test_any_words_in_any_order_give_one_line_without_banners(lines: list[str]) -> None:
    cause = cause_of(lines, RANKS)
    assert len(cause) <= MOST_SHOWN
    assert "\n" not in cause
    assert not cause.startswith(("----", "====", "Primary job", "This is something that should be reported"))


def test_return_codes_are_put_into_words() -> None:
    codes = (1, -9, 139, 130)
    assert [ending_of(code) for code in codes] == ["exit code 1", "signal 9", "signal 11", "terminated"]


def test_words_of_our_own_program_are_found() -> None:
    lines = [
        "warning of a library",
        "groma-hpcc: no test is called 'x'",
        "  groma-hpcc list names them",
        "---",
    ]
    assert said_by("groma-hpcc", lines) == ("no test is called 'x'", "groma-hpcc list names them")
    assert said_by("groma-hpcc", ["groma-hpcc: short"]) == ("short", "")
    assert said_by("groma-hpcc", ["/opt/groma-hpcc: error while loading"]) is None


@pytest.mark.parametrize("label", ["", "[1,0]<stderr>:", "[0] ", "0: "])
def test_notes_of_our_own_program_are_no_errors(label: str) -> None:
    lines = [f"{label}groma-hpcc: note: vectors are short", f"{label}groma-hpcc: no memory"]
    assert said_by("groma-hpcc", lines) == ("no memory", "")
    assert said_by("groma-hpcc", lines[:1]) is None
    assert notes_by("groma-hpcc", [*lines, *lines]) == ("vectors are short",)
