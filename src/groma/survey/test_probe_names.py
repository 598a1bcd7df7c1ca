"""What users write for names of probes."""

import sys
from subprocess import run

from groma.survey.probe_names import is_network_probe


def test_network_probes_are_known_with_and_without_their_prefix() -> None:
    assert is_network_probe("net_pairs")
    assert is_network_probe("pairs")
    assert not is_network_probe("clock")


def test_the_plan_of_a_node_needs_nothing_of_the_survey_of_a_network() -> None:
    code = "import groma.survey.plan, sys; sys.exit('groma.survey.network' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
