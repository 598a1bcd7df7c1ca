"""The HPC Challenge suite of groma as a ReFrame test: reframe -c groma_checks.py -r

groma starts the ranks itself, so the test runs it without a launcher. Every quantity of the record that
`quantities` chooses is a performance variable with the name that `groma compare --list` shows. References are
those of ReFrame, in the units that groma prints there:

    class MySuite(GromaBase):
        reference = {"cluster:compute": {"hpcc.stream.triad.star": (38.9e9, -0.05, None, "B/s")}}

or on the command line: -S 'GromaSuite.gates=hpcc.stream.triad < 38 GB/s'.
"""

import json
import shlex
from fnmatch import fnmatchcase
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import run_before, sanity_function, variable


class GromaBase(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    tags = {"groma", "performance"}
    time_limit = "1h"
    num_tasks = 1

    groma = variable(str, value="groma")  # the program
    arguments = variable(str, value="--budget 5m")  # of groma hpcc
    quantities = variable(str, value="hpcc.*")  # patterns of names, separated by commas
    gates = variable(str, value="")  # conditions of groma compare --fail-if, separated by semicolons

    @run_before("run")
    def measure(self):
        self.executable = shlex.quote(self.groma)
        self.executable_opts = ["hpcc", *shlex.split(self.arguments), "-q", "-o", "hpcc.json"]
        self.keep_files = ["hpcc.json", "quantities.json", "gates.txt"]
        conditions = [gate.strip() for gate in self.gates.split(";") if gate.strip()]
        held = "".join(f" --fail-if {shlex.quote(one)}" for one in conditions)
        self.postrun_cmds = [f"{self.executable} compare hpcc.json --list --json > quantities.json"]
        if held:
            self.postrun_cmds.append(f"{self.executable} compare hpcc.json{held} > gates.txt; echo gates: $?")

    @run_before("run")
    def start_without_launcher(self):
        self.job.launcher = getlauncher("local")()

    @sanity_function
    def validated(self):
        """Every check of the suite passed, and every gate."""
        record = json.loads(Path(self.stagedir, "hpcc.json").read_text())
        passed = sn.assert_true(record["facts"]["success"], "the validation failed: groma show hpcc.json checks")
        if not self.gates:
            return passed
        lines = Path(self.stagedir, "gates.txt").read_text().splitlines()
        bad = [line.strip() for line in lines if line.lstrip().startswith(("FAILED", "UNDECIDED"))]
        return sn.all([passed, sn.assert_found(r"^gates: 0$", self.stdout, "; ".join(bad))])

    @run_before("performance")
    def take_quantities(self):
        found = json.loads(Path(self.stagedir, "quantities.json").read_text())
        patterns = self.quantities.split(",")
        self.perf_variables = {
            one["name"]: sn.make_performance_function(sn.defer(one["value"]), one["unit"])
            for one in found
            if not one["detail"] and one["value"] is not None and any(fnmatchcase(one["name"], pattern) for pattern in patterns)
        }


@rfm.simple_test
class GromaSuite(GromaBase):
    """All seven tests on all cores."""
