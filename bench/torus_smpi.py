"""Small cases that both SimGrid's SMPI and groma's simulator of tori express: simulated times side by side.

    .venv/bin/python bench/torus_smpi.py [--bytes 240 24000] [--routing adaptive]

One process on each node, links of Blue Gene/L, no cost of processors. SMPI shares the links as fluids
(CM02, all factors 1) and routes in dimension order; groma sends packets, with adaptive routing over more
than one channel of each link. Skips where SMPI is not installed (Debian: libsimgrid-dev).
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from groma.launch.native import native_program
from groma.machine.files import find_machine
from groma.run.interruption import Interruption
from groma.sim.torus.program import PROGRAM, simulated
from groma.sim.torus.protocol import Routing, Run
from groma.sim.torus.simulation_plan import SimulationOptions, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "build/default/native"
SOURCE = Path(__file__).with_suffix(".c")
MACHINE = find_machine("bluegene-l")
HOP = 64
"""Cycles."""
CASES = [
    ("ping-pong", (4,)),
    ("shift", (8,)),
    ("all-to-all", (5,)),
    ("all-to-all", (3, 3)),
    ("all-to-all", (5, 3)),
    ("all-to-all", (4,)),
    ("all-to-all", (4, 4)),
]
"""Rings of an even size have two shortest ways to the node opposite, those of an odd size have one."""

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="torus" topology="TORUS" topo_parameters="{shape}" prefix="n" suffix="" radical="0-{last}"
    speed="1Gf" bw="{bandwidth}Bps" lat="{latency}s" sharing_policy="SPLITDUPLEX"/>
</platform>
"""
FLUID = [
    "network/model:CM02",
    "network/TCP-gamma:0",
    "network/crosstraffic:0",
    "smpi/bw-factor:1",
    "smpi/lat-factor:1",
    "smpi/os:0:0:0",
    "smpi/ois:0:0:0",
    "smpi/or:0:0:0",
    "smpi/async-small-thresh:1000000000",
    "smpi/send-is-detached-thresh:1000000000",
    "smpi/simulate-computation:no",
    "smpi/wtime:0",
]


def of_smpi(folder: Path, pattern: str, shape: tuple[int, ...], size: int) -> float:
    """Seconds."""
    nodes = math.prod(shape)
    (folder / "platform.xml").write_text(
        PLATFORM.format(
            shape=",".join(map(str, shape)),
            last=nodes - 1,
            bandwidth=MACHINE.torus.link.value,
            latency=HOP / MACHINE.processor.frequency.value,
        )
    )
    (folder / "hosts").write_text("".join(f"n{node}\n" for node in range(nodes)))
    words = ["smpirun", "-np", str(nodes), "-platform", "platform.xml", "-hostfile", "hosts"]
    words += [f"--cfg={one}" for one in FLUID] + ["--log=root.thres:error", "./cases", pattern, str(size)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"smpirun failed: {done.stderr.strip()[-600:]}")
    return float(done.stdout.split()[-1])


def actions(pattern: str, nodes: int, size: int) -> Iterator[str]:
    """The program of bench/torus_smpi.c as a time-independent trace."""
    for rank in range(nodes):
        yield f"{rank} init"
    if pattern == "ping-pong":
        yield from (f"0 send 1 0 {size}", f"1 recv 0 0 {size}", f"1 send 0 0 {size}", f"0 recv 1 0 {size}")
    else:
        for distance in range(1, 2 if pattern == "shift" else nodes):
            for rank in range(nodes):
                to, source = (rank + distance) % nodes, (rank - distance) % nodes
                yield f"{rank} sendrecv {size} {to} {size} {source}"
    for rank in range(nodes):
        yield f"{rank} finalize"


def of_groma(folder: Path, pattern: str, shape: tuple[int, ...], size: int, routing: Routing) -> float:
    """Seconds until the last rank has done its part."""
    trace = folder / "trace.txt"
    trace.write_text("".join(f"{line}\n" for line in actions(pattern, math.prod(shape), size)))
    free = ("send", "receive.single", "receive.each")
    options = SimulationOptions(
        machine=MACHINE,
        workload="replay",
        shape="x".join(map(str, shape)),
        routing=routing,
        trace=trace,
        settings=(
            f"network.hop_latency={HOP}",
            "workload.rendezvous=1000000000",
            *(f"processor.{cost}=0" for cost in free),
        ),
        run=Run(threads=1),
    )
    plan = plan_of(options)
    result = simulated(native_program(PROGRAM, str(NATIVE)), plan.request, Interruption())
    return result.values["finished_at"][0] / plan.frequency


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, nargs="+", default=[240, 24_000])
    parser.add_argument("--routing", choices=get_args(Routing), default="deterministic")
    args = parser.parse_args()
    if shutil.which("smpicc") is None or shutil.which("smpirun") is None:
        sys.stdout.write("skipped: SMPI is not installed (apt-get install libsimgrid-dev)\n")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["smpicc", "-O2", str(SOURCE), "-o", str(folder / "cases")], check=True)
        sys.stdout.write("| case | torus | bytes | SMPI | groma | difference |\n|---|---|---|---|---|---|\n")
        for size in args.bytes:
            for pattern, shape in CASES:
                theirs = of_smpi(folder, pattern, shape, size)
                ours = of_groma(folder, pattern, shape, size, args.routing)
                torus = "x".join(map(str, shape))
                cells = f"{theirs * 1e6:.2f} µs | {ours * 1e6:.2f} µs | {ours / theirs - 1:+.1%}"
                sys.stdout.write(f"| {pattern} | {torus} | {size} | {cells} |\n")


if __name__ == "__main__":
    main()
