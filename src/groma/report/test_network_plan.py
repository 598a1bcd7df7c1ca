"""What `groma survey --network --dry-run` writes, word for word."""

from __future__ import annotations

from groma.launch.shape import Room
from groma.report.network_plan import headline, plan_document
from groma.report.renderers import plain
from groma.survey.network.conftest import plan_for, setup_for

HEADLINE = (
    "groma survey --network (standard): 3 jobs on 2 nodes of 1 core, 58 s at most, by Open MPI 4.1.4 (mpirun)"
)

PLAN = """\
Plan of a standard network survey
  launch    measures               shape                                         start  measure  sample
  pairs     Latency between pairs  2 ranks of 1 thread, 1 on each of 2 machines  1.0 s   20.0 s  the only pair
  layers    Communication layers   2 ranks of 1 thread, 1 on each of 2 machines  1.0 s   15.0 s
  distance  Distance               2 ranks of 1 thread, 1 on each of 2 machines  1.0 s   20.0 s

  3 jobs, 58 s at most; nothing was started

  ! given: a crossbar
  ! given: the link of a node carries 50 MB/s in each direction

Launch commands, by Open MPI 4.1.4 (mpirun)
"""
"""The lines themselves are those of test_plan.py."""


def test_the_dry_run_of_two_nodes_is_reported_word_for_word() -> None:
    plan = plan_for(
        Room(nodes=2, cores=1), only=("pairs", "curve", "distance"), seed=7, topology="switch", link=5e7
    )
    setup = setup_for(plan, hostfile="hosts")
    reported = plain(plan_document(setup))
    lines = "".join(f"  {name}: {line}\n" for name, line in setup.lines().items())
    assert headline(setup) == HEADLINE
    assert reported == PLAN + lines
