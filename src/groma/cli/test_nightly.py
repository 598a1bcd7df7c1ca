import json

import pytest

from groma.cli.main import run
from groma.nightly import TEMPLATES


@pytest.mark.parametrize("which", TEMPLATES)
def test_a_template_is_printed_as_it_is(which: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["nightly", which]) == 0
    assert capsys.readouterr().out == TEMPLATES[which].text


@pytest.mark.parametrize("which", TEMPLATES)
def test_a_program_gets_the_template_as_json(which: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["nightly", which, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"file": TEMPLATES[which].file, "text": TEMPLATES[which].text}


def test_the_class_is_python() -> None:
    compile(TEMPLATES["reframe"].text, TEMPLATES["reframe"].file, "exec")
