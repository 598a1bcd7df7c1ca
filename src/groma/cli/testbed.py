"""groma testbed: create several hosts with a network on this machine, to work without a cluster."""

from __future__ import annotations

import click

from groma.cli.frame import Output, Verb, VerbGroup, pass_output
from groma.errors import GromaError
from groma.record.counting import counted
from groma.record.typed_amounts import parse_duration


@click.group(
    "testbed",
    cls=VerbGroup,
    examples=[
        "groma testbed run --shape 9 --link 400mbit -- mpirun -n 9 hostname  # a ring of nine hosts",
    ],
)
def command() -> None:
    """Create hosts with a network between them on this machine; no root is needed."""


@command.command(
    "run",
    cls=Verb,
    context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False},
    examples=[
        "groma testbed run --shape 9 --link 400mbit -- mpirun -n 9 ./program  # a ring of nine hosts",
        "groma testbed run --shape 4x4 --link 100mbit -- bash  # explore a torus: ssh h5 ip route",
        "groma testbed run --shape 2 --nic 100mbit --mpi mpich -- mpiexec -n 2 ./program  # two hosts",
        "groma testbed run --shape 5 --mpi slurm -- srun -n 5 hostname  # inside a Slurm job",
        'groma testbed run --shape 9 --link 1gbit --at 5s "slow h3-h4 200mbit" -- ./test.sh  # a bad cable',
    ],
)
@click.option("--shape", required=True, metavar="LENGTHxLENGTH…", help="Topology: 9 is a ring, 4x4 a torus.")
@click.option("--link", metavar="RATE", help="Rate of each cable between hosts: 400mbit, 1gbit, 100kbit.")
@click.option("--nic", metavar="RATE", help="Rate of the network interface of each host.")
@click.option("--mpi", metavar="NAME", help="openmpi, mpich or slurm (default: the installed MPI).")
@click.option(
    "--at",
    "events",
    nargs=2,
    multiple=True,
    metavar="TIME EVENT",
    help='Event at that time: "slow h3-h4 200mbit", "cut h3" or "restore h3". May be repeated.',
)
@click.option("--shared-boot-id", is_flag=True, help="Use one boot id for all hosts, as containers do.")
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
    """Start a test bed and run COMMAND on its first host, h0.

    In the test bed, mpirun, mpiexec, srun and groma start ranks on all hosts without further options. The
    exit code is that of COMMAND. The test bed is removed at the end.
    """
    from groma.testbed.command import BedRequest, run_in_bed  # noqa: PLC0415
    from groma.testbed.events import parse_event  # noqa: PLC0415
    from groma.testbed.launchers import refuse_unknown  # noqa: PLC0415
    from groma.testbed.plan import Plan, parse_shape  # noqa: PLC0415
    from groma.testbed.rates import parse_rate  # noqa: PLC0415

    if not words:
        raise GromaError(
            "there is no command to run in the test bed", "give it at the end: -- mpirun -n 9 ./program"
        )
    refuse_unknown(mpi)
    plan = Plan(
        parse_shape(shape),
        link=None if link is None else parse_rate(link),
        nic=None if nic is None else parse_rate(nic),
    )
    request = BedRequest(
        plan=plan,
        words=words,
        mpi=mpi,
        shared_boot_id=shared_boot_id,
        events=tuple(parse_event(parse_duration(after), event, plan) for after, event in events),
    )
    result = run_in_bed(request)
    output.say(f"the test bed of {counted(len(plan.hosts), 'host')} started in {result.up_seconds:.2f} s")
    return result.code
