"""groma testbed: several hosts on this machine, to try things out without a cluster."""

from __future__ import annotations

import click

from groma.cli.durations import parse_duration
from groma.cli.frame import Output, Verb, VerbGroup, pass_output
from groma.errors import GromaError


@click.group(
    "testbed",
    cls=VerbGroup,
    examples=[
        "groma testbed run --shape 9 --link 400mbit -- mpirun -n 9 hostname  # a ring of nine hosts",
    ],
)
def command() -> None:
    """Hosts with a network between them, made of namespaces of this machine; no root is needed."""


@command.command(
    "run",
    cls=Verb,
    context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False},
    examples=[
        "groma testbed run --shape 9 --link 400mbit -- mpirun -n 9 ./program  # a ring of nine hosts",
        "groma testbed run --shape 4x4 --link 100mbit -- bash  # look around on a torus: ssh h5 ip route",
        "groma testbed run --shape 2 --nic 100mbit --mpi mpich -- mpiexec -n 2 ./program  # two hosts",
        "groma testbed run --shape 5 --mpi slurm -- srun -n 5 hostname  # inside a job of a real Slurm",
        'groma testbed run --shape 9 --link 1gbit --at 5s "slow h3-h4 200mbit" -- ./test.sh  # a bad cable',
    ],
)
@click.option("--shape", required=True, metavar="LENGTHxLENGTH…", help="9 is a ring, 4x4 a torus.")
@click.option("--link", metavar="RATE", help="Of each cable between hosts: 400mbit, 1gbit, 100kbit.")
@click.option("--nic", metavar="RATE", help="Of the network interface of each host.")
@click.option("--mpi", metavar="NAME", help="openmpi, mpich or slurm (default: the MPI that is installed).")
@click.option(
    "--at",
    "events",
    nargs=2,
    multiple=True,
    metavar="TIME EVENT",
    help='After that time "slow h3-h4 200mbit", "cut h3" or "restore h3". May be repeated.',
)
@click.option("--shared-boot-id", is_flag=True, help="One boot id for all hosts, as containers have it.")
@click.argument("words", nargs=-1, metavar="-- COMMAND...")
@pass_output
def run(
    output: Output,
    shape: str,
    link: str | None,
    nic: str | None,
    mpi: str | None,
    events: tuple[tuple[str, str], ...],
    words: tuple[str, ...],
    *,
    shared_boot_id: bool,
) -> int:
    """Start a bed of hosts, run COMMAND on the first of them, h0, and take the bed down.

    Inside, mpirun, mpiexec, srun and groma start ranks on all hosts without options for it. Ends with the
    exit code of COMMAND.
    """
    from groma.testbed.command import Wish, run_in_bed  # noqa: PLC0415
    from groma.testbed.events import parse_event  # noqa: PLC0415
    from groma.testbed.launchers import refuse_unknown  # noqa: PLC0415
    from groma.testbed.plan import Plan, parse_shape  # noqa: PLC0415
    from groma.testbed.rates import parse_rate  # noqa: PLC0415

    if not words:
        raise GromaError("there is no command to run in the bed", "give it last: -- mpirun -n 9 ./program")
    refuse_unknown(mpi)
    plan = Plan(
        parse_shape(shape),
        link=None if link is None else parse_rate(link),
        nic=None if nic is None else parse_rate(nic),
    )
    wish = Wish(
        plan=plan,
        words=words,
        mpi=mpi,
        shared_boot_id=shared_boot_id,
        events=tuple(parse_event(parse_duration(after), event, plan) for after, event in events),
    )
    course = run_in_bed(wish)
    output.say(f"the bed of {len(plan.hosts)} hosts was up in {course.up_seconds:.2f} s")
    return course.code
